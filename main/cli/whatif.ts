import { stringify } from 'yaml'
import { MOST_PAST_REQUESTS } from '../../core/bounds.ts'
import { ProblemError } from '../../core/errors.ts'
import { WHAT_IF_SEED } from '../../core/contract/whatif.ts'
import { trafficOf } from '../../core/scenario/traffic.ts'
import type { Scenario } from '../../core/scenario/scenario.ts'
import { CLUSTER } from '../../core/simulate/cluster.ts'
import { secondsToNs } from '../../core/units.ts'
import type { Arrivals } from '../../core/whatif/arrivals.ts'
import { simulatedArrivals, type SimulatedTraffic } from '../../core/whatif/simulated.ts'
import { letterOf, presentCandidate, presentDecisions, presentOutcomes } from '../../core/whatif/present.ts'
import type { WhatIfOptions } from '../../core/whatif/observe.ts'
import { presentRanking } from '../../core/whatif/ranking.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { whatIf as compareVariants, whatIfClosed, type WhatIfResult } from '../../core/whatif/whatif.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import { recordedArrivals } from '../live/wished.ts'
import { checkDemands, type Demand, demandText, levelsOf, readDemands } from './assertions.ts'
import { texts } from './options.ts'
import type { Console, ExitCode } from './console.ts'
import { archiveOf, recordingNamed } from './recordingOptions.ts'
import { arrivalsFrom, scenarioFrom } from './scenarioFiles.ts'
import { RECORDING_OPTIONS } from './sourceOptions.ts'
import { timeFrom, OUTPUT_OPTIONS, readNumber, readOutput, UsageError, type Command, type Given } from './usage.ts'
import { variantsFrom } from './whatifVariants.ts'

/** The same requests under other configurations, limits, versions or algorithms. 1 when an assertion fails. */
export const whatif: Command = {
  options: {
    ...OUTPUT_OPTIONS,
    ...RECORDING_OPTIONS,
    baseline: { type: 'string' },
    candidate: { type: 'string', multiple: true },
    simulate: { type: 'boolean' },
    ...texts('seed', 'seconds', 'window'),
    'closed-loop': { type: 'boolean' },
    flows: { type: 'string' },
    assert: { type: 'string', multiple: true },
  },
  operands: 'files',
  run: runWhatIf,
}

const SECONDS = { min: 1, max: 3_600 } as const
/** Seconds over which fairness is averaged. */
const WINDOW = { min: 1, max: 86_400, whole: true } as const
const FLOWS = { min: 0, max: 1_000, whole: true } as const
const DEFAULT_SECONDS = 300
const DEFAULT_FLOWS = 10

async function runWhatIf(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['yaml', 'markdown'])
  const flows = readNumber(given, 'flows', FLOWS) ?? DEFAULT_FLOWS
  const traffic = await trafficFrom(given, console)
  const { baseline, candidates } = await variantsFrom(given, console)
  const demandsOf = (clients: readonly string[]) =>
    readDemands(given, { levels: levelsOf([baseline, ...candidates]), clients: [...new Set(clients)] })
  const { result, demands } = await compared(given, console, { traffic, baseline, candidates, demandsOf })
  const assertions = checkDemands(demands, result)
  const passed = assertions.every(({ holds }) => holds)
  const data = assertions.length > 0 ? { ...result, assertions, passed } : result
  for (const note of result.notes) console.tell(note)
  if (output === 'yaml') console.printText(stringify(data, { aliasDuplicateObjects: false }))
  else
    console.answer(output, data, [
      presentOutcomes(result, flows),
      '',
      presentRanking([result.baseline, ...result.candidates.map((candidate) => candidate.result)]),
      ...result.candidates.flatMap((candidate, index) => [
        '',
        presentCandidate(result, candidate),
        '',
        presentDecisions(candidate.decisions, letterOf(index + 1)),
      ]),
      ...(assertions.length > 0 ? ['', 'Assertions'] : []),
      ...assertions.map(demandText),
    ])
  return passed ? 0 : 1
}

/** The simulated clients, if the options request them: those of the built-in cluster, or of a scenario. */
async function trafficFrom(given: Given, console: Console): Promise<SimulatedTraffic | undefined> {
  const seed = readNumber(given, 'seed', { ...WHAT_IF_SEED, whole: true })
  const seconds = readNumber(given, 'seconds', SECONDS)
  const simulates = given.flag('simulate')
  const ways = [simulates, given.operands.length > 0, given.flag('recording')].filter(Boolean).length
  if (ways !== 1) {
    throw new UsageError(
      'whatif needs either recorded requests or a scenario (FILE, or - for standard input), --recording ID, or --simulate.',
    )
  }
  if (given.flag('at') && !given.flag('recording')) throw new UsageError('--at goes with --recording.')
  const scenario = simulates ? undefined : await givenScenario(given, console)
  const simulated = simulates ? [] : scenario === undefined ? ['seed', 'seconds', 'closed-loop'] : ['seconds']
  const foreign = simulated.find((option) => given.flag(option))
  if (foreign !== undefined)
    throw new UsageError(`--${foreign} belongs to --simulate${foreign === 'seconds' ? '' : ' or a scenario'}.`)
  if (scenario !== undefined) {
    if (scenario.phases.length + scenario.controllers.length > 0) {
      console.tell('The phases and controllers of the scenario are left out: only its clients are used.')
    }
    return trafficOf({ ...scenario, seed: seed ?? scenario.seed })
  }
  const untilNs = secondsToNs(seconds ?? DEFAULT_SECONDS)
  return simulates ? { workload: CLUSTER, seed: seed ?? 1, startUnixMs: 0, fromNs: 0, untilNs } : undefined
}

/** The scenario of the only operand, if that is a name from the library or a YAML file. */
async function givenScenario({ operands }: Given, console: Console): Promise<Scenario | undefined> {
  const [operand = '', more] = operands
  const library = await scenarioNames(console.scenarioFolder)
  if (more !== undefined || !(library.includes(operand) || /\.ya?ml$/i.test(operand))) return undefined
  return scenarioFrom(operand, library, console)
}

interface Compared {
  readonly traffic: SimulatedTraffic | undefined
  readonly baseline: Variant
  readonly candidates: readonly Variant[]
  /** Reads the demands before the comparison, which may take a while; takes the names of its clients. */
  readonly demandsOf: (clients: readonly string[]) => readonly Demand[]
}

async function compared(
  given: Given,
  console: Console,
  { traffic, baseline, candidates, demandsOf }: Compared,
): Promise<{ readonly result: WhatIfResult; readonly demands: readonly Demand[] }> {
  const mayGoOn = (): boolean => !console.signal.aborted
  const options = { windowSeconds: readNumber(given, 'window', WINDOW) }
  const done = (demands: readonly Demand[], result: WhatIfResult | undefined) => {
    if (result === undefined) throw new ProblemError('cancelled', 'The comparison was cancelled.')
    return { result, demands }
  }
  if (traffic !== undefined && given.flag('closed-loop')) {
    const demands = demandsOf(traffic.workload.groups.map(({ name }) => name))
    return done(demands, closed(traffic, baseline, candidates, mayGoOn, options))
  }
  const arrivals = await arrivalsOf(given, console, traffic, baseline)
  const demands = demandsOf(arrivals.list.map(({ client }) => client))
  return done(demands, compareVariants(arrivals, baseline, candidates, mayGoOn, options))
}

function closed(
  traffic: SimulatedTraffic,
  baseline: Variant,
  candidates: readonly Variant[],
  mayGoOn: () => boolean,
  options: WhatIfOptions,
): WhatIfResult | undefined {
  const several = [baseline, ...candidates].find(({ servers }) => servers > 1)
  if (several !== undefined) {
    throw new UsageError(`--closed-loop simulates one server; ${several.name} has ${several.servers}.`)
  }
  const fewer = [baseline, ...candidates].find(({ requestFactor = 1 }) => requestFactor < 1)
  if (fewer !== undefined)
    throw new UsageError(`--closed-loop clients send all that they have; ${fewer.name} sends less.`)
  return whatIfClosed(traffic, baseline, candidates, mayGoOn, options)
}

async function arrivalsOf(given: Given, console: Console, traffic: SimulatedTraffic | undefined, baseline: Variant) {
  if (traffic !== undefined) {
    const arrivals = simulatedArrivals(traffic, baseline, () => !console.signal.aborted)
    if (arrivals === undefined) throw new ProblemError('cancelled', 'The simulation was cancelled.')
    return arrivals
  }
  const recording = given.value('recording')
  if (recording !== undefined) return recordedBy(recording, timeFrom(given, 'at'), console)
  return arrivalsFrom(given.operands, baseline, console)
}

/** The last requests of a recording up to an instant, as the What-if screen selects them. */
async function recordedBy(name: string, at: number | undefined, console: Console): Promise<Arrivals> {
  const archive = archiveOf(await recordingNamed(name, console), console)
  const until = at ?? archive.extent().last ?? 0
  const { requests, complete } = archive.requests(until, MOST_PAST_REQUESTS)
  if (!complete) console.tell(`Only the last ${requests.length} requests are compared; earlier ones are recorded.`)
  return recordedArrivals({ requests })
}
