import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { RequestListener, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Target } from '../../core/contract/source.ts'
import { createClusterObjects } from '../../main/cluster/clusterObjects.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { openConnection } from '../../main/cluster/connection.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import type { ObjectEditor } from '../../main/ports/objectGateway.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { answerStatus, startHostileServer, type HostileServer } from '../harness/hostileServer.ts'
import { allNamed } from '../harness/consent.ts'

const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'
const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'

const level = (name: string, resourceVersion: number, shares = 1) => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: String(resourceVersion),
    managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': {} } }],
  },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' } } },
})

/** The part of an API server that serves objects; each part can be replaced. */
interface Script {
  list?: (query: URLSearchParams) => object
  /** Gets each watch of levels. */
  watch?: (response: ServerResponse, query: URLSearchParams) => void
  /** What its metrics say of the levels. */
  metrics?: string
  other?: RequestListener
}

function apiServer(script: Script): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    const json = (value: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    const isLevels = url.pathname === LEVELS
    if (request.method !== 'GET' && script.other !== undefined) script.other(request, response)
    else if (url.pathname === '/metrics' && script.metrics !== undefined) response.end(script.metrics)
    else if (url.pathname === '/version') json({ gitVersion: 'v1.36.3' })
    else if (!isLevels && url.pathname !== SCHEMAS) answerStatus(404, '{}')(request, response)
    else if (url.searchParams.get('watch') === 'true') {
      if (isLevels && script.watch !== undefined) return script.watch(response, url.searchParams)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
    } else if (isLevels && script.list !== undefined) json(script.list(url.searchParams))
    else json({ metadata: { resourceVersion: '10' }, items: isLevels ? [level('a', 1)] : [] })
  }
}

const stream = (response: ServerResponse, ...events: object[]): void => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  for (const event of events) response.write(`${JSON.stringify(event)}\n`)
}

let folder = ''
const cleanups: (() => unknown)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-objects-'))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  await rm(folder, { recursive: true, force: true })
})

async function serve(script: Script): Promise<HostileServer> {
  const server = await startHostileServer({ behaviour: apiServer(script) })
  cleanups.push(() => server.close())
  return server
}

async function target(servers: readonly HostileServer[], token = 'secret-token'): Promise<Target> {
  const file = join(folder, 'kubeconfig')
  const [first] = servers
  const config = {
    clusters: [{ name: 'c', cluster: { server: first?.url('') } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  }
  await writeFile(file, JSON.stringify(config))
  return { kind: 'kubeconfig', file, ...(servers.length > 1 && { servers: servers.map((server) => server.url('')) }) }
}

async function follow(...servers: HostileServer[]) {
  const connection = await openConnection(await target(servers), () => Date.now(), { consent: allNamed })
  const gateway = createClusterObjects(connection, { ...systemEnvironment, random: () => 0 })
  const readings: ObjectsReading[] = []
  const stop = new AbortController()
  cleanups.push(() => {
    stop.abort()
    connection.close()
  })
  gateway.start(stop.signal, (reading) => readings.push(reading))
  const until = (what: (reading: ObjectsReading) => boolean): Promise<ObjectsReading> =>
    vi.waitFor(() => {
      const last = readings.at(-1)
      if (last === undefined || !what(last)) throw new Error(`not yet: ${JSON.stringify(last)}`)
      return last
    }, 8_000)
  return { gateway, readings, until, stop }
}
const names = ({ objects }: ObjectsReading): string[] => objects.levels.map(({ metadata }) => metadata.name)
const current = ({ state, version }: ObjectsReading): boolean => state === 'current' && version !== undefined
const listsOf = (server: HostileServer): string[] =>
  server.requests.map(({ path }) => path).filter((path) => path.startsWith(`${LEVELS}?limit`))
const watchesOf = (server: HostileServer): string[] =>
  server.requests.map(({ path }) => path).filter((path) => path.startsWith(`${LEVELS}?watch`))

describe('objects read by list and watch', () => {
  it('are told as they change, managers by their names alone', async () => {
    let watching: ServerResponse | undefined
    const server = await serve({
      watch: (response) => {
        watching = response
        stream(response)
      },
    })
    const { until } = await follow(server)
    const first = await until(current)
    expect(first).toMatchObject({ state: 'current', version: 'v1.36.3' })
    expect(first.objects.levels[0]?.metadata.managedFields).toEqual([{ manager: 'kubectl', operation: 'Apply' }])
    await vi.waitFor(() => expect(watching).toBeDefined())
    // In pieces that cut characters and lines.
    const added = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: level('grün', 11) })}\n`)
    const at = added.indexOf(0xc3) + 1
    watching?.write(added.subarray(0, at))
    await new Promise((resolve) => setTimeout(resolve, 30))
    watching?.write(
      Buffer.concat([
        added.subarray(at),
        Buffer.from(`${JSON.stringify({ type: 'DELETED', object: level('a', 12) })}\n`),
      ]),
    )
    expect(names(await until((reading) => names(reading).includes('grün')))).toEqual(['grün'])
  })

  it('are as new as the last change, although nothing is told of the other kind', async () => {
    const server = await serve({
      watch: (response) => {
        stream(response)
        setTimeout(() => response.write(`${JSON.stringify({ type: 'ADDED', object: level('b', 11) })}\n`), 300)
      },
    })
    const { until } = await follow(server)
    const ms = ({ asOf = '' }: ObjectsReading): number => Date.parse(asOf)
    const first = ms(await until(current))
    expect(ms(await until((reading) => names(reading).includes('b')))).toBeGreaterThanOrEqual(first + 200)
  })

  it('go on from the last version that was told, without a new list', async () => {
    let turn = 0
    const server = await serve({
      watch: (response, query) => {
        turn++
        if (turn === 1) {
          stream(
            response,
            { type: 'MODIFIED', object: level('a', 15, 5) },
            { type: 'BOOKMARK', object: { metadata: { resourceVersion: '20' } } },
          )
          setTimeout(() => response.destroy(), 100)
        } else stream(response, { type: 'ADDED', object: level(`after-${query.get('resourceVersion')}`, 21) })
      },
    })
    const { readings, until } = await follow(server)
    await until((reading) => reading.state === 'current' && names(reading).includes('after-20'))
    expect(listsOf(server)).toHaveLength(1)
    expect(readings.some(({ state, problem }) => state === 'stale' && problem !== undefined)).toBe(true)
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['an event of 410', (response) => stream(response, { type: 'ERROR', object: { kind: 'Status', code: 410 } })],
    ['an answer of 410', (response) => void response.writeHead(410).end('{}')],
    [
      'something that is no event',
      (response) => {
        stream(response)
        response.write('garbage\n')
      },
    ],
    ['another error', (response) => stream(response, { type: 'ERROR', object: { code: 500, message: 'no' } })],
    [
      'an event without an end',
      (response) => {
        stream(response)
        response.write('x'.repeat(5 * 1024 * 1024))
      },
    ],
  ])('are listed anew after %s', async (_what, end) => {
    let turn = 0
    const server = await serve({
      list: () => ({ metadata: { resourceVersion: '10' }, items: [level(turn === 0 ? 'old' : 'new', 9)] }),
      watch: (response) => (turn++ === 0 ? end(response) : stream(response)),
    })
    const { until } = await follow(server)
    await until((reading) => current(reading) && names(reading).includes('new'))
    expect(listsOf(server)).toHaveLength(2)
    await vi.waitFor(() => expect(watchesOf(server)).toHaveLength(2))
  })

  it('come page by page, without those that cannot be understood', async () => {
    const server = await serve({
      list: (query) =>
        query.get('continue') === null
          ? { metadata: { resourceVersion: '10', continue: 'more' }, items: [level('a', 1)] }
          : { metadata: { resourceVersion: '10' }, items: [level('b', 2), { metadata: { name: 'odd' }, spec: 3 }] },
    })
    const { until } = await follow(server)
    const reading = await until(current)
    expect(names(reading)).toEqual(['a', 'b'])
    expect(reading.problem?.message).toContain('odd')
    expect(await readClusterObjects(await target([server]), allNamed)).toMatchObject({
      version: 'v1.36.3',
      notes: [expect.stringContaining('odd')],
    })
  })

  it('are read from another server of the cluster when one does not answer', async () => {
    const [down, up] = [await serve({}), await serve({})]
    await down.close()
    const { until } = await follow(down, up)
    expect(names(await until(current))).toEqual(['a'])
    expect((await readClusterObjects(await target([down, up]), allNamed)).objects.levels).toHaveLength(1)
  })

  it('are unavailable, with the role that would help, where they may not be read', async () => {
    const server = await serve({})
    const words = 'prioritylevelconfigurations is forbidden: User "jo" cannot list resource'
    server.behave(answerStatus(403, JSON.stringify({ kind: 'Status', message: words })))
    const { until } = await follow(server)
    const { problem } = await until(({ state }) => state === 'unavailable')
    expect(problem).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('jo may not get, list and watch'),
    })
    expect(problem?.details).toContain('kind: ClusterRoleBinding')
  })

  it('end with the session', async () => {
    const server = await serve({})
    const { stop, until, readings } = await follow(server)
    await until(current)
    await vi.waitFor(() => expect(watchesOf(server)).toHaveLength(1))
    stop.abort()
    const before = [server.requests.length, readings.length]
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect([server.requests.length, readings.length]).toEqual(before)
  })
})

/** What a server reports of its levels: their number and, unless it does not estimate sizes, their bytes. */
const counted = (count: number, bytes?: number): string => {
  const labels = '{group="flowcontrol.apiserver.k8s.io",resource="prioritylevelconfigurations"}'
  if (bytes === undefined) {
    return `apiserver_storage_objects{resource="prioritylevelconfigurations.flowcontrol.apiserver.k8s.io"} ${count}\n`
  }
  return `apiserver_resource_objects${labels} ${count}\napiserver_resource_size_estimate_bytes${labels} ${bytes}\n`
}

/** Ends the watch, as a server does after its timeout. */
const short = (response: ServerResponse, ...events: object[]): void => {
  stream(response, ...events)
  response.end()
}
const added = (name: string) => ({ type: 'ADDED', object: level(name, 1) })

describe('objects are read at the price of one seat', () => {
  const levelsRead = async (script: Script): Promise<{ names: string[]; asked: string[] }> => {
    const server = await serve(script)
    const { objects } = await readClusterObjects(await target([server]), allNamed)
    const asked = server.requests.map(({ path }) => path).filter((path) => path.startsWith(LEVELS))
    return { names: objects.levels.map(({ metadata }) => metadata.name), asked }
  }

  it('by a watch from any version, where the server does not know their sizes', async () => {
    const watch = (response: ServerResponse): void => short(response, added('a'), added('b'))
    const { names: read, asked } = await levelsRead({ metrics: counted(2, -1), watch })
    expect(read).toEqual(['a', 'b'])
    expect(asked).toEqual([expect.stringMatching(/watch=true&.*resourceVersion=00&timeoutSeconds=1$/)])
  })

  it('by a watch, where the server estimates by more objects than one seat pays for', async () => {
    const many = Array.from({ length: 300 }, (_, at) => added(`l-${at}`))
    const { names: read, asked } = await levelsRead({
      metrics: counted(300),
      watch: (response) => short(response, ...many),
    })
    expect(read).toHaveLength(300)
    expect(asked).toEqual([expect.stringContaining('timeoutSeconds=2')])
  })

  it('in pages that the size of the objects determines', async () => {
    expect((await levelsRead({ metrics: counted(1_000, 1_200_000) })).asked).toEqual([`${LEVELS}?limit=83`])
    expect((await levelsRead({ metrics: counted(4, 1_200_000) })).asked).toEqual([`${LEVELS}?limit=1`])
    expect((await levelsRead({ metrics: counted(8, 4_000) })).asked).toEqual([`${LEVELS}?limit=200`])
    expect((await levelsRead({ metrics: counted(8) })).asked).toEqual([`${LEVELS}?limit=50`])
    expect((await levelsRead({})).asked).toEqual([`${LEVELS}?limit=50`])
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['keeps bringing fewer than there are', (response) => short(response, added('b'))],
    ['is refused', (response) => answerStatus(403, '{}')(response.req, response)],
    ['has another idea of versions', (response) => answerStatus(400, '{}')(response.req, response)],
    ['has no such version', (response) => short(response, { type: 'ERROR', object: { code: 410 } })],
  ])('by a list, if the watch %s', async (_, watch) => {
    const { names: read, asked } = await levelsRead({ metrics: counted(2, -1), watch })
    expect(read).toEqual(['a'])
    expect(asked.at(-1)).toBe(`${LEVELS}?limit=50`)
  })

  it('by a longer watch, where a slow server brings fewer than there are', async () => {
    const { names: read, asked } = await levelsRead({
      metrics: counted(2, -1),
      watch: (response, query) =>
        query.get('timeoutSeconds') === '1' ? short(response, added('a')) : short(response, added('a'), added('b')),
    })
    expect(read).toEqual(['a', 'b'])
    expect(asked).toEqual([expect.stringContaining('timeoutSeconds=1'), expect.stringContaining('timeoutSeconds=4')])
  })

  it('and followed from there', async () => {
    let watching: ServerResponse | undefined
    const server = await serve({
      metrics: counted(1, -1),
      watch: (response, query) => {
        if (query.get('timeoutSeconds') === '1') return short(response, added('a'))
        watching = response
        stream(response, added('a'))
      },
    })
    const { until } = await follow(server)
    await until(current)
    await vi.waitFor(() => expect(watching).toBeDefined())
    watching?.write(`${JSON.stringify({ type: 'ADDED', object: level('b', 11) })}\n`)
    expect(names(await until((reading) => names(reading).length === 2))).toEqual(['a', 'b'])
    watching?.write(`${JSON.stringify({ type: 'DELETED', object: level('a', 12) })}\n`)
    expect(names(await until((reading) => names(reading).length === 1))).toEqual(['b'])
    expect(watchesOf(server)).toHaveLength(2)
    expect(listsOf(server)).toEqual([])
  })
})

it('an administrator is told once that reading is exempt from flow control', async () => {
  const as = (username: string, groups: readonly string[]): RequestListener =>
    answerStatus(201, JSON.stringify({ status: { userInfo: { username, groups } } }))
  const admin = await serve({ other: as('root', ['system:masters', 'system:authenticated']) })
  expect((await readClusterObjects(await target([admin]), allNamed)).notes).toEqual([
    expect.stringMatching(/^Flow control does not limit .* because root is in the group system:masters/),
  ])
  const viewer = await serve({ other: as('jo', ['system:authenticated']) })
  expect((await readClusterObjects(await target([viewer]), allNamed)).notes).toEqual([])
})

describe('a change of objects', () => {
  const editorOf = async (server: HostileServer): Promise<ObjectEditor> => {
    const { gateway } = await follow(server)
    if ('impossible' in gateway.editor) throw new Error(gateway.editor.impossible)
    return gateway.editor
  }
  const wish = {
    kind: 'PriorityLevelConfiguration' as const,
    name: 'new',
    object: { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'PriorityLevelConfiguration', ...level('new', 1) },
  }
  const answer =
    (status: number, value: object, headers: Record<string, string> = {}): RequestListener =>
    (request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ kind: 'Status', ...value }))
    }

  it('is a verdict, whatever the server answers', async () => {
    const script: Script = {}
    const editor = await editorOf(await serve(script))
    const outcome = async (other: RequestListener): Promise<string> => {
      script.other = other
      const { outcome: found, problem } = await editor.check(wish)
      return `${found}: ${problem?.message ?? ''}`
    }
    expect(await outcome(answer(403, { message: 'User "jo" cannot patch' }))).toMatch(
      /^forbidden: The user may not change .* cannot patch$/,
    )
    expect(await outcome(answer(403, { message: 'admission webhook "x" denied the request: no' }))).toMatch(
      /^rejected: /,
    )
    expect(await outcome(answer(400, { message: 'no' }))).toMatch(
      /^rejected: The server rejects PriorityLevelConfiguration new: no$/,
    )
    expect(await outcome(answer(500, { message: 'etcd' }))).toMatch(/^failed: /)
    expect(await outcome(answer(429, { message: 'later' }))).toMatch(/^throttled: .*was not changed.*429/)
    expect(await outcome((_request, response) => response.destroy())).toMatch(/^failed: .*closed the connection/)
  })

  it('is sent again when flow control rejected it, and is then carried out once', async () => {
    const created: string[] = []
    let rejections = 2
    const editor = await editorOf(
      await serve({
        other: (request, response) => {
          if (rejections-- > 0)
            return answer(429, { message: 'too many requests' }, { 'retry-after': '0' })(request, response)
          created.push(request.url ?? '')
          return answer(201, level('new', 3))(request, response)
        },
      }),
    )
    const waiting: unknown[] = []
    editor.onWaiting?.((told) => waiting.push(told?.attempt))
    expect((await editor.check(wish)).outcome).toBe('accepted')
    expect(created).toHaveLength(1)
    expect(waiting).toEqual([2, undefined, 3, undefined])
  })

  it('brings the warnings of the server along', async () => {
    const warning = '299 - "one \\"quoted\\"", 299 kube "two"'
    const editor = await editorOf(await serve({ other: answer(201, level('new', 3), { warning }) }))
    expect(await editor.check(wish)).toMatchObject({ outcome: 'accepted', warnings: ['one "quoted"', 'two'] })
  })

  it('is made with renewed credentials once, and tells no secret', async () => {
    let refused = 0
    const editor = await editorOf(
      await serve({
        other: (request, response) => {
          refused++
          answer(refused === 1 ? 401 : 400, { message: `token ${request.headers.authorization ?? ''} is bad` })(
            request,
            response,
          )
        },
      }),
    )
    const verdict = await editor.check(wish)
    expect(refused).toBe(2)
    expect(verdict.outcome).toBe('rejected')
    expect(JSON.stringify(verdict)).not.toContain('secret-token')
  })

  it('is never sent twice by itself', async () => {
    let writes = 0
    const server = await serve({
      other: (request, response) => {
        // The dry run before it is answered.
        if (request.url?.includes('dryRun') === true) return answer(201, level('new', 3))(request, response)
        writes++
        request.socket.destroy()
      },
    })
    const editor = await editorOf(server)
    const { verdict, done } = await editor.apply(wish, false, async () => undefined)
    expect([writes, verdict.outcome, done]).toEqual([1, 'failed', undefined])
    expect(verdict.problem?.message).toContain('as it was before')
  })

  it('does not lead to another address by its name', async () => {
    const server = await serve({ other: answer(422, { message: 'bad name' }) })
    const editor = await editorOf(server)
    for (const name of ['..', 'a/b', '%2e%2e', '.']) {
      expect(await editor.check({ ...wish, name })).toMatchObject({ outcome: 'rejected' })
    }
    const written = server.requests.filter(({ method }) => method !== 'GET')
    expect(new Set(written.map(({ path }) => path.split('?')[0]))).toEqual(new Set([LEVELS]))
  })
})
