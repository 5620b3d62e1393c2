import type { FlowSchema, LimitedSpec, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { schemaOf } from '../config/builtIn.ts'
import type { CauseId } from '../contract/causes.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { User } from '../request/match.ts'
import { constant, exponential, lognormal, uniform, type Distribution } from '../simulate/random.ts'
import { dumpFrame, serverFrame } from '../simulate/serverFrame.ts'
import { createSimulation, type Simulation } from '../simulate/simulation.ts'
import type { Behaviour, ClientGroup, Workload } from '../simulate/workload.ts'
import { OBJECTS, SERVER, withLow, workloadOf } from '../twin/twin.fixture.ts'
import { MS_PER_SECOND, secondsToNs } from '../units.ts'
import { engineOptions } from '../whatif/variant.ts'
import type { Evidence, ServerEvidence } from './facts.ts'

/** A simulated situation: its cause, and the evidence of a source that observes it. */
export interface Specimen {
  readonly given: CauseId
  readonly what: string
  /** The same seed generates the same requests. */
  readonly evidence: (seed: number) => Evidence
}

const START_MS = Date.parse('2026-11-20T03:00:00Z')
const CHANGE = 120
const END = 180

interface Run {
  readonly groups?: readonly ClientGroup[]
  readonly objects?: ObjectSet
  readonly from?: number
  readonly until?: number
  readonly seats?: number
  readonly id?: string
  readonly stored?: Workload['objects']
  readonly service?: Partial<Workload['service']>
  /** The event at the moment of change. */
  readonly change?: (simulation: Simulation) => void
}

/** A page every two seconds, and a dump of requests every four. */
function run({
  groups = BASE,
  objects = OBJECTS,
  from = 0,
  until = END,
  seats = 120,
  id = 'server',
  stored = [],
  service,
  change,
  seed,
}: Run & { readonly seed: number }): ServerEvidence {
  const workload: Workload = { ...workloadOf(...groups), objects: stored }
  const simulation = createSimulation({
    ...engineOptions(
      { ...SERVER, maxRequestsInFlight: seats, maxMutatingRequestsInFlight: 0 },
      START_MS + from * MS_PER_SECOND,
      secondsToNs(until - from),
    ),
    seed,
    workload: { ...workload, service: { ...workload.service, ...service } },
    configuration: objects,
  })
  const frames: ServerFrame[] = []
  const dumps: DumpFrame[] = []
  for (let second = 0; second <= until - from; second += 2) {
    simulation.runTo(secondsToNs(second))
    if (second === CHANGE) change?.(simulation)
    frames.push(serverFrame(simulation.engine.snapshot(), { id, version: SERVER.version }))
    if (second % 4 === 0) dumps.push(dumpFrame(id, simulation.engine))
  }
  return { frames, dumps }
}

const evidence = (servers: readonly ServerEvidence[], more: Partial<Evidence> = {}): Evidence => ({
  servers,
  health: [],
  objects: OBJECTS,
  asOf: undefined,
  ...more,
})

const account = (name: string, namespace = 'batch'): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})
const person: User = { name: 'person-{i}', groups: ['system:authenticated'] }
const admin: User = { name: 'root', groups: ['system:masters', 'system:authenticated'] }

const get = (execution: Distribution, query = '') => [
  { method: 'GET', target: `/api/v1/namespaces/a/pods/x${query}`, weight: 1, execution },
]
const anywhere = (execution: Distribution) => [
  { method: 'GET', target: '/api/v1/namespaces/app-{n:20}/pods/x', weight: 1, execution },
]
const list = (execution: Distribution) => [{ method: 'GET', target: '/api/v1/pods', weight: 1, execution }]
const AFTER = { firstMs: CHANGE * MS_PER_SECOND, activeMs: 1e9, periodMs: 1e9 }
const BEFORE = { firstMs: 0, activeMs: CHANGE * MS_PER_SECOND, periodMs: 1e9 }

const group = (name: string, clients: number, user: User, behaviour: Behaviour): ClientGroup => ({
  name,
  clients,
  user,
  behaviour,
})
const open = (perSecond: number, calls: ReturnType<typeof get>, waves?: typeof AFTER): Behaviour => ({
  kind: 'open',
  arrivals: { kind: 'poisson', perSecond, ...(waves && { waves }) },
  calls,
  onRejection: 'next',
})
const threads = (count: number, calls: ReturnType<typeof get>, waves?: typeof AFTER) => ({
  kind: 'closed' as const,
  threads: count,
  think: exponential(20),
  calls,
  ...(waves && { waves }),
})

const QUICK = lognormal(200, 0.5)
/** Of a webhook, before and after it becomes slow. */
const WAITING_FOR = [QUICK, constant(3_000)]
const people = group('people', 5, person, open(1, get(QUICK)))
const controllers = group('controllers', 10, account('controller-{i}', 'kube-system'), open(1, get(QUICK)))
const tenants = group('tenants', 20, account('tenant-{i}'), open(1, get(QUICK)))
/** The permanent load: a few seats in three levels. */
const BASE = [people, controllers, tenants]
/** About 60 seats of workload-low, which owns 49 of 120, all the time, from many users. */
const STEADY = [people, controllers, group('steady', 60, account('steady-{i}'), open(2, get(lognormal(480, 0.4))))]

const withLevels = (objects: ObjectSet, change: (limited: LimitedSpec, name: string) => LimitedSpec): ObjectSet => ({
  ...objects,
  levels: objects.levels.map((level) =>
    level.spec.limited === undefined
      ? level
      : { ...level, spec: { ...level.spec, limited: change(level.spec.limited, level.metadata.name) } },
  ),
})
const withSchema = (schema: FlowSchema): ObjectSet => ({ ...OBJECTS, schemas: [...OBJECTS.schemas, schema] })
const schemaFor = (name: string, precedence: number, members: string, level: string): FlowSchema =>
  schemaOf({ name }, precedence, level, 'ByUser', {
    subjects: [{ kind: 'Group', group: { name: members } }],
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  })
const batchTo = (level: string): ObjectSet => withSchema(schemaFor('batch', 500, 'system:serviceaccounts:batch', level))
/** A schema for all leases in front of those of the system, and its level of a few seats. */
function nodesToSmall(): ObjectSet {
  const small = OBJECTS.levels.find(({ metadata }) => metadata.name === 'workload-low')
  if (small?.spec.limited === undefined) throw new Error('no level to copy')
  const limited = { ...small.spec.limited, nominalConcurrencyShares: 10, borrowingLimitPercent: 0 }
  const level = { metadata: { name: 'small' }, spec: { ...small.spec, limited } }
  const leases = schemaOf({ name: 'leases' }, 90, 'small', 'ByUser', {
    subjects: [{ kind: 'Group', group: { name: 'system:authenticated' } }],
    resourceRules: [
      {
        verbs: ['*'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        clusterScope: true,
        namespaces: ['*'],
      },
    ],
  })
  return { levels: [...OBJECTS.levels, level], schemas: [...OBJECTS.schemas, leases] }
}
const reject = (name: string): PriorityLevelConfiguration => ({
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: 4,
      lendablePercent: 0,
      borrowingLimitPercent: 0,
      limitResponse: { type: 'Reject' },
    },
  },
})
/** Dumps do not tell the groups of a person. */
const developer: User = { name: 'developer-{i}', groups: ['system:authenticated', 'developers'] }
const developersTo = (level: string, precedence = 500): ObjectSet => ({
  levels: [...OBJECTS.levels, reject('tiny')],
  schemas: [...OBJECTS.schemas, schemaFor('developers', precedence, 'developers', level)],
})
const leftovers = schemaFor('others', 600, 'system:authenticated', 'tiny')
const ownOthers = (): ObjectSet => ({
  levels: [...OBJECTS.levels, reject('tiny')],
  schemas: [...OBJECTS.schemas, schemaFor('controllers', 400, 'system:serviceaccounts', 'workload-low'), leftovers],
})
const ownDevelopers = (): ObjectSet => ({
  ...ownOthers(),
  schemas: [...ownOthers().schemas, schemaFor('developers', 500, 'developers', 'workload-low')],
})
const queues = (queueCount: number, handSize: number, queueLengthLimit: number): LimitedSpec['limitResponse'] => ({
  type: 'Queue',
  queuing: { queues: queueCount, handSize, queueLengthLimit },
})

const tiny = reject('tiny')
const withQueues: ObjectSet = {
  ...OBJECTS,
  levels: [
    ...OBJECTS.levels,
    { ...tiny, spec: { type: 'Limited', limited: { ...tiny.spec.limited, limitResponse: queues(16, 4, 50) } } },
  ],
}
const busyToTiny: ObjectSet = { levels: withQueues.levels, schemas: batchTo('tiny').schemas }

const nodesToLow = withSchema(schemaFor('edge-nodes', 350, 'system:nodes', 'workload-low'))
const beats = [
  {
    method: 'PUT',
    target: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n',
    weight: 1,
    execution: constant(5),
  },
]

const withoutItsLevel = withSchema(schemaFor('operators', 150, 'system:serviceaccounts:kube-system', 'operators'))
const soon = { ...AFTER, firstMs: (CHANGE - 25) * MS_PER_SECOND }
const forOthers = withLevels(OBJECTS, (limited, name) =>
  name === 'global-default' ? { ...limited, nominalConcurrencyShares: 1_500 } : limited,
)

const specimen = (given: CauseId, what: string, make: (seed: number) => Evidence): Specimen => ({
  given,
  what,
  evidence: make,
})
const one = (given: CauseId, what: string, situation: Run, more: Partial<Evidence> = {}): Specimen =>
  specimen(given, what, (seed) =>
    evidence([run({ ...situation, seed })], { ...(situation.objects && { objects: situation.objects }), ...more }),
  )

const hog = group('hog', 1, account('hog'), threads(300, get(lognormal(400, 0.3)), AFTER))
const WATCHED = [{ key: 'pods', count: 20_000, averageSize: 2_000 }]
const byNamespace: ObjectSet = {
  ...OBJECTS,
  schemas: OBJECTS.schemas.map((schema) =>
    schema.metadata.name === 'service-accounts'
      ? { ...schema, spec: { ...schema.spec, distinguisherMethod: { type: 'ByNamespace' } } }
      : schema,
  ),
}
const small = withLow({ nominalConcurrencyShares: 20, borrowingLimitPercent: 0 })

/** Two processes of one server, one after the other. */
const restarted = (seed: number, first: Run, second: Run): ServerEvidence => {
  const [a, b] = [
    run({ ...first, until: CHANGE, seed }),
    run({ ...second, from: CHANGE + 6, until: END, seed: seed + 1 }),
  ]
  return { frames: [...a.frames, ...b.frames], dumps: [...a.dumps, ...b.dumps] }
}
const informers = (count: number, first: number, last: number): ClientGroup =>
  group('informers', count, account('watcher-{i}'), {
    kind: 'informer',
    targets: ['/api/v1/pods'],
    start: uniform(first, last),
    watchLife: constant(20_000),
    relistChance: 0,
  })

export const SPECIMENS: readonly Specimen[] = [
  specimen('no-data', 'six seconds of pages', (seed) => evidence([run({ seed, until: 6 })])),
  specimen('stale-source', 'the last page is five minutes old', (seed) =>
    evidence([run({ seed, groups: [...BASE, hog] })], { asOf: START_MS + (END + 300) * MS_PER_SECOND }),
  ),
  specimen('clock-skew', 'the server is a minute ahead', (seed) =>
    evidence([run({ seed })], {
      health: [{ id: 'server', status: 'ok', failures: [], clockOffsetMs: 60_000 }],
    }),
  ),
  specimen('missing-metrics', 'a relabelling drops current limits and rejections', (seed) => {
    const { frames, dumps } = run({ seed, groups: [...BASE, hog] })
    const stripped = frames.map((frame) => ({
      ...frame,
      levels: frame.levels.map((level) => {
        const { rejected: _, ...others } = level
        return { ...others, limits: { nominal: level.limits.nominal } }
      }),
    }))
    return evidence([{ frames: stripped, dumps }])
  }),
  specimen('server-restarted', 'all clients list and watch anew', (seed) =>
    evidence([
      restarted(
        seed,
        {},
        {
          groups: [...BASE, informers(400, 0, 2_000)],
          service: { byVerb: { list: constant(9_000), watch: constant(20) } },
        },
      ),
    ]),
  ),
  one('recent-edit', 'an edit takes shares and borrowing from workload-low', {
    groups: STEADY,
    change: (simulation) => void simulation.configure(small),
  }),
  specimen('fewer-seats', 'a restart with half of the seats', (seed) =>
    evidence([restarted(seed, { groups: STEADY }, { groups: STEADY, seats: 60 })]),
  ),
  one('system-requests', 'a schema sends heartbeats of nodes to a small level', {
    groups: [
      ...BASE,
      group(
        'nodes',
        80,
        { name: 'system:node:node-{i}', groups: ['system:nodes', 'system:authenticated'] },
        open(1, [
          {
            method: 'PUT',
            target: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1',
            weight: 1,
            execution: QUICK,
          },
        ]),
      ),
    ],
    objects: nodesToSmall(),
  }),
  one('catch-all-traffic', 'a schema sends service accounts to catch-all', {
    groups: STEADY,
    objects: batchTo('catch-all'),
  }),
  one('dangling-schema', 'the level of a schema is missing', { groups: [...BASE, hog], objects: batchTo('batch') }),
  one('reject-level', 'a level of type Reject', {
    groups: STEADY,
    objects: withLow({ limitResponse: { type: 'Reject' } }),
  }),
  specimen('one-server', 'one of three servers has all clients', (seed) =>
    evidence([
      run({
        seed,
        id: 'a',
        groups: [...BASE, hog, group('crowd', 40, account('crowd-{i}'), open(4, get(lognormal(400, 0.3)), AFTER))],
      }),
      run({ id: 'b', seed: seed + 1 }),
      run({ id: 'c', seed: seed + 2 }),
    ]),
  ),
  one('short-deadlines', 'clients with timeout=4s', {
    groups: [
      people,
      controllers,
      group('steady', 60, account('steady-{i}'), open(4, get(lognormal(480, 0.4), '?timeout=4s'))),
    ],
  }),
  one('slow-reader', 'sixty reads that take 25 s', {
    groups: [...BASE, group('reader', 1, account('reader'), threads(90, get(constant(25_000)), AFTER))],
  }),
  one('watch-storm', 'hundreds of clients begin to watch', {
    groups: [...BASE, informers(400, CHANGE * 1_000, CHANGE * 1_000 + 5_000)],
    service: { byVerb: { list: constant(20), watch: constant(8_000) } },
  }),
  one('write-fan-out', 'writes with a thousand watchers', {
    groups: [
      ...BASE,
      group('informers', 1_000, account('watcher-{i}', 'kube-system'), {
        kind: 'informer',
        targets: ['/api/v1/pods'],
        start: uniform(0, 60_000),
        watchLife: constant(900_000),
        relistChance: 0,
      }),
      group(
        'writers',
        40,
        account('writer-{i}'),
        threads(
          10,
          [{ method: 'POST', target: '/api/v1/namespaces/a/pods', weight: 1, execution: constant(20) }],
          AFTER,
        ),
      ),
    ],
    service: { byVerb: { list: constant(20), watch: constant(20) } },
  }),
  one('wide-requests', 'lists of all pods by many users', {
    groups: [...BASE, group('listers', 20, account('lister-{i}'), threads(2, list(lognormal(900, 0.3))))],
    stored: WATCHED,
  }),
  one('slow-server', 'every request takes ten times as long', {
    groups: STEADY.map((given) => (given.name === 'steady' ? { ...given, clients: 20 } : given)),
    change: (simulation) => simulation.slow(10),
  }),
  one('slow-requests', 'requests of one schema take fifteen times as long', {
    groups: [
      people,
      controllers,
      group('fast', 40, account('worker-{i}'), open(1, get(QUICK), BEFORE)),
      group('slow', 40, account('worker-{i}'), open(1, get(constant(3_000)), AFTER)),
    ],
  }),
  one('shared-flow', 'a schema by namespace, one account of which floods', {
    groups: [...BASE, hog],
    objects: byNamespace,
  }),
  one('shared-queues', 'a level with four queues and hands of four', {
    groups: [...BASE, hog],
    objects: withLow({ limitResponse: queues(4, 4, 100) }),
  }),
  one('short-queues', 'queues of two requests', {
    groups: [people, controllers, group('steady', 60, account('steady-{i}'), open(2.3, get(lognormal(480, 0.4))))],
    objects: withLow({ limitResponse: queues(16, 2, 2) }),
  }),
  one('one-flow', 'one account sends with 300 threads', { groups: [...BASE, hog] }),
  one('server-full', 'three levels want twice the server', {
    groups: [
      group('people', 60, person, open(2, get(lognormal(600, 0.4)))),
      group('controllers', 60, account('controller-{i}', 'kube-system'), open(2, anywhere(lognormal(600, 0.4)))),
      group('tenants', 60, account('tenant-{i}'), open(2, get(lognormal(600, 0.4)))),
    ],
    objects: withLevels(OBJECTS, (limited) => ({ ...limited, lendablePercent: 90 })),
  }),
  one('lender-squeezed', 'a level that lent its seats has a burst', {
    until: 160,
    groups: [
      people,
      group('controllers', 10, account('controller-{i}', 'kube-system'), {
        kind: 'open',
        arrivals: { kind: 'bursts', waves: { firstMs: 150_000, periodMs: 1e9 }, count: 20, spreadMs: 6_000 },
        calls: anywhere(lognormal(400, 0.3)),
      }),
      group('tenants', 60, account('tenant-{i}'), threads(1, get(lognormal(400, 0.3)))),
    ],
    objects: withLevels(OBJECTS, (limited, name) => ({
      ...limited,
      lendablePercent: name === 'workload-high' ? 90 : 50,
    })),
  }),
  one('borrowing-capped', 'a level that may not borrow', {
    groups: STEADY,
    objects: withLow({ borrowingLimitPercent: 0 }),
  }),
  one('lingering-demand', 'a surge of another level ended ten seconds ago', {
    until: CHANGE + 24,
    groups: [
      people,
      group(
        'surge',
        26,
        account('surge-{i}', 'kube-system'),
        threads(2, anywhere(lognormal(400, 0.3)), { ...BEFORE, activeMs: 110_000 }),
      ),
      tenants,
      group('later', 60, account('later-{i}'), open(4.5, get(QUICK), AFTER)),
    ],
  }),
  one('nothing-to-borrow', 'other levels lend nothing', {
    groups: STEADY,
    objects: withLevels(OBJECTS, (limited) => ({ ...limited, lendablePercent: 0 })),
  }),
  one('brief-burst', '400 requests at once', {
    groups: [
      ...BASE,
      group('burst', 40, account('burst-{i}'), {
        kind: 'open',
        arrivals: { kind: 'bursts', waves: { firstMs: 150_000, periodMs: 1e9 }, count: 12, spreadMs: 500 },
        calls: get(QUICK),
      }),
    ],
  }),
  one('more-requests', 'eight times as many requests of many accounts', {
    groups: [...BASE, group('crowd', 60, account('crowd-{i}'), open(8, get(QUICK), AFTER))],
  }),
  one('exempt-traffic', 'an administrator’s script sends with 300 threads', {
    groups: [...BASE, group('script', 1, admin, threads(300, get(lognormal(200, 0.3)), AFTER))],
    service: {
      capacity: [
        { seats: 60, slowdown: 1 },
        { seats: 300, slowdown: 12 },
      ],
    },
  }),
  specimen('overload', 'a flood, seen without dumps and without a past', (seed) => {
    const { frames } = run({ seed, groups: [...BASE, { ...hog, behaviour: threads(300, get(lognormal(400, 0.3))) }] })
    return evidence([{ frames: frames.slice(-20), dumps: [] }], { objects: undefined })
  }),
  one('client-throttling', 'a client that limits itself to 20 /s', {
    groups: [
      people,
      group('throttled', 1, account('throttled'), {
        kind: 'open',
        arrivals: { kind: 'regular', periodMs: 50, jitter: 0 },
        calls: get(QUICK),
      }),
    ],
  }),
  one('nothing-waits', 'a calm server', {}),
]

/** Situations that first resemble another cause, observed on real servers. */
export const NEIGHBOURS: readonly (Specimen & { readonly looksLike: CauseId })[] = [
  {
    ...one('one-flow', 'an account begins to send, whose requests take longer than those of the others', {
      groups: [
        people,
        controllers,
        group('tenants', 20, account('tenant-{i}'), open(0.5, get(lognormal(5, 0.5)))),
        group('hog', 1, account('hog'), threads(150, get(lognormal(800, 0.3)), AFTER)),
      ],
    }),
    looksLike: 'slow-requests',
  },
  {
    ...one('slow-requests', 'requests of a level take 15 times as long, most of which are of one account', {
      groups: [
        people,
        controllers,
        ...([BEFORE, AFTER] as const).flatMap((waves, i) => [
          group(`tenants-${i}`, 20, account('tenant-{i}'), open(1, get(WAITING_FOR[i] ?? QUICK), waves)),
          group(`frontend-${i}`, 1, account('frontend'), {
            ...threads(100, get(WAITING_FOR[i] ?? QUICK), waves),
            think: exponential(1_000),
          }),
        ]),
      ],
    }),
    looksLike: 'one-flow',
  },
  {
    ...one('slow-requests', 'requests of all accounts but one take 15 times as long, of which one has most threads', {
      groups: [
        people,
        controllers,
        ...([BEFORE, AFTER] as const).flatMap((waves, i) => {
          const calls = get(i === 0 ? lognormal(90, 0.5) : constant(1_500))
          return [
            group(`frontend-${i}`, 1, account('frontend'), { ...threads(80, calls, waves), think: exponential(900) }),
            group(`orders-${i}`, 1, account('orders'), open(6, calls, waves)),
            group(`cart-${i}`, 1, account('cart'), open(3.5, calls, waves)),
            group(`invoicer-${i}`, 1, account('invoicer'), open(2.8, calls, waves)),
          ]
        }),
        group('sync', 1, account('sync'), open(6, get(lognormal(90, 0.5)))),
      ],
    }),
    looksLike: 'one-flow',
  },
  {
    ...one('one-flow', 'a flood fills its queues, and those of an account beside it have timeout=1s', {
      groups: [
        ...BASE,
        group('hog', 1, account('hog'), threads(1_000, get(lognormal(100, 0.3)), AFTER)),
        group('hasty', 1, account('hasty'), threads(150, get(lognormal(100, 0.3), '?timeout=1s'), AFTER)),
      ],
    }),
    looksLike: 'short-deadlines',
  },
  {
    ...one('one-flow', 'a flood, and an account beside it with 40 requests that take 9 s each', {
      groups: [
        ...BASE,
        group('hog', 1, account('hog'), threads(280, get(lognormal(800, 0.3)), AFTER)),
        group('trainer', 1, account('trainer'), threads(40, get(constant(9_000)), AFTER)),
      ],
    }),
    looksLike: 'slow-reader',
  },
  {
    ...one('slow-server', 'an account drops the limit of its lists, none of which waits, and the machine is busy', {
      groups: [
        people,
        controllers,
        group('tenants', 20, account('tenant-{i}'), open(0.3, get(QUICK))),
        group('scanner', 1, account('scanner'), threads(1, get(QUICK), BEFORE)),
        group('scans', 1, account('scanner'), threads(2, list(lognormal(300, 0.3)), AFTER)),
      ],
      stored: [{ key: 'pods', count: 20_000, averageSize: 2_000 }],
      service: {
        capacity: [
          { seats: 12, slowdown: 1 },
          { seats: 25, slowdown: 3.5 },
        ],
      },
    }),
    looksLike: 'nothing-waits',
  },
  {
    ...one(
      'one-flow',
      'a flood in a level to which a schema has long sent heartbeats of nodes',
      {
        groups: [
          ...BASE,
          hog,
          group(
            'nodes',
            12,
            { name: 'system:node:n-{i}', groups: ['system:nodes', 'system:authenticated'] },
            open(0.3, beats),
          ),
        ],
        objects: nodesToLow,
      },
      { objects: nodesToLow },
    ),
    looksLike: 'system-requests',
  },
  {
    ...one('one-flow', 'an account begins to send with 60 threads to a small server', {
      groups: [
        group('people', 2, person, open(1, get(lognormal(20, 0.5)))),
        group('tenants', 3, account('tenant-{i}'), open(4, get(lognormal(90, 0.5)))),
        group('hog', 1, account('hog'), threads(60, get(lognormal(700, 0.3)), AFTER)),
      ],
      seats: 40,
    }),
    looksLike: 'slow-requests',
  },
  {
    ...one('one-flow', 'a flood that begins as every request takes nine times as long', {
      groups: [...STEADY.map((given) => (given.name === 'steady' ? { ...given, clients: 20 } : given)), hog],
      change: (simulation) => simulation.slow(9),
    }),
    looksLike: 'slow-server',
  },
  {
    ...one('reject-level', 'a level of type Reject that one account fills', {
      groups: [...BASE, { ...hog, behaviour: threads(90, get(lognormal(900, 0.3)), AFTER) }],
      objects: withLow({ limitResponse: { type: 'Reject' } }),
    }),
    looksLike: 'overload',
  },
  {
    ...one('slow-requests', 'requests of a level take 15 times as long, beside a flood of another level', {
      groups: [
        controllers,
        people,
        ...([BEFORE, AFTER] as const).map((waves, i) =>
          group(`tenants-${i}`, 60, account('tenant-{i}'), open(1, get(WAITING_FOR[i] ?? QUICK), waves)),
        ),
        group('export', 1, { ...person, name: 'export' }, threads(60, get(lognormal(600, 0.3)), AFTER)),
      ],
    }),
    looksLike: 'borrowing-capped',
  },
  {
    ...one('slow-server', 'a level that rejects all the time, and then every request takes ten times as long', {
      groups: [...BASE, group('busy', 40, account('busy-{i}'), open(12, get(QUICK)))],
      change: (simulation) => simulation.slow(10),
    }),
    looksLike: 'nothing-to-borrow',
  },
  {
    ...one(
      'one-flow',
      'a flood, and a schema without a level that would take none of its requests',
      { groups: [...BASE, hog], objects: withoutItsLevel },
      { objects: withoutItsLevel },
    ),
    looksLike: 'dangling-schema',
  },
  {
    ...one(
      'one-flow',
      'a flood, and an edit for its level that takes the seats of another',
      {
        groups: [
          controllers,
          group('steady', 30, account('steady-{i}'), threads(1, get(lognormal(480, 0.4)))),
          group('export', 1, { ...person, name: 'export' }, threads(200, get(lognormal(600, 0.3)), soon)),
        ],
        change: (simulation) => void simulation.configure(forOthers),
      },
      {
        objects: forOthers,
        history: [
          { at: START_MS, objects: OBJECTS },
          { at: START_MS + CHANGE * MS_PER_SECOND, objects: forOthers },
        ],
      },
    ),
    looksLike: 'server-full',
  },
  {
    ...one('one-flow', 'an account that floods for 12 s of every 40 s', {
      groups: [
        ...BASE,
        group(
          'hog',
          1,
          account('hog'),
          threads(150, get(lognormal(700, 0.5)), { firstMs: 0, activeMs: 12_000, periodMs: 40_000 }),
        ),
      ],
    }),
    looksLike: 'brief-burst',
  },
  {
    ...one('nothing-waits', 'a few clients that pause for about as long between their requests', {
      groups: [
        people,
        group('loops', 5, account('loop-{i}'), {
          kind: 'closed',
          threads: 1,
          think: uniform(150, 450),
          calls: get(constant(5)),
        }),
      ],
    }),
    looksLike: 'client-throttling',
  },
  {
    ...one('slow-reader', 'narrow requests that take 25 s, in a level that hardly anything else uses', {
      groups: [
        people,
        controllers,
        group('reader', 1, account('reader'), threads(80, get(constant(25_000)))),
        group('retry', 1, account('reader'), threads(80, get(constant(25_000)), AFTER)),
      ],
    }),
    looksLike: 'overload',
  },
  {
    ...specimen('one-flow', 'an account that floods from the start of a restarted server on', (seed) =>
      evidence([
        restarted(seed, {}, { groups: [...BASE, { ...hog, behaviour: threads(300, get(lognormal(400, 0.3))) }] }),
      ]),
    ),
    looksLike: 'server-restarted',
  },
  {
    ...one('wide-requests', 'wide lists beside more writes that notify some watchers each', {
      groups: [
        people,
        controllers,
        group('listers', 20, account('lister-{i}'), threads(2, list(lognormal(900, 0.3)))),
        group('informers', 60, account('watcher-{i}', 'kube-system'), {
          kind: 'informer',
          targets: ['/api/v1/pods'],
          start: uniform(0, 10_000),
          watchLife: constant(900_000),
          relistChance: 0,
        }),
        group(
          'writers',
          10,
          account('writer-{i}'),
          open(4, [{ method: 'POST', target: '/api/v1/namespaces/a/pods', weight: 1, execution: constant(20) }]),
        ),
      ],
      stored: WATCHED,
    }),
    looksLike: 'write-fan-out',
  },
  {
    ...one('one-flow', 'a flood whose level is made smaller half a minute after it began', {
      groups: [
        ...BASE,
        { ...hog, behaviour: threads(300, get(lognormal(400, 0.3)), { ...AFTER, firstMs: (CHANGE - 28) * 1_000 }) },
      ],
      change: (simulation) => void simulation.configure(small),
    }),
    looksLike: 'recent-edit',
  },
  ...[
    { what: 'a new schema sends a group to a level of two seats', before: OBJECTS, after: developersTo('tiny') },
    {
      what: 'a schema that sends a group to a level of two seats is put in front of another',
      before: developersTo('tiny', 9_999),
      after: developersTo('tiny'),
    },
    { what: 'a deleted schema leaves a group to a level of two seats', before: ownDevelopers(), after: ownOthers() },
  ].map(({ what, before, after }) => ({
    ...one(
      'recent-edit',
      what,
      {
        groups: [controllers, group('developers', 40, developer, open(1, get(QUICK)))],
        objects: before,
        change: (simulation) => void simulation.configure(after),
      },
      {
        objects: after,
        history: [
          { at: START_MS, objects: before },
          { at: START_MS + CHANGE * MS_PER_SECOND, objects: after },
        ],
      },
    ),
    looksLike: 'reject-level' as const,
  })),
  {
    ...one(
      'recent-edit',
      'a schema sends three busy accounts to a level of two seats, where they wait',
      {
        groups: [
          controllers,
          ...[4, 4, 6].map((count, i) =>
            group(`busy-${i}`, 1, account(`busy-${i}`), threads(count, get(lognormal(150, 0.3)))),
          ),
        ],
        objects: withQueues,
        change: (simulation) => void simulation.configure(busyToTiny),
      },
      {
        objects: busyToTiny,
        history: [
          { at: START_MS, objects: withQueues },
          { at: START_MS + CHANGE * MS_PER_SECOND, objects: busyToTiny },
        ],
      },
    ),
    looksLike: 'one-flow',
  },
  {
    ...one(
      'recent-edit',
      'an edit puts all accounts of a namespace into one flow, beside one that floods',
      {
        groups: [...BASE, { ...hog, behaviour: threads(300, get(lognormal(400, 0.3))) }],
        change: (simulation) => void simulation.configure(byNamespace),
      },
      {
        objects: byNamespace,
        history: [
          { at: START_MS, objects: OBJECTS },
          { at: START_MS + CHANGE * MS_PER_SECOND, objects: byNamespace },
        ],
      },
    ),
    looksLike: 'shared-flow',
  },
]
