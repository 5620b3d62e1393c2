import { plain } from '../text/format.ts'
import { type ClassifyingConfiguration, classifyingConfiguration } from '../classify/configuration.ts'
import { QUANTITIES } from '../bounds.ts'
import type {
  Band,
  DemandPeriod,
  ForecastLevel,
  ForecastReport,
  Observation,
  ObservedLevel,
  Quantities,
  Quantity,
  SchemaTraffic,
} from '../contract/forecast.ts'
import { defaultFlowSchema, EXEMPT, type FlowSchema, type ObjectSet } from '../config/objects.ts'
import { median } from '../frame/quantile.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from '../frame/reading.ts'
import { byCodeUnits } from '../text/text.ts'
import { MS_PER_SECOND } from '../units.ts'
import type { MayGoOn } from './fit.ts'
import { meanLimits } from './limits.ts'
import { meanOf, RECOMPUTATION_MS } from './observe.ts'
import { runTwin, type TwinRun } from './run.ts'
import { ensembleRun, fewRejections, RUNS, smoothedOf, type Twin } from './twin.ts'

/** With fewer runs a band is meaningless. */
const FEWEST_RUNS = 4
/** Between an edit and the start of the forecast, seconds. */
export const SETTLE_SECONDS = 20
/** Quantiles of the values of the runs. */
const BAND = { low: 0.05, high: 0.95 } as const

export interface ForecastOptions {
  /** Multiplies the half-widths of the bands, based on the errors of earlier forecasts here. 1 if absent. */
  readonly widening?: number
  /** The mean current limits cover this many seconds after the edit has settled; if absent, as many as the history. */
  readonly seconds?: number
  /** Seats of the server after the edit, if its flags change too: the server is then restarted. */
  readonly serverLimit?: number
  readonly mayGoOn?: MayGoOn
  /** Called after each run: whether to stop with the runs so far. */
  readonly enough?: () => boolean
}

/**
 * What the edit does to each level: the twin is run with every guess that fits and several seeds, and switches to the
 * new objects. `undefined` when `mayGoOn` ended it.
 */
export function forecast(
  twin: Twin,
  after: ObjectSet,
  {
    widening = 1,
    seconds: horizon,
    serverLimit: newLimit,
    mayGoOn = () => true,
    enough = () => false,
  }: ForecastOptions = {},
): ForecastReport | undefined {
  const pairs: Pair[] = []
  for (let number = 0; number < RUNS && !(number >= FEWEST_RUNS && enough()); number++) {
    const run = editedRun(ensembleRun(twin, number), after, newLimit)
    const edited = runTwin(run, () => mayGoOn(number / RUNS))
    if (!mayGoOn((number + 1) / RUNS)) return undefined
    const control = twin.controls[number]
    if (edited !== undefined && control !== undefined) pairs.push({ edited, control })
  }
  const { observation, variant, fit } = twin
  const serverLimit = newLimit ?? variant.maxRequestsInFlight + variant.maxMutatingRequestsInFlight
  const configured = classifyingConfiguration(after, serverLimit).levels
  const seconds = (observation.untilMs - observation.fromMs) / MS_PER_SECOND
  const limits = limitsAfter({ twin, configured, seconds: horizon ?? seconds, restarts: newLimit !== undefined }, pairs)
  const redirected = redirectedBy(variant.objects, after)
  const names = new Set([...observation.levels.map(({ name }) => name), ...configured.keys()])
  const levels = [...names].toSorted(byCodeUnits).map((name): ForecastLevel => {
    const now = observation.levels.find((level) => level.name === name)?.quantities
    const nominal = configured.get(name)?.limits.nominal
    const base = { level: name, ...(now && { now }), ...(nominal !== undefined && { nominal }) }
    const why = whyLimitsOnly(name, twin, { stays: configured.has(name), redirected })
    if (why !== undefined) return { ...base, bands: {}, note: why }
    const values = {
      pairs: pairs.map(({ edited, control }) => ({ edited: levelOf(edited, name), control: levelOf(control, name) })),
      limits: limits.flatMap((one) => one.get(name) ?? []),
    }
    const remark = remarkOn(name, twin)
    return { ...base, bands: bandsOf(name, values, twin, widening), ...(remark !== undefined && { note: remark }) }
  })
  const { server, fromMs, untilMs } = observation
  const notes = [...notesOf(twin, pairs.length), ...(widening > 1 ? [wideningNote(widening)] : [])]
  return {
    server,
    fromMs,
    untilMs,
    levels,
    fit,
    runs: pairs.length,
    seconds,
    ...(widening > 1 && { widening }),
    notes,
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
}

/** A run that switches to the new objects. Changed flags require a new server, which has no demand yet. */
function editedRun(run: TwinRun, after: ObjectSet, newLimit: number | undefined): TwinRun {
  if (newLimit === undefined) return { ...run, edit: after, settleSeconds: SETTLE_SECONDS }
  const variant = { ...run.variant, objects: after, maxRequestsInFlight: newLimit, maxMutatingRequestsInFlight: 0 }
  return { ...run, variant, smoothed: new Map(), warmSeconds: SETTLE_SECONDS, settleSeconds: 0 }
}

function whyLimitsOnly(
  name: string,
  { observation, fit, missing, known }: Twin,
  { stays, redirected }: Edited,
): string | undefined {
  if (!stays) return 'The edit removes this level.'
  if (name === EXEMPT) return 'No limit and no queue, so there is nothing to forecast.'
  const observed = observation.levels.find((level) => level.name === name)
  if (observed === undefined) return 'New level: metrics do not show which requests it will receive.'
  const unknown = observed.schemas.find(({ schema }) => missing.includes(schema))
  if (unknown !== undefined) return `Cannot construct a request of flow schema ${unknown.schema}.`
  if (observed.quantities.arrivalsPerSecond === 0) return 'No requests in this time.'
  const isUnnamed = ({ schema }: SchemaTraffic): boolean => redirected.from.has(schema) && !known.has(schema)
  const unnamed =
    observed.schemas.find(isUnnamed) ??
    (redirected.to.has(name) ? observation.levels.flatMap(({ schemas }) => schemas).find(isUnnamed) : undefined)
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

interface Pair<T = Observation> {
  readonly edited: T
  /** The same guesses and seed without the edit. */
  readonly control: T
}

const levelOf = ({ levels }: Observation, name: string): ObservedLevel | undefined =>
  levels.find((level) => level.name === name)

interface Values {
  readonly pairs: readonly Pair<ObservedLevel | undefined>[]
  /** Mean current limits. */
  readonly limits: readonly number[]
}

function bandsOf(
  name: string,
  { pairs, limits }: Values,
  twin: Twin,
  widening: number,
): Partial<Record<Quantity, Band>> {
  const observed = levelOf(twin.observation, name)?.quantities
  return Object.fromEntries(
    QUANTITIES.flatMap((quantity): readonly (readonly [Quantity, Band])[] => {
      if (quantity === 'current') {
        return limits.length === 0 ? [] : [[quantity, bandOf({ values: limits, quantity, errors: [], widening })]]
      }
      const foreseen = pairs.flatMap((pair) => foresee(quantity, observed, pair) ?? [])
      if (foreseen.length === 0) return []
      const error = medianOf(foreseen.map((one) => one.error))
      if (error > MOST_ERROR) return []
      const values = foreseen.map(({ value }) => value)
      return [[quantity, bandOf({ values, quantity, errors: [error, changeOf(name, quantity, twin)], widening })]]
    }),
  )
}

interface Foreseen {
  readonly value: number
  /** Relative error of the twin without the edit, as far as the value is not corrected for it. */
  readonly error: number
}

/**
 * The forecast of one run for a quantity. As far as the edit leaves the level unchanged, the server continues as
 * observed: the run with the edit is corrected by the difference between twin and server without it.
 */
function foresee(
  quantity: Quantity,
  observed: Quantities | undefined,
  { edited, control }: Values['pairs'][number],
): Foreseen | undefined {
  // If no request was dispatched, the wait is unknown; other waits are no evidence.
  const after = edited?.quantities[quantity]
  if (after === undefined) return undefined
  const [now = 0, shown = 0] = [observed?.[quantity], control?.quantities[quantity]]
  const least = negligible(quantity, observed)
  const same = (Math.min(after, shown) + least) / (Math.max(after, shown) + least)
  const value = Math.max(0, after + same * (now - shown))
  const larger = Math.max(now, shown)
  return { value, error: larger < least ? 0 : ((1 - same) * Math.abs(now - shown)) / larger }
}

const medianOf = (values: readonly number[]): number => median(values) ?? 0

interface Wide {
  readonly values: readonly number[]
  readonly quantity: Quantity
  /** Relative errors of independent causes. */
  readonly errors: readonly number[]
  readonly widening: number
}

/** The quantiles of the runs, widened by the twin's errors and by how much the server changes on its own. */
function bandOf({ values, quantity, errors, widening }: Wide): Band {
  const ascending = values.toSorted((a, b) => a - b)
  const least = LEAST[quantity]
  const at = (q: number): number => ascending[Math.round(q * (ascending.length - 1))] ?? 0
  const point = medianOf(ascending)
  const more = Math.hypot(Math.max(least.part * point, least.amount), ...errors.map((error) => error * point))
  const low = point - Math.hypot(point - at(BAND.low), more) * widening
  const high = point + Math.hypot(at(BAND.high) - point, more) * widening
  return { low: Math.max(0, low), point, high: Math.min(high, least.most ?? high) }
}

/** Smaller values are negligible. */
const negligible = (quantity: Quantity, observed: Quantities | undefined): number =>
  quantity === 'rejectedPerSecond' && observed !== undefined ? fewRejections(observed) : 2 * LEAST[quantity].amount

interface Least {
  readonly part: number
  readonly amount: number
  /** Upper bound on any server. */
  readonly most?: number
}

/** No request waits longer than a quarter of the request timeout. */
const LONGEST_WAIT_SECONDS = DEFAULT_REQUEST_TIMEOUT_SECONDS / 4

/** Minimum widths of bands: the twin has less information about the requests than their metrics. */
const LEAST: Readonly<Record<Quantity, Least>> = {
  waitP50: { part: 0.2, amount: 0.005, most: LONGEST_WAIT_SECONDS },
  waitP99: { part: 0.2, amount: 0.005, most: LONGEST_WAIT_SECONDS },
  rejectedPerSecond: { part: 0.2, amount: 0.1 },
  seats: { part: 0.05, amount: 1 },
  current: { part: 0.03, amount: 1 },
}

/** If the uncorrected error of the twin is larger, it cannot forecast the quantity. */
const MOST_ERROR = 0.5

/**
 * Relative difference between the first and the last part of the history, if there are two: the forecast period differs
 * from the whole by about as much.
 */
function changeOf(name: string, quantity: Quantity, { held, fit }: Twin): number {
  const first = fit.find(({ level }) => level === name)?.observed
  const last = held && levelOf(held, name)?.quantities
  if (first === undefined || last === undefined) return 0
  const [a = 0, b = 0] = [first[quantity], last[quantity]]
  const larger = Math.max(a, b)
  return larger < negligible(quantity, first) ? 0 : Math.abs(a - b) / larger
}

interface LimitQuestion {
  readonly twin: Twin
  readonly configured: ClassifyingConfiguration['levels']
  /** Length of the counted period. */
  readonly seconds: number
  /** Whether the edit restarts the server. */
  readonly restarts: boolean
}

/** Mean current limits after the edit, by level: from the demand of each run, beginning at each of its periods. */
function limitsAfter(
  { twin: { observation, variant }, configured, seconds, restarts }: LimitQuestion,
  pairs: readonly Pair[],
): readonly ReadonlyMap<string, number>[] {
  const periods = (length: number): number => Math.max(1, Math.round((length * MS_PER_SECOND) / RECOMPUTATION_MS))
  return pairs.flatMap((pair) => {
    const demands = new Map([...configured.keys()].map((name) => [name, demandAfter(name, observation, pair)]))
    const phases = Math.max(1, ...[...demands.values()].map(({ length }) => length))
    const course = {
      levels: configured,
      version: variant.version,
      smoothed: restarts ? new Map<string, number>() : smoothedOf(observation, 'last'),
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

const wideningNote = (widening: number): string =>
  `Bands are ${plain.amount(widening)} times as wide as the runs suggest, because earlier forecasts here missed more often than one in ten.`

function notesOf({ observation, known, missing, guesses, held }: Twin, runs: number): readonly string[] {
  const seconds = Math.round((observation.untilMs - observation.fromMs) / MS_PER_SECOND)
  const open = [...guesses.values()].some((list) => list.some(({ clients }) => clients === 'open'))
  const closed = [...guesses.values()].some((list) => list.some(({ clients }) => clients === 'closed'))
  const clients = open && closed ? 'open and closed' : open ? 'open' : 'closed'
  const named = known.size > 0 ? 'flows from debug dumps' : 'the number of flows fitted'
  return [
    `From the last ${seconds} s, with ${clients} clients and ${named}. It assumes that the same clients continue to send the same requests.`,
    `Bands are the 90 % interval of ${runs} simulated runs, widened by the error of the twin${held === undefined ? '' : ' and by how much the levels changed during that time'}.`,
    ...(missing.length === 0
      ? []
      : [`Cannot construct requests for ${missing.join(', ')}; their levels show limits only.`]),
  ]
}
