import { plain } from '../text/format.ts'
import { type ClassifyingConfiguration, classifyingConfiguration } from '../classify/configuration.ts'
import { QUANTITIES } from '../bounds.ts'
import type {
  DemandPeriod,
  Earlier,
  ForecastLevel,
  ForecastReport,
  Observation,
  ObservedLevel,
  Quantities,
  Quantity,
  SchemaTraffic,
  TwinHistory,
} from '../contract/forecast.ts'
import { CATCH_ALL, defaultFlowSchema, EXEMPT, type FlowSchema, type ObjectSet } from '../config/objects.ts'
import { isExempt } from '../frame/reading.ts'
import { byCodeUnits } from '../text/text.ts'
import { MS_PER_SECOND, type Seats } from '../units.ts'
import { bandOrDirection, foresee, type Foreseen, type Past, scaled } from './bands.ts'
import { DRIFTS, driftOf } from './drift.ts'
import type { MayGoOn } from './fit.ts'
import { MOST_WIDENING } from './judge.ts'
import { meanLimits } from './limits.ts'
import { meanOf, RECOMPUTATION_MS, spanSeconds } from './observe.ts'
import { runTwin, type TwinRun } from './run.ts'
import { presentIn } from './traffic.ts'
import { ensembleRun, RUNS, type Twin } from './twin.ts'

/** With fewer runs a band is meaningless. */
const FEWEST_RUNS = 4
/** Between an edit and the start of the forecast, seconds. */
export const SETTLE_SECONDS = 20
export interface ForecastOptions {
  /** What earlier forecasts here were wrong by. */
  readonly earlier?: Earlier
  /** The mean current limits cover this many seconds after the edit has settled; if absent, as many as the history. */
  readonly seconds?: number | undefined
  /** Seats of the server after the edit, if its flags change too: the server is then restarted. */
  readonly serverLimit?: number | undefined
  readonly mayGoOn?: MayGoOn
  /** Called after each run: whether to stop with the runs so far. */
  readonly enough?: () => boolean
}

/**
 * What the edit does to each level: the twin is run with every guess that fits and several seeds, and switches to the
 * new objects. `undefined` when `mayGoOn` ended it.
 */
export function forecast(twin: Twin, after: ObjectSet, options: ForecastOptions = {}): ForecastReport | undefined {
  const pairs = pairsOf(twin, after, options)
  return pairs && reportOf(twin, after, pairs, options)
}

/** The runs of the ensemble with the edit, each beside the one without it. `undefined` when `mayGoOn` ended it. */
export function pairsOf(
  twin: Twin,
  after: ObjectSet,
  { serverLimit, mayGoOn = () => true, enough = () => false }: ForecastOptions,
): readonly Pair[] | undefined {
  const pairs: Pair[] = []
  const drift = driftOf(twin.parts)
  for (let number = 0; number < RUNS && !(number >= FEWEST_RUNS && enough()); number++) {
    const before = slowed(ensembleRun(twin, number), Math.exp(drift * (DRIFTS[number] ?? 0)))
    const run =
      serverLimit === undefined
        ? { ...before, edit: after, settleSeconds: SETTLE_SECONDS }
        : restartedRun(before, after, {
            serverLimit,
            smoothed: demandOfStart(twin, serverLimit, (number + 0.5) / RUNS),
          })
    const edited = runTwin(run, () => mayGoOn(number / RUNS))
    if (!mayGoOn((number + 1) / RUNS)) return undefined
    const control = twin.controls[number]
    if (edited !== undefined && control !== undefined) pairs.push({ edited, control, smoothed: run.smoothed })
  }
  return pairs
}

/** Whether these seconds show a whole wave: pages do not come exactly where it ends. */
const isWhole = (wave: TwinHistory['waves'][number], seconds: number): boolean => WHOLE_PART * wave.seconds <= seconds
const WHOLE_PART = 0.9

/** What these runs foretell. */
export function reportOf(
  twin: Twin,
  after: ObjectSet,
  pairs: readonly Pair[],
  { earlier = {}, seconds: horizon, serverLimit: newLimit }: ForecastOptions,
): ForecastReport {
  const { observation, variant, fit } = twin
  const serverLimit = newLimit ?? variant.maxRequestsInFlight + variant.maxMutatingRequestsInFlight
  const configured = classifyingConfiguration(after, serverLimit).levels
  const seconds = spanSeconds(observation)
  const limits = limitsAfter({ twin, configured, seconds: horizon ?? seconds }, pairs)
  const redirected = redirectedBy(variant.objects, after)
  const names = new Set([...observation.levels.map(({ name }) => name), ...configured.keys()])
  const levels = [...names].toSorted(byCodeUnits).map((name): ForecastLevel => {
    const now = observation.levels.find((level) => level.name === name)?.quantities
    const nominal = configured.get(name)?.limits.nominal
    const base = { level: name, ...(now && { now }), ...(nominal !== undefined && { nominal }) }
    const why = whyLimitsOnly(name, twin, {
      stays: configured.has(name),
      redirected,
      receives: pairs.some(({ edited }) => (levelOf(edited, name)?.quantities.arrivalsPerSecond ?? 0) > 0),
    })
    if (why !== undefined) return { ...base, bands: {}, note: why }
    const remark = remarkOn(name, twin)
    const wave = twin.waves.find((one) => one.level === name && !isWhole(one, seconds))
    const longestWait = Math.max(0, ...pairs.map(({ edited }) => levelOf(edited, name)?.quantities.waitP99 ?? 0))
    const foretold = QUANTITIES.flatMap((quantity) => {
      const found = bandOrDirection({
        quantity,
        now: now?.[quantity],
        foreseen:
          quantity === 'current'
            ? limits.flatMap((one) => limitOf(one.get(name)))
            : foreseenOf(quantity, name, pairs, now),
        longestWait,
        past: pastOf(quantity, name, twin),
        wave: wave && { seconds: wave.seconds, part: seconds },
        seconds: horizon ?? seconds,
        restarts: newLimit !== undefined,
        earlier: earlier[quantity],
      })
      return found === undefined ? [] : [[quantity, found] as const]
    })
    return {
      ...base,
      bands: Object.fromEntries(foretold.flatMap(([quantity, one]) => ('band' in one ? [[quantity, one.band]] : []))),
      unsure: Object.fromEntries(
        foretold.flatMap(([quantity, one]) => ('unsure' in one ? [[quantity, one.unsure]] : [])),
      ),
      ...(remark !== undefined && { note: remark }),
    }
  })
  const { server, fromMs, untilMs } = observation
  const widened = Object.entries(earlier).flatMap(([quantity, { widening }]) =>
    widening > 1 ? [[quantity, Math.min(widening, MOST_WIDENING)]] : [],
  )
  return {
    server,
    fromMs,
    untilMs,
    levels,
    fit,
    runs: pairs.length,
    seconds,
    ...(widened.length > 0 && { widened: Object.fromEntries(widened) }),
    notes: notesOf(twin, pairs.length, newLimit !== undefined),
  }
}

/** Where the edit may redirect requests, by what their schemas match. */
interface Redirected {
  /**
   * Flow schemas whose requests another schema may take after the edit: one with the same or a lower matching precedence was
   * added, removed or changed. A change of its level or distinguisher alone takes nothing from others.
   */
  readonly from: ReadonlySet<string>
  /** Levels that may receive such requests. */
  readonly to: ReadonlySet<string>
}

function redirectedBy(before: ObjectSet, after: ObjectSet): Redirected {
  const [was, is] = [before.schemas.map(defaultFlowSchema), after.schemas.map(defaultFlowSchema)]
  const textOf = ({ metadata: { name }, spec: { matchingPrecedence, rules } }: FlowSchema): string =>
    JSON.stringify([name, matchingPrecedence, rules])
  const [wasText, isText] = [new Set(was.map(textOf)), new Set(is.map(textOf))]
  const gone = was.filter((schema) => !isText.has(textOf(schema)))
  const come = is.filter((schema) => !wasText.has(textOf(schema)))
  const firstOf = (schemas: readonly FlowSchema[]): number =>
    Math.min(...schemas.map(({ spec }) => spec.matchingPrecedence))
  const from = firstOf([...gone, ...come])
  // Requests that a schema no longer matches may match any later one.
  const takers = [...come, ...is.filter(({ spec }) => spec.matchingPrecedence >= firstOf(gone))]
  return {
    from: new Set(was.filter(({ spec }) => spec.matchingPrecedence >= from).map(({ metadata }) => metadata.name)),
    to: new Set(takers.map(({ spec }) => spec.priorityLevelConfiguration.name)),
  }
}

interface Edited {
  /** Whether the level exists after the edit. */
  readonly stays: boolean
  readonly redirected: Redirected
  /** Whether it gets requests in a run with the edit. */
  readonly receives: boolean
}

/** A run in which everything takes longer or shorter. */
const slowed = (run: TwinRun, factor: number): TwinRun => ({
  ...run,
  variant: { ...run.variant, executionFactor: factor * run.variant.executionFactor },
})

/** A run of a server that has only just started, with other flags. */
function restartedRun(
  run: TwinRun,
  objects: ObjectSet,
  { serverLimit, smoothed }: { readonly serverLimit: number } & Pick<TwinRun, 'smoothed'>,
): TwinRun {
  const variant = { ...run.variant, objects, maxRequestsInFlight: serverLimit, maxMutatingRequestsInFlight: 0 }
  return { ...run, variant, smoothed, warmSeconds: SETTLE_SECONDS }
}

/**
 * Smoothed demand of a server that has just read its objects. Before that it has only the levels exempt and catch-all, so
 * catch-all takes the requests of this part of the clients, and its demand of that moment halves in five minutes.
 */
export function demandOfStart(
  { observation: { levels } }: Pick<Twin, 'observation'>,
  serverLimit: Seats,
  part: number,
): ReadonlyMap<string, Seats> {
  const present = levels.filter((level) => !isExempt(level)).reduce((sum, level) => sum + presentIn(level), 0)
  return new Map([[CATCH_ALL, Math.min(serverLimit, part * present)]])
}

function whyLimitsOnly(
  name: string,
  { observation, variant, fit, missing, known }: Twin,
  { stays, redirected, receives }: Edited,
): string | undefined {
  if (!stays) {
    return variant.objects.levels.some(({ metadata }) => metadata.name === name)
      ? 'The edit removes this level.'
      : 'The object of this level is unknown.'
  }
  if (name === EXEMPT) return 'No limit and no queue, so there is nothing to forecast.'
  const observed = observation.levels.find((level) => level.name === name)
  const isUnnamed = ({ schema }: SchemaTraffic): boolean => redirected.from.has(schema) && !known.has(schema)
  const mayCome = redirected.to.has(name)
    ? observation.levels.flatMap(({ schemas }) => schemas).find(isUnnamed)
    : undefined
  if (observed === undefined) {
    if (mayCome !== undefined) {
      return `New level: no debug dump names the flows of flow schema ${mayCome.schema}, whose requests it may receive.`
    }
    return receives ? undefined : 'New level: it would receive none of the requests of this time.'
  }
  const unknown = observed.schemas.find(({ schema }) => missing.includes(schema))
  if (unknown !== undefined) return `Cannot construct a request of flow schema ${unknown.schema}.`
  if (observed.quantities.arrivalsPerSecond === 0) return 'No requests in this time.'
  const unnamed = observed.schemas.find(isUnnamed) ?? mayCome
  if (unnamed !== undefined) {
    return `The edit may send requests of flow schema ${unnamed.schema} ${observed.schemas.includes(unnamed) ? 'elsewhere' : 'here'}, and no debug dump names their flows.`
  }
  const own = fit.find(({ level }) => level === name)
  if (own?.fits !== true) return `The twin does not reproduce this level: error ${plain.percent(own?.error ?? 1)}.`
  return undefined
}

/** The part of a forecast that lacks evidence. */
function remarkOn(name: string, { observation }: Twin): string | undefined {
  const level = observation.levels.find((one) => one.name === name)
  if (level === undefined) return undefined
  const { waitP99 = 0, rejectedPerSecond } = level.quantities
  return waitP99 === 0 && rejectedPerSecond === 0
    ? 'No requests waited, so arrivals are estimated from seat demand alone.'
    : undefined
}

interface Pair {
  readonly edited: Observation
  /** The same guesses and seed without the edit. */
  readonly control: Observation
  /** Smoothed demand at the time of the edit, seats, by level. */
  readonly smoothed: TwinRun['smoothed']
}

const levelOf = ({ levels }: Observation, name: string): ObservedLevel | undefined =>
  levels.find((level) => level.name === name)

const limitOf = (limit: number | undefined): readonly Foreseen[] =>
  limit === undefined ? [] : [{ value: scaled('current', limit), shown: 0, error: 0 }]

function foreseenOf(
  quantity: Quantity,
  name: string,
  pairs: readonly Pair[],
  now: Quantities | undefined,
): readonly Foreseen[] {
  return pairs.flatMap(({ edited, control }) => {
    // If no request was dispatched, the wait is unknown; other waits are no evidence.
    const after = levelOf(edited, name)?.quantities[quantity]
    if (after === undefined) return []
    return [foresee(quantity, now?.[quantity] ?? 0, after, levelOf(control, name)?.quantities[quantity] ?? 0)]
  })
}

function pastOf(quantity: Quantity, name: string, { parts }: Twin): Past {
  const levels = parts.flatMap((part) => part.levels.filter(({ level }) => level === name))
  return {
    values: levels.flatMap(({ quantities }) => quantities[quantity] ?? []),
    partSeconds: meanOf(parts.map((part) => part.seconds)) ?? 0,
  }
}

interface LimitQuestion {
  readonly twin: Twin
  readonly configured: ClassifyingConfiguration['levels']
  /** Length of the counted period. */
  readonly seconds: number
}

/** Mean current limits after the edit, by level: from the demand of each run, beginning at each of its periods. */
function limitsAfter(
  { twin: { observation, variant }, configured, seconds }: LimitQuestion,
  pairs: readonly Pair[],
): readonly ReadonlyMap<string, number>[] {
  const periods = (length: number): number => Math.max(1, Math.round((length * MS_PER_SECOND) / RECOMPUTATION_MS))
  return pairs.flatMap((pair) => {
    const demands = new Map([...configured.keys()].map((name) => [name, demandAfter(name, observation, pair)]))
    const phases = Math.max(1, ...[...demands.values()].map(({ length }) => length))
    const course = {
      levels: configured,
      version: variant.version,
      smoothed: pair.smoothed,
      demands,
      settling: periods(SETTLE_SECONDS),
      counted: periods(seconds),
    }
    return Array.from({ length: phases }, (_, phase) => meanLimits(course, phase))
  })
}

/** If the edit changes the demand by less than this part, the observed demand continues, shifted by that change. */
const SAME_DEMAND = 0.1

function demandAfter(name: string, observation: Observation, { edited, control }: Pair): readonly DemandPeriod[] {
  const [observed = [], after = [], before = []] = [observation, edited, control].map(
    (one) => levelOf(one, name)?.demands,
  )
  const mean = (demands: readonly DemandPeriod[]): number =>
    meanOf(demands.map(({ average, stdev }) => average + stdev)) ?? 0
  const [was, is] = [mean(before), mean(after)]
  if (observed.length === 0 || Math.abs(is - was) > Math.max(1, SAME_DEMAND * Math.max(is, was))) return after
  return observed.map(({ average, ...rest }) => ({ ...rest, average: Math.max(0, average + is - was) }))
}

function notesOf(
  { observation, known, missing, guesses, parts, waves }: Twin,
  runs: number,
  restarts: boolean,
): readonly string[] {
  const seconds = Math.round(spanSeconds(observation))
  const [wave] = waves
  const whole = wave !== undefined && isWhole(wave, seconds) ? `, whole waves of ${wave.level},` : ','
  const open = [...guesses.values()].some((list) => list.some(({ clients }) => clients === 'open'))
  const closed = [...guesses.values()].some((list) => list.some(({ clients }) => clients === 'closed'))
  const clients = open && closed ? 'open and closed' : open ? 'open' : 'closed'
  const named = known.size > 0 ? 'flows from debug dumps' : 'the number of flows fitted'
  return [
    `From the last ${seconds} s${whole} with ${clients} clients and ${named}. It assumes that the same clients continue to send the same requests.`,
    `Bands are the 90 % interval of ${runs} simulated runs, widened by the error of the twin and by how much ${plain.counted(parts.length, 'part')} of that time differ.`,
    ...(restarts
      ? [
          'The server restarts. Clients that return before it has read its objects are in catch-all, whose demand of that moment takes seats of the others for minutes. How many that are is unknown: from few to all in the runs.',
        ]
      : []),
    ...(missing.length === 0
      ? []
      : [`Cannot construct requests for ${missing.join(', ')}; their levels show limits only.`]),
  ]
}
