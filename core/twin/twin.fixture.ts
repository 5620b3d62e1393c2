import { builtInObjects } from '../config/builtIn.ts'
import type { LimitedSpec, ObjectSet } from '../config/objects.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { User } from '../request/match.ts'
import { constant, lognormal } from '../simulate/random.ts'
import { dumpFrame, serverFrame } from '../simulate/serverFrame.ts'
import { createSimulation } from '../simulate/simulation.ts'
import type { Behaviour, CallKind, ClientGroup, Workload } from '../simulate/workload.ts'
import { secondsToNs } from '../units.ts'
import { defaultVariant, engineOptions, type Variant } from '../whatif/variant.ts'

const VERSION = 'v1.36.3'
export const OBJECTS = builtInObjects(VERSION)

/** 120 seats, of which workload-low has 49 and can borrow to 74. */
export const SERVER: Variant = {
  ...defaultVariant('server', OBJECTS),
  version: VERSION,
  maxRequestsInFlight: 80,
  maxMutatingRequestsInFlight: 40,
}

const account = (name: string): User => ({
  name: `system:serviceaccount:batch:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:batch', 'system:authenticated'],
})

/** A read of workload-low with a median of 400 ms. */
export const CALLS: readonly CallKind[] = [
  { method: 'GET', target: '/api/v1/namespaces/a/pods/x', weight: 1, execution: lognormal(400, 0.6) },
]

export const clients = (name: string, count: number, behaviour: Behaviour): ClientGroup => ({
  name,
  clients: count,
  user: account(`${name}-{i}`),
  behaviour,
})

export const workloadOf = (...groups: readonly ClientGroup[]): Workload => ({
  namespaces: 1,
  objects: [],
  service: { byVerb: {}, otherwise: constant(1), bytesPerSecond: 1e12, capacity: [] },
  groups,
})

/** The built-in objects with a changed workload-low. */
export const withLow = (change: Partial<LimitedSpec>): ObjectSet => ({
  ...OBJECTS,
  levels: OBJECTS.levels.map((level) =>
    level.metadata.name === 'workload-low' && level.spec.limited !== undefined
      ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, ...change } } }
      : level,
  ),
})

interface PagesWanted {
  /** What the server begins with, unless it is the built-in objects. */
  readonly first?: ObjectSet
  readonly from: number
  readonly until: number
  readonly edit?: { readonly at: number; readonly objects: ObjectSet }
  readonly server?: Variant
  /** Factor of all execution times from each second on. */
  readonly slowed?: (second: number) => number
}

/** Pages of a simulated server, one per second, from `from` to `until` seconds; `edit` is applied at its time. */
export const pagesOf = (workload: Workload, wanted: PagesWanted): readonly ServerFrame[] =>
  pagesAndDumps(workload, wanted).pages

/** The same, and a dump of the requests every five seconds. */
export function pagesAndDumps(
  workload: Workload,
  { first = OBJECTS, from, until, edit, server = SERVER, slowed = () => 1 }: PagesWanted,
): { readonly pages: readonly ServerFrame[]; readonly dumps: readonly DumpFrame[] } {
  const simulation = createSimulation({
    ...engineOptions(server, 0, secondsToNs(until)),
    seed: 7,
    workload,
    configuration: first,
  })
  const pages: ServerFrame[] = []
  const dumps: DumpFrame[] = []
  for (let second = 0; second <= until; second++) {
    simulation.runTo(secondsToNs(second))
    if (edit?.at === second) simulation.configure(edit.objects)
    simulation.slow(slowed(second))
    if (second < from) continue
    pages.push(serverFrame(simulation.engine.snapshot(), { id: 'server', version: VERSION }))
    if (second % 5 === 0) dumps.push(dumpFrame('server', simulation.engine))
  }
  return { pages, dumps }
}
