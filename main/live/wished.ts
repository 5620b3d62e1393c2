import { builtInObjects } from '../../core/config/builtIn.ts'
import { quoted } from '../../core/config/finding.ts'
import { ProblemError } from '../../core/errors.ts'
import type { RunGiven, WhatIfWish, WishedVariant } from '../../core/contract/whatif.ts'
import { readScenario } from '../../core/scenario/read.ts'
import type { Scenario } from '../../core/scenario/scenario.ts'
import { trafficOf } from '../../core/scenario/traffic.ts'
import { CLUSTER } from '../../core/simulate/cluster.ts'
import { secondsToNs } from '../../core/units.ts'
import type { Arrivals } from '../../core/whatif/arrivals.ts'
import { arrivalsOfRows } from '../../core/whatif/recorded.ts'
import type { SimulatedTraffic } from '../../core/whatif/simulated.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { acceptable } from './proposed.ts'

/** The inputs of a comparison, parsed and checked. */
export interface WishedComparison {
  readonly baseline: Variant
  readonly candidates: readonly Variant[]
  /** The simulated clients; absent with recorded requests. */
  readonly traffic: SimulatedTraffic | undefined
  readonly scenario: Scenario | undefined
}

/** Throws `ProblemError` for inputs that cannot be compared. */
export function wishedComparison(wish: WhatIfWish, { scenario: text }: RunGiven): WishedComparison {
  const { from } = wish
  const scenario = from.kind === 'scenario' ? scenarioOf(from.name, text) : undefined
  return { ...variantsOf(wish, scenario), traffic: trafficFrom(wish, scenario), scenario }
}

/** A scenario of the library by its text. Throws `not-found` if there is none. */
export function scenarioOf(name: string, text: string | undefined): Scenario {
  const scenario = text === undefined ? undefined : readScenario(text, name).scenario
  if (scenario !== undefined) return scenario
  throw new ProblemError('not-found', `The library has no scenario ${quoted(name)}; choose one from the list.`)
}

/** The simulated clients, if clients react to variants. Throws `invalid-input` where they cannot. */
export function reactingClients(traffic: SimulatedTraffic | undefined, variants: readonly Variant[]): SimulatedTraffic {
  if (traffic === undefined) {
    throw new ProblemError(
      'invalid-input',
      'Recorded clients cannot react to a variant. Choose open-loop clients, or simulated requests.',
    )
  }
  const several = variants.find(({ servers }) => servers > 1)
  if (several !== undefined) {
    throw new ProblemError(
      'invalid-input',
      `Closed-loop clients use one server; ${several.name} has ${several.servers}. Set it to 1, or choose open-loop clients.`,
    )
  }
  return traffic
}

/** Throws `not-found` if no row can be parsed as a request. */
export function recordedArrivals({ requests = [] }: RunGiven): Arrivals {
  const read = arrivalsOfRows(requests)
  if (read.ok) return read.arrivals
  throw new ProblemError(
    'not-found',
    'No recorded request of this source can be replayed. Connect a proxy, an audit log or a simulation, and record for a while.',
  )
}

function variantsOf(wish: WhatIfWish, scenario: Scenario | undefined) {
  const { version } = wish.baseline
  const usual = scenario?.variants[0]?.objects ?? builtInObjects(version)
  const baseline = variantOf(wish.baseline, usual)
  const candidates = wish.candidates.map((one) => variantOf(one, baseline.objects))
  const names = new Set<string>()
  for (const { name } of [baseline, ...candidates]) {
    if (names.has(name)) {
      throw new ProblemError('invalid-input', `Two variants are named ${quoted(name)}; give each its own name.`)
    }
    names.add(name)
  }
  return { baseline, candidates }
}

const variantOf = ({ objects, ...wished }: WishedVariant, usual: Variant['objects']): Variant => ({
  ...wished,
  objects: acceptable(objects ?? usual, wished.version),
})

function trafficFrom({ from }: WhatIfWish, scenario: Scenario | undefined): SimulatedTraffic | undefined {
  switch (from.kind) {
    case 'cluster':
      return { workload: CLUSTER, seed: from.seed, startUnixMs: 0, fromNs: 0, untilNs: secondsToNs(from.seconds) }
    case 'scenario':
      return scenario && trafficOf({ ...scenario, seed: from.seed })
    case 'recorded':
      return undefined
  }
}
