import type { ObjectMeta, ObjectSet } from '../../../core/config/objects.ts'
import { ObjectSetSchema } from '../../../core/config/schema.ts'
import { ObjectStore } from '../../../core/simulate/objects.ts'
import { namedRandom } from '../../../core/simulate/random.ts'
import { dumpFrame, serverFrame } from '../../../core/simulate/serverFrame.ts'
import { createSimulation, type Simulation } from '../../../core/simulate/simulation.ts'
import type { ClientGroup } from '../../../core/simulate/workload.ts'
import { harmParts } from '../../../core/diagnose/explain.ts'
import { isWaiting } from '../../../core/frame/flow.ts'
import { allRejected, rejectedSince } from '../../../core/frame/recent.ts'
import { meanOf } from '../../../core/twin/observe.ts'
import type { SourceEvent } from '../../../core/source/sourceEvent.ts'
import { OBJECTS, SERVER, workloadOf } from '../../../core/twin/twin.fixture.ts'
import { MS_PER_SECOND, secondsToNs, unixMsOf } from '../../../core/units.ts'
import { engineOptions } from '../../../core/whatif/variant.ts'
import { between, CAUSE_PARTS, everyday, INNOCENT_PARTS, whole, windowsFrom, type Draw, type Part } from './parts.ts'

const SERVER_ID = 'server'
const START_MS = Date.parse('2026-11-20T03:00:00Z')
/** Seconds between two pages, between two dumps, and without an answer during a restart. */
const [PAGE, DUMP, DOWN] = [2, 4, 6]

/** A simulated incident whose truth is known because it was put together from parts. */
export interface SimulatedIncident {
  readonly seed: number
  readonly seats: number
  readonly causes: readonly Part[]
  readonly innocent: readonly Part[]
  /** Of the console that watched the server from the start. */
  readonly events: readonly SourceEvent[]
  /** Whether requests wait, are rejected or take long at the end, as causes say they do. */
  readonly shows: boolean
  /** Of the causes, those without which there would be clearly less trouble somewhere: the others change nothing. */
  readonly needed: readonly Part[]
}

const NAMES = 'harbor,quartz,falcon,juniper,ember,willow,cobalt,marble,saffron,thistle,onyx,heron'.split(',')

/** The same seed gives the same incident: none to three causes, and up to two changes that do no harm. */
export function simulatedIncident(seed: number): SimulatedIncident {
  const random = namedRandom(seed, 'incident')
  const seats = whole({ random }, 60, 240)
  const base = { random, seats, steady: between({ random }, 0.3, 0.7) }
  const names = NAMES.toSorted(() => random() - 0.5)
  const end = whole({ random }, 165, 200)
  const drawn = (count: number, from: readonly ((draw: Draw) => Part)[], kinds = new Set<unknown>()): readonly Part[] =>
    Array.from({ length: count }, () => {
      const left = from.filter((make) => !kinds.has(make))
      const make = left[whole({ random }, 0, left.length - 1)]
      kinds.add(make)
      return make?.({ ...base, at: whole({ random }, 90, end - 60), name: names.pop() ?? 'nobody' })
    }).filter((part) => part !== undefined)
  // A fifth of the servers are calm; of the others, most have one trouble.
  const calm = random() < 0.2
  const several = random()
  const causes = calm ? [] : drawn(several < 0.6 ? 1 : several < 0.9 ? 2 : 3, CAUSE_PARTS)
  const innocent = drawn(whole({ random }, 0, 2), INNOCENT_PARTS)
  const groups = everyday({ ...base, at: 0, name: '' })
  // Half of the machines become slower as more seats are in use: a consequence of a flood, not its cause.
  const slowdown = random() < 0.5 ? 1 : between({ random }, 1.3, 3)
  const setting = { seed, seats, end, slowdown }
  const run = (acting: readonly Part[]) => watched([...acting, ...innocent], groups, setting)
  const { events, shows } = run(causes)
  const needed = causes.length < 2 || !shows ? causes : neededOf(causes, (acting) => harmIn(run(acting).events))
  return { seed, seats, causes, innocent, events, shows, needed }
}

/** A cause is needed if it explains this part of what is wrong somewhere, where more than a trifle is. */
const NEEDED = 0.15
const TRIFLE = 2

function neededOf(causes: readonly Part[], harm: (acting: readonly Part[]) => ReadonlyMap<string, number>) {
  const known = new Map<string, ReadonlyMap<string, number>>()
  const of = (acting: readonly Part[]): ReadonlyMap<string, number> => {
    const key = acting.map(({ kind }) => kind).join()
    const found = known.get(key) ?? harm(acting)
    known.set(key, found)
    return found
  }
  const places = [...of(causes)].filter(([, all]) => all >= TRIFLE).map(([place]) => place)
  const parts = places.map((place) => harmParts(causes, (acting) => of(acting).get(place) ?? 0))
  return causes.filter((_, i) => parts.some((part) => (part[i] ?? 0) >= NEEDED))
}

const LAST_SECONDS = 30
const EVERYDAY = /(?:person|controller|tenant)-\d+$/

/**
 * What is wrong in the last half minute, by level: requests that wait, and rejections per second; and how many requests
 * of everyday clients execute at once.
 */
function harmIn(events: readonly SourceEvent[]): ReadonlyMap<string, number> {
  const pages = events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
  const end = unixMsOf(pages.at(-1)?.at ?? '')
  const isLate = ({ at }: { readonly at: string }): boolean => unixMsOf(at) >= end - LAST_SECONDS * MS_PER_SECOND
  const late = pages.filter(isLate)
  const dumps = events.flatMap((event) => (event.kind === 'dump' && isLate(event.dump) ? [event.dump] : []))
  const executing = dumps.flatMap(({ requests = [] }) =>
    requests.filter((row) => !isWaiting(row) && EVERYDAY.test(row.user ?? '')),
  )
  const found = new Map([['', executing.length / Math.max(1, dumps.length)]])
  const [first, last] = [late[0], late.at(-1)]
  for (const level of last?.levels ?? []) {
    const earlier = first?.levels.find(({ name }) => name === level.name)
    const queued = late.map((page) => page.levels.find(({ name }) => name === level.name)?.requests.queued ?? 0)
    const rejected = allRejected(rejectedSince(level, earlier)) / LAST_SECONDS
    found.set(level.name, (meanOf(queued) ?? 0) + rejected)
  }
  return found
}

interface Setting {
  readonly seed: number
  readonly seats: number
  readonly end: number
  /** Of every request while all seats are in use. */
  readonly slowdown: number
}

/** What a console gets that watches the server from its start to the end. */
function watched(
  parts: readonly Part[],
  everydayGroups: readonly ClientGroup[],
  setting: Setting,
): Pick<SimulatedIncident, 'events' | 'shows'> {
  const { seed, seats, end } = setting
  const events: SourceEvent[] = []
  const store = new ObjectStore(seed)
  const tell = (second: number, objects: ObjectSet): ObjectSet => {
    const at = new Date(START_MS + second * MS_PER_SECOND).toISOString()
    const stored = store.replace(stamped(objects, at))
    const reading = {
      state: 'current',
      version: SERVER.version,
      asOf: at,
      objects: ObjectSetSchema.parse(stored),
    } as const
    events.push({ kind: 'objects', origin: 'cluster', reading })
    return stored
  }
  let objects = tell(
    0,
    parts.reduce<ObjectSet>((held, part) => part.objects?.(held) ?? held, OBJECTS),
  )
  const restart = parts.flatMap((part) => part.restart ?? [])[0]
  const lives = [
    { from: 0, until: restart?.at ?? end, seats },
    ...(restart === undefined ? [] : [{ from: restart.at + DOWN, until: end, seats: restart.seats }]),
  ]
  let last: Simulation | undefined
  for (const life of lives) {
    const simulation = begin(parts, everydayGroups, objects, life, setting)
    last = simulation
    for (let second = life.from; second <= life.until; second++) {
      simulation.runTo(secondsToNs(second - life.from))
      for (const { edit, slow } of parts) {
        if (edit?.at === second) {
          objects = tell(second, edit.change(objects))
          simulation.configure(objects)
        }
        if (slow?.at === second) simulation.slow(slow.factor)
      }
      if (second % PAGE !== 0) continue
      const frame = serverFrame(simulation.engine.snapshot(), { id: SERVER_ID, version: SERVER.version })
      events.push({ kind: 'frame', frame })
      if (second % DUMP === 0) events.push({ kind: 'dump', dump: dumpFrame(SERVER_ID, simulation.engine) })
    }
  }
  return { events, shows: last !== undefined && showsTrouble(last, parts) }
}

function begin(
  parts: readonly Part[],
  everydayGroups: readonly ClientGroup[],
  configuration: ObjectSet,
  { from, until, seats }: { readonly from: number; readonly until: number; readonly seats: number },
  { seed, seats: first, slowdown }: Setting,
): Simulation {
  const windowOf = windowsFrom(from)
  const capacity = [
    { seats: first / 2, slowdown: 1 },
    { seats: first, slowdown },
  ]
  const workload = workloadOf(...everydayGroups, ...parts.flatMap((part) => part.groups?.(windowOf) ?? []))
  const service = Object.assign(
    { ...workload.service, capacity },
    ...parts.map((part) => part.service),
  ) as typeof workload.service
  const simulation = createSimulation({
    ...engineOptions(
      { ...SERVER, maxRequestsInFlight: seats, maxMutatingRequestsInFlight: 0 },
      START_MS + from * MS_PER_SECOND,
      secondsToNs(until - from),
    ),
    seed: seed + from,
    workload: { ...workload, service, objects: parts.flatMap((part) => part.stored ?? []) },
    configuration,
  })
  // A server that was slowed down before it restarted is slow after it too.
  for (const { slow } of parts) if (slow !== undefined && slow.at < from) simulation.slow(slow.factor)
  return simulation
}

/** With the time of their writing, where it is not yet known. */
const stamped = ({ levels, schemas }: ObjectSet, at: string): ObjectSet => {
  const written = (metadata: ObjectMeta): ObjectMeta => ({
    ...metadata,
    creationTimestamp: metadata.creationTimestamp ?? at,
    ...(metadata.managedFields !== undefined && {
      managedFields: metadata.managedFields.map((fields) => (fields.time === '' ? { ...fields, time: at } : fields)),
    }),
  })
  return {
    levels: levels.map((level) => ({ ...level, metadata: written(level.metadata) })),
    schemas: schemas.map((schema) => ({ ...schema, metadata: written(schema.metadata) })),
  }
}

/** Whether requests wait at the end wherever a cause makes them wait. */
function showsTrouble(simulation: Simulation, parts: readonly Part[]): boolean {
  const frame = serverFrame(simulation.engine.snapshot(), { id: SERVER_ID, version: SERVER.version })
  const waiting = new Set(frame.levels.flatMap(({ name, requests }) => ((requests.queued ?? 0) > 0 ? [name] : [])))
  return parts.every(({ accepted, level }) => accepted.length === 0 || level === undefined || waiting.has(level))
}
