import { schemaOf } from '../../../core/config/builtIn.ts'
import type { LimitedSpec, ObjectMeta, ObjectSet } from '../../../core/config/objects.ts'
import type { CauseId } from '../../../core/contract/causes.ts'
import type { User } from '../../../core/request/match.ts'
import {
  constant,
  exponential,
  lognormal,
  uniform,
  type Distribution,
  type Random,
} from '../../../core/simulate/random.ts'
import type { Behaviour, CallKind, ClientGroup, ServiceModel, Workload } from '../../../core/simulate/workload.ts'
import { MS_PER_SECOND } from '../../../core/units.ts'

/** What a part of an incident is drawn from. */
export interface Draw {
  readonly random: Random
  /** Of the server before anything happens. */
  readonly seats: number
  /** Seats that the tenants of workload-low use all the time, as a fraction of its own. */
  readonly steady: number
  /** When the part begins; seconds after the start of the server. */
  readonly at: number
  /** A name that no other part has. */
  readonly name: string
}

/** One thing that happens: a cause, or a change that does no harm. */
export interface Part {
  readonly kind: string
  /** What a diagnosis may call it. */
  readonly accepted: readonly CauseId[]
  /** The client, object or flag that it is to name. */
  readonly culprit: string
  /** Where its requests, or those that suffer, wait; none where nothing waits. */
  readonly level: string | undefined
  readonly groups?: (windowOf: WindowOf) => readonly ClientGroup[]
  /** From the start. */
  readonly objects?: (objects: ObjectSet) => ObjectSet
  readonly edit?: { readonly at: number; readonly change: (objects: ObjectSet) => ObjectSet }
  readonly restart?: { readonly at: number; readonly seats: number }
  readonly slow?: { readonly at: number; readonly factor: number }
  readonly service?: Partial<ServiceModel>
  readonly stored?: Workload['objects']
}

/** The waves of a group that is active between two instants of the server’s clock. */
export type WindowOf = (from: number, to?: number) => { firstMs: number; activeMs: number; periodMs: number }

const FOREVER_MS = 1e9
/** For a simulation that begins at `start`, seconds. A window that was over before is in the far future. */
export const windowsFrom =
  (start: number): WindowOf =>
  (from, to = FOREVER_MS / MS_PER_SECOND) => ({
    firstMs: to <= start ? FOREVER_MS : Math.max(0, from - start) * MS_PER_SECOND,
    activeMs: Math.max(1, to - Math.max(from, start)) * MS_PER_SECOND,
    periodMs: FOREVER_MS,
  })

const NOMINAL_LOW = 100 / 245

export const between = ({ random }: Pick<Draw, 'random'>, from: number, to: number): number =>
  from + (to - from) * random()
export const whole = (given: Pick<Draw, 'random'>, from: number, to: number): number =>
  Math.floor(between(given, from, to + 1))

const account = (name: string, namespace = 'batch'): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})
const person = (name: string): User => ({ name, groups: ['system:authenticated'] })

const get = (execution: Distribution, query = ''): readonly CallKind[] => [
  { method: 'GET', target: `/api/v1/namespaces/a/pods/x${query}`, weight: 1, execution },
]
const anywhere = (execution: Distribution): readonly CallKind[] => [
  { method: 'GET', target: '/api/v1/namespaces/app-{n:20}/pods/x', weight: 1, execution },
]
const group = (name: string, clients: number, user: User, behaviour: Behaviour): ClientGroup => ({
  name,
  clients,
  user,
  behaviour,
})
const poisson = (perSecond: number, calls: readonly CallKind[], waves?: ReturnType<WindowOf>): Behaviour => ({
  kind: 'open',
  arrivals: { kind: 'poisson', perSecond, ...(waves && { waves }) },
  calls,
  onRejection: 'next',
})
const threads = (count: number, calls: readonly CallKind[], waves?: ReturnType<WindowOf>): Behaviour => ({
  kind: 'closed',
  threads: Math.ceil(count),
  think: exponential(20),
  calls,
  ...(waves && { waves }),
})

const QUICK_MS = 200
const quick = lognormal(QUICK_MS, 0.5)
/** Mean of {@link quick}, seconds. */
const QUICK_SECONDS = (QUICK_MS / MS_PER_SECOND) * Math.exp(0.5 ** 2 / 2)

/** People, controllers, and tenants that use a steady part of workload-low. */
export function everyday(draw: Draw): readonly ClientGroup[] {
  const tenants = whole(draw, 8, 25)
  const perSecond = (draw.steady * NOMINAL_LOW * draw.seats) / QUICK_SECONDS / tenants
  return [
    group('people', 5, person('person-{i}'), poisson(between(draw, 0.3, 1), get(quick))),
    group('controllers', 10, account('controller-{i}', 'kube-system'), poisson(between(draw, 0.3, 1), get(quick))),
    group('tenants', tenants, account('tenant-{i}'), poisson(perSecond, get(quick))),
  ]
}

const edited = (metadata: ObjectMeta, manager: string, time: string): ObjectMeta => ({
  ...metadata,
  managedFields: [...(metadata.managedFields ?? []), { manager, operation: 'Apply', time }],
})
const changedLevel =
  (name: string, manager: string, change: (limited: LimitedSpec) => LimitedSpec) =>
  ({ levels, schemas }: ObjectSet): ObjectSet => ({
    schemas,
    levels: levels.map((level) =>
      level.metadata.name === name && level.spec.limited !== undefined
        ? {
            ...level,
            metadata: edited(level.metadata, manager, ''),
            spec: { ...level.spec, limited: change(level.spec.limited) },
          }
        : level,
    ),
  })
const newSchema = (
  name: string,
  precedence: number,
  level: string,
  subjects: readonly { kind: 'Group' | 'User'; name: string }[],
  by: 'ByUser' | 'ByNamespace' = 'ByUser',
) =>
  schemaOf(edited({ name }, 'gitops', ''), precedence, level, by, {
    subjects: subjects.map(({ kind, name: subject }) =>
      kind === 'Group' ? { kind, group: { name: subject } } : { kind, user: { name: subject } },
    ),
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  })
const smallLevel = (
  name: string,
  shares: number,
  queuing: { queues: number; handSize: number; queueLengthLimit: number },
) => ({
  metadata: { name },
  spec: {
    type: 'Limited' as const,
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: 0,
      borrowingLimitPercent: 0,
      limitResponse: { type: 'Queue' as const, queuing },
    },
  },
})
const plus =
  (more: Partial<ObjectSet>) =>
  ({ levels, schemas }: ObjectSet): ObjectSet => ({
    levels: [...levels, ...(more.levels ?? [])],
    schemas: [...schemas, ...(more.schemas ?? [])],
  })

/** Where a client sends to: workload-low, workload-high or global-default. */
const PLACES = [
  { level: 'workload-low', who: (name: string) => account(name), calls: get },
  { level: 'workload-high', who: (name: string) => account(name, 'kube-system'), calls: anywhere },
  { level: 'global-default', who: (name: string) => person(name), calls: get },
] as const
const placeOf = (draw: Draw): (typeof PLACES)[number] => PLACES[whole(draw, 0, PLACES.length - 1)] ?? PLACES[0]

/** Of a flood: more than the seats that its level can get, and few enough for its queues, so that it waits and is not rejected. */
const MOST_THREADS = 280
const threadsOf = (draw: Draw): number => Math.min(MOST_THREADS, draw.seats * between(draw, 1.5, 3))

const flood = (draw: Draw): Part => {
  const { level, who, calls } = placeOf(draw)
  const [count, median] = [threadsOf(draw), between(draw, 200, 900)]
  return {
    kind: 'flood',
    accepted: ['one-flow'],
    culprit: draw.name,
    level,
    groups: (windowOf) => [
      group(draw.name, 1, who(draw.name), threads(count, calls(lognormal(median, 0.3)), windowOf(draw.at))),
    ],
  }
}

const heldSeats = (draw: Draw): Part => {
  const [count, ms] = [draw.seats * between(draw, 1, 1.6), between(draw, 15_000, 40_000)]
  return {
    kind: 'held seats',
    accepted: ['slow-reader'],
    culprit: draw.name,
    level: 'workload-low',
    groups: (windowOf) => [
      group(draw.name, 1, account(draw.name), threads(count, get(constant(ms)), windowOf(draw.at))),
    ],
  }
}

const wideLists = (draw: Draw): Part => {
  const [count, median] = [draw.seats * between(draw, 0.25, 0.5), between(draw, 500, 1_500)]
  return {
    kind: 'wide lists',
    accepted: ['wide-requests'],
    culprit: draw.name,
    level: 'workload-low',
    stored: [{ key: 'pods', count: 20_000, averageSize: 2_000 }],
    groups: (windowOf) => [
      group(
        draw.name,
        1,
        account(draw.name),
        threads(
          count,
          [{ method: 'GET', target: '/api/v1/pods', weight: 1, execution: lognormal(median, 0.3) }],
          windowOf(draw.at),
        ),
      ),
    ],
  }
}

const watchStorm = (draw: Draw): Part => {
  const count = Math.min(2 * MOST_THREADS, draw.seats * between(draw, 2.5, 5))
  return {
    kind: 'watch storm',
    accepted: ['watch-storm'],
    culprit: draw.name,
    level: 'workload-low',
    service: { byVerb: { list: constant(20), watch: constant(between(draw, 5_000, 10_000)) } },
    groups: (windowOf) => {
      const { firstMs } = windowOf(draw.at)
      return [
        group(draw.name, Math.ceil(count), account(draw.name), {
          kind: 'informer',
          targets: ['/api/v1/pods'],
          start: uniform(firstMs, firstMs + 5_000),
          watchLife: constant(20_000),
          relistChance: 0,
        }),
      ]
    },
  }
}

const sharesLowered = (draw: Draw): Part => ({
  kind: 'shares lowered',
  accepted: ['recent-edit'],
  culprit: 'workload-low',
  level: 'workload-low',
  edit: {
    at: draw.at,
    change: changedLevel('workload-low', 'cost-optimizer', (limited) => ({
      ...limited,
      nominalConcurrencyShares: Math.max(2, Math.floor(60 * draw.steady)),
      borrowingLimitPercent: 0,
    })),
  },
})

const strangersCaught = (draw: Draw): Part => ({
  kind: 'schema catches strangers',
  accepted: ['recent-edit'],
  culprit: draw.name,
  level: 'ingest',
  objects: plus({
    levels: [
      smallLevel('ingest', Math.max(2, Math.floor(40 * draw.steady)), {
        queues: 32,
        handSize: 4,
        queueLengthLimit: 50,
      }),
    ],
  }),
  edit: {
    at: draw.at,
    change: plus({
      schemas: [newSchema(draw.name, 600, 'ingest', [{ kind: 'Group', name: 'system:serviceaccounts:batch' }])],
    }),
  },
})

const fewerSeats = (draw: Draw): Part => ({
  kind: 'restart with fewer seats',
  accepted: ['fewer-seats'],
  culprit: 'seats',
  level: 'workload-low',
  restart: { at: draw.at, seats: Math.max(8, Math.floor(draw.seats * NOMINAL_LOW * draw.steady * 0.7)) },
})

const exemptFlood = (draw: Draw): Part => ({
  kind: 'exempt flood',
  accepted: ['exempt-traffic'],
  culprit: 'exempt',
  level: undefined,
  service: {
    capacity: [
      { seats: draw.seats / 2, slowdown: 1 },
      { seats: draw.seats * 2.5, slowdown: between(draw, 6, 12) },
    ],
  },
  groups: (windowOf) => [
    group(
      draw.name,
      1,
      { name: draw.name, groups: ['system:masters', 'system:authenticated'] },
      threads(draw.seats * 2.5, get(lognormal(200, 0.3)), windowOf(draw.at)),
    ),
  ],
})

const slowServer = (draw: Draw): Part => ({
  kind: 'slow server',
  accepted: ['slow-server', 'slow-requests'],
  culprit: 'server',
  level: undefined,
  slow: { at: draw.at, factor: between(draw, 6, 15) },
})

const crowd = (draw: Draw): Part => {
  const clients = whole(draw, 40, 90)
  const perSecond = (draw.seats * between(draw, 1, 1.5)) / QUICK_SECONDS / clients
  return {
    kind: 'crowd',
    accepted: ['more-requests', 'overload', 'server-full'],
    culprit: 'workload-low',
    level: 'workload-low',
    groups: (windowOf) => [
      group(draw.name, clients, account(`${draw.name}-{i}`), poisson(perSecond, get(quick), windowOf(draw.at))),
    ],
  }
}

const namespaceFlow = (draw: Draw): Part => ({
  kind: 'flow of a namespace',
  accepted: ['shared-flow', 'one-flow'],
  culprit: draw.name,
  level: 'workload-low',
  objects: ({ levels, schemas }) => ({
    levels,
    schemas: schemas.map((schema) =>
      schema.metadata.name === 'service-accounts'
        ? { ...schema, spec: { ...schema.spec, distinguisherMethod: { type: 'ByNamespace' as const } } }
        : schema,
    ),
  }),
  groups: (windowOf) => [
    group(draw.name, 1, account(draw.name), threads(threadsOf(draw), get(lognormal(400, 0.3)), windowOf(draw.at))),
  ],
})

const fewQueues = (draw: Draw): Part => ({
  kind: 'few queues',
  accepted: ['shared-queues', 'one-flow'],
  culprit: draw.name,
  level: 'workload-low',
  objects: changedLevel('workload-low', 'platform', (limited) => ({
    ...limited,
    limitResponse: { type: 'Queue', queuing: { queues: whole(draw, 2, 6), handSize: 2, queueLengthLimit: 200 } },
  })),
  groups: (windowOf) => [
    group(draw.name, 1, account(draw.name), threads(threadsOf(draw), get(lognormal(400, 0.3)), windowOf(draw.at))),
  ],
})

/** A client whose waits end early, beside a flood that makes them: two causes, of which one is its own. */
const shortTimeouts = (draw: Draw): Part => {
  const clients = whole(draw, 40, 80)
  const perSecond = (draw.seats * between(draw, 0.9, 1.3)) / QUICK_SECONDS / clients
  return {
    kind: 'short timeouts',
    accepted: ['short-deadlines'],
    culprit: 'workload-low',
    level: 'workload-low',
    groups: () => [
      group(
        draw.name,
        clients,
        account(`${draw.name}-{i}`),
        poisson(perSecond, get(quick, `?timeout=${whole(draw, 1, 4)}s`)),
      ),
    ],
  }
}

export const CAUSE_PARTS: readonly ((draw: Draw) => Part)[] = [
  flood,
  heldSeats,
  wideLists,
  watchStorm,
  sharesLowered,
  strangersCaught,
  fewerSeats,
  exemptFlood,
  slowServer,
  crowd,
  namespaceFlow,
  fewQueues,
  shortTimeouts,
]

/** Changes of objects and traffic that take nothing from anybody. */
export const INNOCENT_PARTS: readonly ((draw: Draw) => Part)[] = [
  (draw) => ({
    kind: 'more shares for another level',
    accepted: [],
    culprit: 'node-high',
    level: undefined,
    edit: {
      at: draw.at,
      change: changedLevel('node-high', 'argocd', (limited) => ({ ...limited, nominalConcurrencyShares: 41 })),
    },
  }),
  (draw) => ({
    kind: 'a schema that matches nobody',
    accepted: [],
    culprit: draw.name,
    level: undefined,
    edit: {
      at: draw.at,
      change: plus({ schemas: [newSchema(draw.name, 7_000, 'global-default', [{ kind: 'User', name: 'partner' }])] }),
    },
  }),
  (draw) => ({
    kind: 'a small client joins',
    accepted: [],
    culprit: draw.name,
    level: undefined,
    groups: (windowOf) => [
      group(draw.name, 1, account(draw.name), poisson(between(draw, 1, 4), get(quick), windowOf(draw.at))),
    ],
  }),
  (draw) => ({
    kind: 'a small client leaves',
    accepted: [],
    culprit: draw.name,
    level: undefined,
    groups: (windowOf) => [
      group(draw.name, 1, account(draw.name), poisson(between(draw, 1, 4), get(quick), windowOf(0, draw.at))),
    ],
  }),
]
