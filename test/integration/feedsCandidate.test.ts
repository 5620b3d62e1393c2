import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { FeedSpecSchema, type FeedSpec, type LiveRequest, type CandidateWish } from '../../core/contract/live.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { openLiveConsole, smallServer, type LiveConsole, type SmallServer } from '../harness/live.ts'

const LEVEL = 'global-default'
const FROM = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const PODS = '/api/v1/namespaces/default/pods'

type Objects = Extract<CandidateWish, { on: true }>['objects']

interface Said {
  readonly id: string
  readonly atMs: number
  readonly lastedMs?: number
  readonly verb?: string
  readonly uri?: string
  readonly user?: string
  readonly stage?: string
}
const event = ({
  id,
  atMs,
  lastedMs = 400,
  verb = 'get',
  uri = `${PODS}/one`,
  user = 'alice',
  stage = 'ResponseComplete',
}: Said): string =>
  `${JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: id,
    stage,
    requestURI: uri,
    verb,
    user: user === '' ? {} : { username: user, groups: ['system:authenticated'] },
    responseStatus: { code: user === '' ? 401 : 200 },
    requestReceivedTimestamp: new Date(FROM + atMs).toISOString(),
    stageTimestamp: new Date(FROM + atMs + lastedMs).toISOString(),
  })}\n`
/** Advances the time, and is no request of the engine: its user was unknown to the server. */
const later = (atMs: number): string => event({ id: `later ${atMs}`, atMs, user: '' })

let desk: LiveConsole
let path = ''
beforeEach(async () => {
  desk = await openLiveConsole('feed')
  path = join(desk.stateDir, 'audit.log')
  await writeFile(path, '')
})
afterEach(() => desk.close())

const follow = async (more: Partial<FeedSpec> = {}): Promise<void> => {
  await desk.connect(FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-file', path }, ...more }))
  await vi.waitFor(() => expect(desk.objects()?.state).toBe('current'), 5_000)
}
/** The objects of the engine, but with one seat, and room for one waiting request, for ordinary users. */
const narrow = (): Objects => {
  const { levels = [], schemas = [] } = desk.objects()?.objects ?? {}
  const limited = {
    nominalConcurrencyShares: 1,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
  }
  return {
    levels: levels.map((one) => (one.metadata.name === LEVEL ? { ...one, spec: { type: 'Limited', limited } } : one)),
    schemas,
  }
}
const candidate = (objects: Objects) => desk.client.call('live.candidate', { wish: { on: true, objects } })
const placed = (): readonly LiveRequest[] => [...desk.rows.values()].filter(({ level }) => level !== '')

describe('a draft beside a feed', () => {
  test('says of each request what it would have made of it, and begins anew when time makes a leap', async () => {
    await follow({ maxRequestsInFlight: 200, maxMutatingRequestsInFlight: 0 })
    const begun = await candidate(narrow())
    expect(begun.candidate).toMatchObject({ a: { arrived: 0 }, b: { arrived: 0 }, different: 0 })
    const five = Array.from({ length: 5 }, (_, i) => event({ id: `first ${i}`, atMs: i }))
    await appendFile(path, `${five.join('')}${later(20_000)}`)
    await vi.waitFor(
      () =>
        expect(placed().map(({ state, candidate: beside }) => [state, beside?.state, beside?.reason])).toEqual([
          ['served', 'served', undefined],
          ['served', 'served', undefined],
          ['served', 'rejected', 'queue-full'],
          ['served', 'rejected', 'queue-full'],
          ['served', 'rejected', 'queue-full'],
        ]),
      5_000,
    )
    await vi.waitFor(() => {
      expect(desk.state()?.candidate).toMatchObject({
        a: { arrived: 5, rejected: 0, executingSeats: 0, queued: 0 },
        b: { arrived: 5, rejected: 3, executingSeats: 0, queued: 0 },
        different: 3,
      })
    }, 5_000)
    // The one that waited in the draft had waited for the first one's 400 ms.
    expect(desk.state()?.candidate?.b.waitP99[LEVEL]).toBeGreaterThan(300)
    expect(desk.state()?.candidate?.a.waitP99[LEVEL]).toBe(0)

    const afterLeap = [0, 1, 2].map((i) => event({ id: `then ${i}`, atMs: 10 * HOUR_MS + i, lastedMs: 50 }))
    await appendFile(path, `${afterLeap.join('')}${later(10 * HOUR_MS + 20_000)}`)
    await vi.waitFor(
      () =>
        expect(
          placed()
            .slice(5)
            .map(({ at, state, candidate: beside }) => [at - FROM - 10 * HOUR_MS, state, beside?.state, beside?.level]),
        ).toEqual([
          [0, 'served', 'served', LEVEL],
          [1, 'served', 'served', LEVEL],
          [2, 'served', 'rejected', LEVEL],
        ]),
      5_000,
    )
    // Both engines are new, so earlier counts are gone.
    await vi.waitFor(() => {
      expect(desk.state()?.candidate).toMatchObject({
        a: { arrived: 3, rejected: 0 },
        b: { arrived: 3, rejected: 1 },
        different: 1,
      })
    }, 5_000)

    const ended = await desk.client.call('live.candidate', { wish: { on: false } })
    expect(ended.candidate).toBeUndefined()
    await appendFile(path, `${event({ id: 'alone', atMs: 10 * HOUR_MS + 30_000 })}${later(10 * HOUR_MS + 50_000)}`)
    await vi.waitFor(() => expect(placed().at(-1)).toMatchObject({ state: 'served', at: FROM + 10 * HOUR_MS + 30_000 }))
    expect(placed().at(-1)?.candidate).toBeUndefined()
  })

  test('must be one that a server would take', async () => {
    await follow()
    const { levels, schemas } = narrow()
    const wrong = levels.map((one) => (one.metadata.name === LEVEL ? { ...one, spec: { type: 'Limited' } } : one))
    await expect(
      desk.client.call('live.candidate', { wish: { on: true, objects: { levels: wrong, schemas } } }),
    ).rejects.toMatchObject({ problem: { code: 'invalid-input' }, message: expect.stringContaining(LEVEL) })
  })
})

describe('the server beside a feed', () => {
  let server: SmallServer
  let metrics: string | undefined
  beforeEach(async () => {
    metrics = undefined
    server = await smallServer(({ url }, response) => {
      const page = url === '/metrics' ? metrics : undefined
      if (page === undefined) response.statusCode = 403
      response.end(page ?? 'forbidden')
    })
  })
  afterEach(() => server.close())

  const cluster = async (): Promise<NonNullable<FeedSpec['cluster']>> => {
    const file = join(desk.stateDir, 'kubeconfig')
    const config = {
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: server.url } }],
      users: [{ name: 'u', user: { token: 'own-token' } }],
    }
    await writeFile(file, JSON.stringify(config))
    return { file }
  }
  const limits = (): string => desk.state()?.limits.join(' ') ?? ''
  const connect = async (): Promise<void> => {
    await desk.connect(
      FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-file', path }, cluster: await cluster() }),
    )
  }

  test('tells how wide lists and changes are, in the first engine as in the second, for as long as the feed goes on', async () => {
    metrics = `
# TYPE apiserver_resource_objects gauge
apiserver_resource_objects{group="",resource="pods"} 600
apiserver_resource_objects{group="",resource="nodes"} 3
# TYPE apiserver_resource_size_estimate_bytes gauge
apiserver_resource_size_estimate_bytes{group="",resource="pods"} 600000
# TYPE apiserver_longrunning_requests gauge
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 34
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="WATCH",version="v1"} 50
`
    await connect()
    await vi.waitFor(() => expect(limits()).toContain('Watch counts come from the last scrape'), 5_000)
    // Classify estimates with the same.
    expect(await desk.client.call('sources.facts', { server: 'feed' })).toEqual({
      objects: { pods: { count: 600, averageSize: 1_000 }, nodes: { count: 3 } },
      watches: { pods: 31 },
    })
    await candidate(ObjectSetSchema.parse(builtInObjects(NEWEST_VERSION)))
    const at = [1_000, 200_000, 400_000]
    const lines = at.flatMap((atMs) => [
      event({ id: `list ${atMs}`, atMs, verb: 'list', uri: '/api/v1/pods' }),
      event({ id: `create ${atMs}`, atMs, verb: 'create', uri: PODS }),
    ])
    const goesOn = event({
      id: 'goes on',
      atMs: 410_000,
      lastedMs: 0,
      verb: 'list',
      uri: '/api/v1/pods',
      stage: 'RequestReceived',
    })
    await appendFile(path, `${lines.join('')}${goesOn}${later(420_000)}`)
    await vi.waitFor(() => expect(placed()).toHaveLength(7), 5_000)
    const seatsOf = (verb: string) =>
      placed()
        .filter((row) => row.verb === verb)
        .map(({ seats }) => [seats.initial, seats.final])
    expect(seatsOf('list')).toEqual(Array.from({ length: 4 }, () => [6, 0]))
    expect(seatsOf('create')).toEqual(Array.from({ length: 3 }, () => [1, 4]))
    // Of the second engine only seats together are shown.
    await vi.waitFor(
      () => expect(desk.state()?.candidate).toMatchObject({ a: { executingSeats: 6 }, b: { executingSeats: 6 } }),
      5_000,
    )
  })

  test('that does not tell is named, with what follows from it', async () => {
    await connect()
    await vi.waitFor(() => expect(limits()).toMatch(/Object counts and watches cannot be read.*(403|forbid)/i), 5_000)
    expect(limits()).toContain('every list counts as one seat')
    expect(await desk.client.call('sources.facts', { server: 'feed' })).toBeNull()
  })
})
