import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manifestOf, versionOf } from '../../core/config/content.ts'
import { FeedSpecSchema, ProxySpecSchema, type ProxySpec } from '../../core/contract/live.ts'
import type { ApplyReport, ObjectsState } from '../../core/contract/objects.ts'
import { openLiveConsole, smallServer, type LiveConsole, type SmallServer } from '../harness/live.ts'

const LEVEL = 'global-default'
const PODS = '/api/v1/namespaces/default/pods/one'

/** One seat and one place in one queue for ordinary users. */
const NARROW = {
  nominalConcurrencyShares: 1,
  lendablePercent: 0,
  borrowingLimitPercent: 0,
  limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
}
type Limited = Readonly<Record<string, unknown>>

describe('a live proxy', () => {
  let desk: LiveConsole
  let server: SmallServer
  /** Responses that the server holds back, in the order of their requests. */
  let held: (() => void)[] = []
  let holds = false

  beforeEach(async () => {
    held = []
    holds = false
    server = await smallServer((_request, response) => {
      const answer = (): void => void response.end('done')
      if (holds) held.push(answer)
      else answer()
    })
    desk = await openLiveConsole('proxy')
  })
  afterEach(async () => {
    await desk.close()
    await server.close()
  })

  const connect = (more: Partial<ProxySpec> = {}): Promise<void> =>
    desk.connect(
      ProxySpecSchema.parse({
        kind: 'proxy',
        upstream: { kind: 'url', url: server.url },
        mode: 'enforce',
        identity: 'headers',
        objects: 'built-in',
        maxRequestsInFlight: 200,
        maxMutatingRequestsInFlight: 0,
        ...more,
      }),
    )
  const address = (): string => desk.state()?.address ?? ''
  const ask = (user = 'alice', path = PODS): Promise<Response> =>
    fetch(`${address()}${path}`, { headers: { 'X-Remote-User': user } })
  const ready = () => vi.waitFor(() => expect(address()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/))
  const level = (): ObjectsState['objects']['levels'][number] | undefined =>
    desk.objects()?.objects.levels.find(({ metadata }) => metadata.name === LEVEL)
  const withLimited = (limited: Limited) => {
    const before = level()
    return manifestOf('PriorityLevelConfiguration', { ...before, spec: { type: 'Limited', limited } })
  }
  const apply = (limited: Limited): Promise<ApplyReport> => {
    const base = versionOf(level() ?? {})
    const change = { kind: 'PriorityLevelConfiguration' as const, name: LEVEL, object: { ...withLimited(limited) } }
    return desk.client.call('objects.apply', { changes: [{ ...change, ...(base && { base }) }] })
  }

  test('tells rows, frames and dumps of what goes through it', async () => {
    await connect()
    await ready()
    for (let i = 0; i < 20; i++) expect((await ask(i % 2 === 0 ? 'alice' : 'bob')).status).toBe(200)
    await vi.waitFor(() => expect([...desk.rows.values()].filter(({ state }) => state === 'served')).toHaveLength(20))
    expect(desk.rows.get(1)).toMatchObject({
      user: 'bob',
      verb: 'get',
      resource: 'pods',
      level: LEVEL,
      schema: LEVEL,
      flow: 'bob',
      status: 200,
    })
    await vi.waitFor(() => expect(desk.frame()?.levels.find(({ name }) => name === LEVEL)?.dispatched).toBe(20), 3_000)
    expect(desk.frame()?.id).toBe('proxy')
    await vi.waitFor(() => expect(desk.state()).toMatchObject({ mode: 'enforce', arrived: 20, unreadable: 0 }), 3_000)
    const page = await desk.client.call('live.page', { count: 5, before: 12 })
    expect(page.requests.map(({ seq }) => seq)).toEqual([7, 8, 9, 10, 11])

    holds = true
    const slow = ask()
    await vi.waitFor(() => expect(held).toHaveLength(1))
    await vi.waitFor(() => {
      expect(desk.dump()?.requests?.map(({ user, verb }) => [user, verb])).toEqual([['alice', 'get']])
      expect(desk.dump()?.levels?.find(({ name }) => name === LEVEL)).toMatchObject({ executing: 1 })
    }, 3_000)
    held.shift()?.()
    await slow
    await vi.waitFor(() => expect(desk.dump()?.requests).toEqual([]), 3_000)
  })

  test('takes edits over at once, and they can be taken back', async () => {
    await connect()
    await ready()
    expect(desk.objects()).toMatchObject({ origin: 'proxy', state: 'current', editing: { state: 'off' } })
    expect(desk.objects()?.target).toBe(`proxy in front of ${new URL(server.url).host}`)
    holds = true
    const first = [ask(), ask(), ask()]
    await vi.waitFor(() => expect(held).toHaveLength(3))
    for (const answer of held.splice(0)) answer()
    await Promise.all(first)

    await desk.client.call('editing.switch', { on: true })
    const report = await apply(NARROW)
    expect(report.verdicts).toMatchObject([{ outcome: 'accepted', differences: [] }])
    const [running, waiting] = [ask(), ask()]
    await vi.waitFor(() => expect([...desk.rows.values()].at(-1)).toMatchObject({ state: 'waiting' }))
    expect((await ask()).status).toBe(429)
    await vi.waitFor(() =>
      expect([...desk.rows.values()].at(-1)).toMatchObject({ state: 'rejected', reason: 'queue-full', status: 429 }),
    )
    await vi.waitFor(() => expect(desk.state()?.limits.join(' ')).toContain(`One object is edited here`), 3_000)

    const undone = await desk.client.call('journal.undo', { id: report.entry?.id ?? '' })
    expect(undone.entry?.changes.map(({ state }) => state)).toEqual(['undone'])
    // Waiting requests are dispatched as soon as there is room for them.
    const more = [ask(), ask()]
    await vi.waitFor(() => expect(held).toHaveLength(4))
    for (const answer of held.splice(0)) answer()
    const answers = await Promise.all([running, waiting, ...more])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await vi.waitFor(() => expect(desk.state()?.limits.join(' ')).not.toContain('edited here'), 3_000)
  })

  test('runs a draft beside the first engine, which refuses what the first lets pass', async () => {
    await connect()
    await ready()
    const { levels = [], schemas = [] } = desk.objects()?.objects ?? {}
    const draft = {
      levels: levels.map((one) =>
        one.metadata.name === LEVEL ? { ...one, spec: { type: 'Limited', limited: { ...NARROW } } } : one,
      ),
      schemas,
    }
    const begun = await desk.client.call('live.candidate', { wish: { on: true, objects: draft } })
    expect(begun.candidate).toMatchObject({ a: { arrived: 0 }, b: { arrived: 0 }, different: 0 })
    holds = true
    const asked = Array.from({ length: 5 }, () => ask())
    await vi.waitFor(() => expect(held).toHaveLength(5))
    await vi.waitFor(() =>
      expect([...desk.rows.values()].map((row) => [row.state, row.candidate?.state])).toEqual([
        ['executing', 'executing'],
        ['executing', 'waiting'],
        ['executing', 'rejected'],
        ['executing', 'rejected'],
        ['executing', 'rejected'],
      ]),
    )
    for (const answer of held.splice(0)) answer()
    await Promise.all(asked)
    await vi.waitFor(() => {
      expect(desk.state()?.candidate).toMatchObject({
        a: { arrived: 5, rejected: 0, executingSeats: 0, queued: 0 },
        b: { arrived: 5, rejected: 3, executingSeats: 0, queued: 0 },
        different: 3,
      })
    }, 5_000)
    // The one that waited in the draft took as long there as it really took.
    expect(desk.state()?.candidate?.b.waitP99[LEVEL]).toBeGreaterThan(1)
    const ended = await desk.client.call('live.candidate', { wish: { on: false } })
    expect(ended.candidate).toBeUndefined()
    holds = false
    expect((await ask()).status).toBe(200)
  })

  test('refuses a draft that no server would take', async () => {
    await connect()
    await ready()
    const { levels = [], schemas = [] } = desk.objects()?.objects ?? {}
    const wrong = levels.map((one) => (one.metadata.name === LEVEL ? { ...one, spec: { type: 'Limited' } } : one))
    await expect(
      desk.client.call('live.candidate', { wish: { on: true, objects: { levels: wrong, schemas } } }),
    ).rejects.toMatchObject({ problem: { code: 'invalid-input' }, message: expect.stringContaining(LEVEL) })
  })

  test('only observes: everything passes, and rows show what the engine would have decided', async () => {
    await connect({ mode: 'observe' })
    await ready()
    await desk.client.call('editing.switch', { on: true })
    await apply(NARROW)
    holds = true
    const asked = Array.from({ length: 4 }, () => ask())
    await vi.waitFor(() => expect(held).toHaveLength(4))
    for (const answer of held.splice(0)) answer()
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await vi.waitFor(() =>
      expect([...desk.rows.values()].map(({ state, status }) => [state, status])).toEqual([
        ['served', 200],
        ['served', 200],
        ['rejected', 200],
        ['rejected', 200],
      ]),
    )
    expect(desk.state()?.mode).toBe('observe')
  })

  test('listens no more when it is disconnected, and can have its port again', async () => {
    await connect()
    await ready()
    const port = Number(new URL(address()).port)
    await connect({ port })
    await vi.waitFor(() => expect(new URL(address()).port).toBe(String(port)), 3_000)
    expect((await ask()).status).toBe(200)
    await connect({ port })
    expect((await ask()).status).toBe(200)
    const recent = await desk.client.call('sources.recent', null)
    expect(recent[0]).toMatchObject({
      name: `proxy in front of ${new URL(server.url).host}`,
      spec: { kind: 'proxy', port },
    })
    const before = address()
    await desk.client.call('sources.disconnect', null)
    await vi.waitFor(() => expect(fetch(before)).rejects.toThrow(/fetch failed/))
  })

  test('behaves like the release of a server whose objects it may not read', async () => {
    await server.close()
    server = await smallServer((request, response) => {
      if (request.url !== '/version') return void response.writeHead(403).end()
      setTimeout(() => response.end('{"gitVersion":"v1.33.2"}'), 200)
    })
    await connect({ objects: 'upstream' })
    await vi.waitFor(() => expect(desk.frame()?.version).toBe('v1.33.2'), 3_000)
    expect(desk.state()?.limits.join(' ')).toContain('the built-in ones of v1.33.2')
  })

  test('says so when its port is taken', async () => {
    const port = Number(new URL(server.url).port)
    await expect(connect({ port })).rejects.toMatchObject({ message: expect.stringContaining(String(port)) })
  })
})

describe('a feed', () => {
  let desk: LiveConsole
  beforeEach(async () => {
    desk = await openLiveConsole('feed')
  })
  afterEach(() => desk.close())

  const event = (n: number, atMs: number, lastedMs: number): string =>
    JSON.stringify({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: `id-${n}`,
      stage: 'ResponseComplete',
      requestURI: `/api/v1/namespaces/default/pods/pod-${n}`,
      verb: 'get',
      user: { username: 'alice', groups: ['system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'test',
      responseStatus: { code: 200 },
      requestReceivedTimestamp: new Date(atMs).toISOString(),
      stageTimestamp: new Date(atMs + lastedMs).toISOString(),
    })

  test('tells rows and frames of a whole file in the time of its events', async () => {
    const from = Date.UTC(2026, 0, 1)
    const path = join(desk.stateDir, 'audit.log')
    const lines = Array.from({ length: 100 }, (_, n) => event(n, from + n * 100, 50))
    await writeFile(path, `${lines.join('\n')}\nno event at all\n`)
    await desk.connect(FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-file', path, follow: false } }))
    await vi.waitFor(() => expect(desk.state()).toMatchObject({ mode: 'feed', arrived: 100, unreadable: 1 }), 5_000)
    const { requests: rows } = await desk.client.call('live.page', { count: 200 })
    expect(rows).toHaveLength(100)
    expect(rows.every(({ level, state }) => level === LEVEL && state === 'served')).toBe(true)
    await vi.waitFor(() => {
      expect(desk.frame()?.levels.find(({ name }) => name === LEVEL)?.dispatched).toBe(100)
    }, 3_000)
    expect(Date.parse(desk.frame()?.at ?? '')).toBeGreaterThanOrEqual(from)
    expect(Date.parse(desk.frame()?.at ?? '')).toBeLessThan(from + 120_000)
    expect(desk.objects()).toMatchObject({ editing: { state: 'impossible' } })
  })

  test('says so when there is no such file', async () => {
    const path = join(desk.stateDir, 'none.log')
    await expect(
      desk.connect(FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-file', path, follow: false } })),
    ).rejects.toMatchObject({ message: expect.stringContaining('none.log') })
  })
})
