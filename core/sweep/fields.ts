import {
  objectNamed,
  type LimitedSpec,
  type ObjectSet,
  type PriorityLevelConfiguration,
  type Queuing,
} from '../config/objects.ts'
import { LARGEST_HAND } from '../config/shape.ts'
import { EXECUTION_FACTOR, MOST_SERVERS, WHAT_IF_SEED } from '../contract/whatif.ts'
import { MOST_ACTORS, MOST_MS, MOST_PER_SECOND, thinkTime } from '../scenario/readClients.ts'
import { SEATS } from '../scenario/read.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { ClientGroup } from '../simulate/workload.ts'
import type { Variant } from '../whatif/variant.ts'
import type { Setting, SweepBase } from './sweep.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly whole?: boolean
}

export interface FieldInfo {
  readonly about: 'level' | 'clients' | 'run'
  readonly bounds: Bounds
  /** The base with this value, or a clause with the reason why it has no such setting. */
  readonly set: (base: SweepBase, name: string, value: number) => SweepBase | string
}

/** Memory and time of a run grow with the number of queues; a real server accepts more. */
const MOST_QUEUES = 100_000
const MOST_QUEUE_LENGTH = 1_000_000
const PERCENT = { min: 0, max: 100, whole: true } as const
const BORROWING = { min: 0, max: 1_000_000, whole: true } as const

type SetLimited = (limited: LimitedSpec, value: number) => LimitedSpec | string

const level = (bounds: Bounds, setLimited: SetLimited): FieldInfo => ({
  about: 'level',
  bounds,
  set(base, name, value) {
    const found = objectNamed(base.variant.objects.levels, name)
    const limited = found?.spec.limited
    if (found === undefined || limited === undefined) return `${name} is not a Limited level`
    const changed = setLimited(limited, value)
    if (typeof changed === 'string') return `${name} ${changed}`
    return withObjects(base, withLevel(base.variant.objects, { ...found, spec: { ...found.spec, limited: changed } }))
  },
})

const queuing = (key: keyof Queuing, bounds: Bounds): FieldInfo =>
  level(bounds, (limited, value) => {
    const { queuing: present } = limited.limitResponse
    if (present === undefined) return 'has no queues: its limit response is Reject'
    return { ...limited, limitResponse: { ...limited.limitResponse, queuing: { ...present, [key]: value } } }
  })

const withLevel = ({ levels, schemas }: ObjectSet, level_: PriorityLevelConfiguration): ObjectSet => ({
  levels: levels.map((one) => (one.metadata.name === level_.metadata.name ? level_ : one)),
  schemas,
})

/** The base with another configuration. */
export const withObjects = (base: SweepBase, objects: ObjectSet): SweepBase => withServer(base, { objects })

/** The base with another seed; `undefined` for recorded requests, which have none. */
export function withSeed(base: SweepBase, seed: number): SweepBase | undefined {
  if (base.kind === 'scenario') return { ...base, scenario: { ...base.scenario, seed } }
  return base.kind === 'clients' ? { ...base, traffic: { ...base.traffic, seed } } : undefined
}

type Server = Pick<Variant, 'objects' | 'maxRequestsInFlight' | 'maxMutatingRequestsInFlight'>

function withServer(base: SweepBase, changes: Partial<Server>): SweepBase {
  switch (base.kind) {
    case 'scenario':
      return { ...base, variant: { ...base.variant, ...changes } }
    case 'requests':
      return { ...base, variant: { ...base.variant, ...changes } }
    case 'clients':
      return { ...base, variant: { ...base.variant, ...changes } }
  }
}

const clients = (bounds: Bounds, setGroup: (group: ClientGroup, value: number) => ClientGroup | string): FieldInfo => ({
  about: 'clients',
  bounds,
  set(base, name, value) {
    if (base.kind !== 'scenario') return NO_CLIENTS
    const found = base.scenario.clients.find((group) => group.name === name)
    const changed = found === undefined ? 'are not in the scenario' : setGroup(found, value)
    if (typeof changed === 'string') return `${name} ${changed}`
    const groups = base.scenario.clients.map((group) => (group === found ? changed : group))
    return { ...base, scenario: { ...base.scenario, clients: groups } }
  },
})

const NO_CLIENTS = 'only the clients of a scenario can be changed'

const server = (key: 'maxRequestsInFlight' | 'maxMutatingRequestsInFlight'): FieldInfo => ({
  about: 'run',
  bounds: SEATS,
  set: (base, _name, value) => withServer(base, { [key]: value }),
})

/** Phases multiply the configured execution times, so each of their factors is multiplied as well. */
const slowed = (scenario: Scenario, factor: number): Scenario => ({
  ...scenario,
  phases: [
    { at: 0, executionFactor: factor },
    ...scenario.phases.map((phase) =>
      phase.executionFactor === undefined ? phase : { ...phase, executionFactor: phase.executionFactor * factor },
    ),
  ],
})

/** Every setting that a sweep can vary, by its name in files. */
export const FIELDS: Readonly<Record<string, FieldInfo>> = {
  nominalConcurrencyShares: level(SEATS, (limited, nominalConcurrencyShares) => ({
    ...limited,
    nominalConcurrencyShares,
  })),
  lendablePercent: level(PERCENT, (limited, lendablePercent) => ({ ...limited, lendablePercent })),
  borrowingLimitPercent: level(BORROWING, (limited, borrowingLimitPercent) => ({ ...limited, borrowingLimitPercent })),
  queues: queuing('queues', { min: 1, max: MOST_QUEUES, whole: true }),
  handSize: queuing('handSize', { min: 1, max: LARGEST_HAND, whole: true }),
  queueLengthLimit: queuing('queueLengthLimit', { min: 1, max: MOST_QUEUE_LENGTH, whole: true }),
  count: clients({ min: 1, max: MOST_ACTORS, whole: true }, (group, count) => ({ ...group, clients: count })),
  threads: clients({ min: 1, max: MOST_ACTORS, whole: true }, (group, threads) =>
    group.behaviour.kind === 'closed'
      ? { ...group, behaviour: { ...group.behaviour, threads } }
      : 'have no threads: they send at a rate or in a burst',
  ),
  thinkMs: clients({ min: 0, max: MOST_MS }, (group, thinkMs) =>
    group.behaviour.kind === 'closed'
      ? { ...group, behaviour: { ...group.behaviour, think: thinkTime(thinkMs) } }
      : 'have no threads and therefore no think time',
  ),
  perSecond: clients({ min: 0.001, max: MOST_PER_SECOND }, (group, perSecond) =>
    group.behaviour.kind === 'open' && group.behaviour.arrivals.kind === 'poisson'
      ? { ...group, behaviour: { ...group.behaviour, arrivals: { ...group.behaviour.arrivals, perSecond } } }
      : 'do not send at a rate: they have threads or a burst',
  ),
  maxRequestsInFlight: server('maxRequestsInFlight'),
  maxMutatingRequestsInFlight: server('maxMutatingRequestsInFlight'),
  executionFactor: {
    about: 'run',
    bounds: EXECUTION_FACTOR,
    set: (base, _name, value) =>
      base.kind === 'scenario'
        ? { ...base, scenario: slowed(base.scenario, value) }
        : { ...base, variant: { ...base.variant, executionFactor: value } },
  },
  seed: {
    about: 'run',
    bounds: { ...WHAT_IF_SEED, whole: true },
    set: (base, _name, value) => withSeed(base, value) ?? 'recorded requests have no seed',
  },
  servers: {
    about: 'run',
    bounds: { min: 1, max: MOST_SERVERS, whole: true },
    set: (base, _name, value) =>
      base.kind === 'requests'
        ? { ...base, variant: { ...base.variant, servers: value } }
        : 'simulated clients use one server',
  },
}

/** The base with one setting, or a clause with the reason why it has no setting of that kind. */
export function withSetting(base: SweepBase, { of, field }: Setting, value: number): SweepBase | string {
  const info = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  return info === undefined ? `there is no field ${field}` : info.set(base, of?.name ?? '', value)
}
