import { validationRules } from '../../core/config/builtIn.ts'
import { CATCH_ALL, EXEMPT, type FlowSchema, type LimitedSpec, type ObjectSet } from '../../core/config/objects.ts'
import { validateFlowSchema, validateLevel } from '../../core/config/validate.ts'
import { namedRandom, type Random } from '../../core/simulate/random.ts'
import type { LoadClient, Plan } from '../cluster/load.ts'
import {
  CONTROLLER_MANAGER,
  CRAWLER,
  EXPORTER,
  mouse,
  OPERATOR,
  RUNNER,
  SCHEDULER,
  WRITER,
} from '../cluster/identities.ts'
import { lease, list, nodeReview, nodeStatus, read, write } from '../cluster/profiles.ts'

/** `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
export interface Flags {
  readonly maxInflight: number
  readonly maxMutatingInflight: number
}

export const seatsOf = ({ maxInflight, maxMutatingInflight }: Flags): number => maxInflight + maxMutatingInflight

/** What a server does before and after edits: its flags and clients, all drawn from the seed. */
export interface Mixture {
  readonly seed: number
  readonly flags: Flags
  readonly clients: readonly LoadClient[]
  /** The clients, one sentence for each group. */
  readonly what: readonly string[]
  /** Levels of their requests. */
  readonly levels: readonly string[]
}

/** One step of a recording: changed objects, or a restart with other flags. */
export interface DrawnEdit {
  readonly what: string
  readonly objects: ObjectSet
  readonly flags: Flags
}

export const between = (random: Random, low: number, high: number): number => low + random() * (high - low)
const logBetween = (random: Random, low: number, high: number): number => low * (high / low) ** random()
export const whole = (random: Random, low: number, high: number): number => Math.floor(between(random, low, high + 1))
const chance = (random: Random, part: number): boolean => random() < part
export function pick<T>(random: Random, from: readonly T[]): T {
  const one = from[Math.floor(random() * from.length)]
  if (one === undefined) throw new Error('nothing to draw from')
  return one
}

interface Sender {
  readonly name: string
  /** Of its requests, with the built-in objects. */
  readonly level: keyof typeof SHARES
  readonly plan: (ms: number) => (worker: number, turn: number) => Plan
}

/** Of the built-in levels; all levels have 245. */
const SHARES = {
  'workload-low': 100,
  'workload-high': 40,
  'global-default': 20,
  'node-high': 40,
  system: 30,
  'leader-election': 10,
} as const
const ALL_SHARES = 245
const ACCOUNTS = [CRAWLER, WRITER, RUNNER, EXPORTER]
const SENDERS: readonly Sender[] = [
  ...ACCOUNTS.map((user) => ({
    name: `writes of ${user}`,
    level: 'workload-low' as const,
    plan: (ms: number) => write(user, ms),
  })),
  ...[OPERATOR, SCHEDULER, CONTROLLER_MANAGER].map((user) => ({
    name: `writes of ${user}`,
    level: 'workload-high' as const,
    plan: (ms: number) => write(user, ms),
  })),
  { name: 'writes of one user', level: 'global-default', plan: (ms) => write(mouse(5), ms) },
  {
    name: 'writes of twenty users',
    level: 'global-default',
    plan: (ms) => (worker, turn) => write(mouse(worker), ms)(worker, turn),
  },
  { name: 'statuses of a node', level: 'node-high', plan: nodeStatus },
  { name: 'reviews of a node', level: 'system', plan: nodeReview },
  { name: 'leases of the scheduler', level: 'leader-election', plan: (ms) => lease(SCHEDULER, ms) },
]
/** Of these each takes as long as the server computes, a few milliseconds. */
const QUICK = [
  { name: 'reads of twenty users', level: 'global-default', plan: read, workers: 16 },
  { name: 'lists of all objects', level: 'workload-low', plan: list(EXPORTER), workers: 5 },
  { name: 'lists of a quarter of the objects', level: 'workload-low', plan: list(RUNNER, '?limit=100'), workers: 8 },
] as const

/** So that the clients, who are on the same machine, take less of it than the server. */
const MOST_PER_SECOND = 60
const MOST_WORKERS = 200

interface Group {
  readonly what: string
  readonly level: keyof typeof SHARES
  readonly client: LoadClient
}

/** A group of clients whose requests want so many seats of their level. */
function drawGroup(random: Random, wanted: number, seats: number): Group {
  const sender = pick(random, SENDERS)
  const nominal = Math.max(2, (SHARES[sender.level] / ALL_SHARES) * seats)
  const inUse = Math.max(1, wanted * nominal)
  // Under way at most, as far as the limit of the level allows.
  const ms = Math.max(logBetween(random, 80, 1_500), (Math.min(inUse, 1.5 * nominal) / MOST_PER_SECOND) * 1_000)
  const waves = chance(random, 0.25) ? drawWaves(random) : undefined
  const retries = chance(random, 0.5)
  const open = chance(random, 0.35)
  const thinkMs = open || chance(random, 0.4) ? 0 : logBetween(random, 100, 3_000)
  const perSecond = (inUse * 1_000) / ms
  const workers = open ? MOST_WORKERS : Math.min(MOST_WORKERS, Math.max(1, Math.round((inUse * (ms + thinkMs)) / ms)))
  const client: LoadClient = {
    workers,
    plan: sender.plan(ms),
    retries,
    ...(open ? { openPerSecond: perSecond } : { thinkMs }),
    ...(waves && { waves }),
  }
  const who = open ? `${perSecond.toFixed(1)}/s` : `${workers} clients, pauses of ${thinkMs.toFixed(0)} ms`
  const when = waves === undefined ? '' : `, ${waves.activeSeconds} of every ${waves.periodSeconds} s`
  return {
    what: `${sender.name}, ${ms.toFixed(0)} ms: ${who}${when}${retries ? ', retried' : ''}`,
    level: sender.level,
    client,
  }
}

function drawWaves(random: Random): NonNullable<LoadClient['waves']> {
  const periodSeconds = whole(random, 10, 40)
  return {
    periodSeconds,
    activeSeconds: Math.max(3, Math.round(periodSeconds * between(random, 0.3, 0.7))),
    fromSeconds: whole(random, 0, periodSeconds),
  }
}

export function drawMixture(seed: number): Mixture {
  const random = namedRandom(seed, 'mixture')
  const maxInflight = whole(random, 40, 110)
  const flags = { maxInflight, maxMutatingInflight: whole(random, 20, 60) }
  const seats = seatsOf(flags)
  const groups = [
    // At least one level is short of seats, or few edits would change anything.
    drawGroup(random, logBetween(random, 1, 3), seats),
    ...Array.from({ length: whole(random, 2, 5) }, () => drawGroup(random, logBetween(random, 0.1, 1.5), seats)),
    ...QUICK.filter(() => chance(random, 0.4)).map(({ name, level, plan, workers }): Group => {
      const client = { workers: whole(random, 1, workers), plan, thinkMs: logBetween(random, 200, 2_000) }
      return { what: `${name}: ${client.workers} clients, pauses of ${client.thinkMs.toFixed(0)} ms`, level, client }
    }),
  ]
  return {
    seed,
    flags,
    what: groups.map(({ what }) => what),
    levels: groups.map(({ level }) => level),
    clients: groups.map(({ client }) => client),
  }
}

/** Users that send so many requests a second, each of which takes so many milliseconds, whatever becomes of the others. */
export function drawOpenClients(seed: number) {
  const random = namedRandom(seed, 'open clients')
  const users = [CRAWLER, WRITER, RUNNER, OPERATOR, SCHEDULER, mouse(1), mouse(2)]
  return Array.from({ length: whole(random, 4, 7) }, () => ({
    user: pick(random, users),
    perSecond: logBetween(random, 3, 14),
    ms: logBetween(random, 100, 600),
  }))
}

/** Of the edits of a level, this part is of one that the clients use. */
const USED_PART = 0.8

type Draw = (random: Random, objects: ObjectSet, used: readonly string[]) => Change | undefined

interface Change {
  readonly what: string
  readonly objects: ObjectSet
}

const levelChange: Draw = (random, objects, used) => {
  const name = pick(random, chance(random, USED_PART) ? used : Object.keys(SHARES))
  const level = objects.levels.find(({ metadata }) => metadata.name === name)
  const limited = level?.spec.limited
  if (level === undefined || limited === undefined) return undefined
  const shares = limited.nominalConcurrencyShares ?? 30
  const changes: readonly (() => Partial<LimitedSpec>)[] = [
    () => ({ nominalConcurrencyShares: Math.max(1, Math.round(shares * logBetween(random, 0.25, 4))) }),
    () => ({ nominalConcurrencyShares: Math.max(1, Math.round(shares * logBetween(random, 0.25, 4))) }),
    () => ({ lendablePercent: whole(random, 0, 18) * 5 }),
    () => ({ borrowingLimitPercent: pick(random, [0, 25, 50, 100, 200, 400]) }),
    () => ({ limitResponse: drawResponse(random, limited.limitResponse.type) }),
  ]
  const change = pick(random, changes)()
  if (isSame({ ...limited, ...change }, limited)) return undefined
  const edited = { ...level, spec: { ...level.spec, limited: { ...limited, ...change } } }
  return {
    what: `${name}: ${JSON.stringify(change).slice(1, -1).replaceAll('"', '')}`,
    objects: { ...objects, levels: objects.levels.map((one) => (one === level ? edited : one)) },
  }
}

export const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b)

function drawResponse(random: Random, present: string): LimitedSpec['limitResponse'] {
  if (present === 'Queue' && chance(random, 0.25)) return { type: 'Reject' }
  const queues = 2 ** whole(random, 0, 7)
  const handSize = Math.min(queues, whole(random, 1, 8))
  return { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: Math.round(logBetween(random, 3, 200)) } }
}

const schemaChange: Draw = (random, objects) => {
  const schema = pick(
    random,
    objects.schemas.filter(({ metadata: { name } }) => name !== EXEMPT && name !== CATCH_ALL && name !== 'probes'),
  )
  const { name } = schema.metadata
  const levels = objects.levels.map(({ metadata }) => metadata.name).filter((level) => level !== EXEMPT)
  const to = pick(random, levels)
  const changes: readonly (() => Partial<FlowSchema['spec']>)[] = [
    () => ({ priorityLevelConfiguration: { name: to } }),
    () => ({ matchingPrecedence: whole(random, 150, 9_800) }),
    () => ({ distinguisherMethod: { type: pick(random, ['ByUser', 'ByNamespace']) } }),
  ]
  const change = pick(random, changes)()
  if (isSame({ ...schema.spec, ...change }, schema.spec)) return undefined
  const edited = { ...schema, spec: { ...schema.spec, ...change } }
  return {
    what: `${name}: ${JSON.stringify(change).slice(1, -1).replaceAll('"', '')}`,
    objects: { ...objects, schemas: objects.schemas.map((one) => (one === schema ? edited : one)) },
  }
}

/** A schema of its own for one service account, with a level of its own or without. */
const newSchema: Draw = (random, objects) => {
  const [, , namespace = '', account = ''] = pick(random, ACCOUNTS).split(':')
  const name = `own-${account}`
  if (objects.schemas.some(({ metadata }) => metadata.name === name)) return undefined
  const own = chance(random, 0.5)
  const limited: LimitedSpec = {
    nominalConcurrencyShares: whole(random, 5, 60),
    lendablePercent: whole(random, 0, 10) * 10,
    limitResponse: drawResponse(random, 'Queue'),
  }
  const level = { metadata: { name }, spec: { type: 'Limited', limited } }
  const to = own ? name : pick(random, ['workload-high', 'global-default', 'catch-all'])
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }
  const schema: FlowSchema = {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: to },
      matchingPrecedence: whole(random, 200, 890),
      distinguisherMethod: { type: pick(random, ['ByUser', 'ByNamespace']) },
      rules: [
        { subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace, name: account } }], resourceRules: [rule] },
      ],
    },
  }
  return {
    what: `${account} to ${own ? `a level of its own, ${limited.nominalConcurrencyShares} shares` : to}`,
    objects: {
      levels: own ? [...objects.levels, level] : objects.levels,
      schemas: [...objects.schemas, schema],
    },
  }
}

const isLegal = ({ levels, schemas }: ObjectSet, version: string): boolean => {
  const rules = validationRules(version)
  const findings = [
    ...levels.flatMap((level) => validateLevel(level, rules)),
    ...schemas.flatMap((schema) => validateFlowSchema(schema, rules)),
  ]
  return findings.every(({ severity }) => severity !== 'error')
}

export interface EditsWanted {
  /** Of the server. */
  readonly version: string
  readonly edits: number
  /** The part of them that changes flags, which restarts the server. */
  readonly restarts: number
}

/** The edits under a mixture, each of one to three objects of the previous ones, or of the flags. */
export function drawEdits(
  { seed, flags, levels }: Pick<Mixture, 'seed' | 'flags' | 'levels'>,
  objects: ObjectSet,
  { version, edits: count, restarts }: EditsWanted,
): readonly DrawnEdit[] {
  const random = namedRandom(seed, 'edits')
  const edits: DrawnEdit[] = []
  let present: DrawnEdit = { what: '', objects, flags }
  while (edits.length < count) {
    present = chance(random, restarts)
      ? drawFlags(random, present)
      : drawObjects(random, present, { used: levels, version })
    edits.push(present)
  }
  return edits
}

function drawFlags(random: Random, present: DrawnEdit): DrawnEdit {
  const scaled = (limit: number): number => Math.max(10, Math.round(limit * logBetween(random, 0.6, 1.7)))
  const { maxInflight, maxMutatingInflight } = present.flags
  const flags = { maxInflight: scaled(maxInflight), maxMutatingInflight: scaled(maxMutatingInflight) }
  if (isSame(flags, present.flags)) return drawFlags(random, present)
  return { ...present, flags, what: `seats of the server: ${seatsOf(present.flags)} → ${seatsOf(flags)}` }
}

interface Around {
  readonly used: readonly string[]
  readonly version: string
}

function drawObjects(random: Random, present: DrawnEdit, { used, version }: Around): DrawnEdit {
  const wanted = pick(random, [1, 1, 1, 2, 2, 3])
  const said: string[] = []
  let { objects } = present
  while (said.length < wanted) {
    const draw = pick(random, [levelChange, levelChange, levelChange, schemaChange, newSchema])
    const change = draw(random, objects, used)
    if (change === undefined || !isLegal(change.objects, version)) continue
    said.push(change.what)
    ;({ objects } = change)
  }
  return { what: said.join('; '), objects, flags: present.flags }
}
