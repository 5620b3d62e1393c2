import { readFileSync } from 'node:fs'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { WhatIfReport, WhatIfWish, WishedVariant } from '../../core/contract/whatif.ts'
import { readScenario } from '../../core/scenario/read.ts'
import { trafficOf } from '../../core/scenario/traffic.ts'
import type { Scenario } from '../../core/scenario/scenario.ts'
import { CLUSTER } from '../../core/simulate/cluster.ts'
import { quoted } from '../../core/config/finding.ts'
import { secondsToNs } from '../../core/units.ts'
import type { Arrivals } from '../../core/whatif/arrivals.ts'
import { arrivalsOfRows } from '../../core/whatif/recorded.ts'
import { simulatedArrivals, type SimulatedTraffic } from '../../core/whatif/simulated.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { reportOf, whatIf, whatIfClosed } from '../../core/whatif/whatif.ts'
import { fileOfScenario } from '../files/scenarioLibrary.ts'
import { acceptable } from '../live/proposed.ts'
import type { WhatIfTask } from '../ports/whatIf.ts'

/** Runs a comparison to its end, telling now and then which part of it is done. Throws `ProblemError`. */
export function runTask(
  { wish, recorded }: WhatIfTask,
  scenarioFolder: string,
  tell: (part: number) => void,
): WhatIfReport {
  const scenario = wish.from.kind === 'scenario' ? libraryScenario(scenarioFolder, wish.from.name) : undefined
  const { baseline, candidates } = variantsOf(wish, scenario)
  const traffic = trafficFrom(wish, scenario)
  const goOn = (part: number): true => {
    tell(part)
    return true
  }
  if (wish.clients === 'closed') {
    const result = whatIfClosed(simulatedOnly(traffic, [baseline, ...candidates]), baseline, candidates, goOn)
    return reportOf(ended(result))
  }
  // Of simulated requests the list has to be made first, which takes about as long as a variant.
  const steps = candidates.length + (traffic === undefined ? 1 : 2)
  const before = traffic === undefined ? 0 : 1
  const arrivals: Arrivals =
    traffic === undefined
      ? recordedArrivals(recorded)
      : ended(simulatedArrivals(traffic, baseline, (part) => goOn(part / steps)))
  const each = Math.max(1, arrivals.list.length)
  const result = whatIf(arrivals, baseline, candidates, (given) => goOn((before + given / each) / steps))
  const report = reportOf(ended(result))
  return scenario === undefined || scenario.phases.length === 0
    ? report
    : { ...report, notes: [...report.notes, PHASES_NOTE] }
}

const PHASES_NOTE = 'The phases of the scenario are left out: only its clients are used.'

/** Nothing but the end of the thread ends a run. */
function ended<T>(result: T | undefined): T {
  if (result === undefined) throw new ProblemError('cancelled', 'The comparison was cancelled.')
  return result
}

/** Throws `not-found` for a name that the library does not have. */
function libraryScenario(folder: string, name: string): Scenario {
  // A name is part of a path.
  const file = /^[A-Z]\d+$/.test(name) ? fileOfScenario(folder, name) : undefined
  const text = file && readIfThere(file)
  const scenario = text === undefined ? undefined : readScenario(text, name).scenario
  if (scenario !== undefined) return scenario
  throw new ProblemError('not-found', `The library has no scenario ${quoted(name)}; choose one from the list.`)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
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

function simulatedOnly(traffic: SimulatedTraffic | undefined, variants: readonly Variant[]): SimulatedTraffic {
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

function recordedArrivals(recorded: WhatIfTask['recorded']): Arrivals {
  const read = arrivalsOfRows(recorded)
  if (read.ok) return read.arrivals
  throw new ProblemError(
    'not-found',
    'No recorded request of this source can be read again. Connect a proxy, an audit log or a simulation, and record for a while.',
  )
}
