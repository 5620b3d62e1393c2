import { classifyingConfiguration } from '../classify/configuration.ts'
import type { ObjectSet } from '../config/objects.ts'
import { QUANTITIES } from '../contract/bounds.ts'
import type {
  Band,
  ForecastLevel,
  ForecastReport,
  Observation,
  ObservedLevel,
  Quantities,
  Quantity,
} from '../contract/forecast.ts'
import { EXEMPT } from '../config/objects.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from '../frame/reading.ts'
import { byCodeUnits } from '../text/text.ts'
import { MS_PER_SECOND } from '../units.ts'
import type { MayGoOn, Twin } from './fit.ts'
import { fewRejections, twinRun, wasRejecting } from './fit.ts'
import { runTwin } from './run.ts'
import type { Guess } from './traffic.ts'

/** Each ensemble of guesses is run with so many seeds. */
const SEEDS = 3
const MEMBERS = 4
/** With fewer runs a band has no meaning. */
const FEWEST_RUNS = 4
/** Between an edit and the first moment that is forecast, seconds. */
export const SETTLE_SECONDS = 20
/** Of the values of the runs. */
const BAND = { low: 0.05, high: 0.95 } as const

export interface ForecastOptions {
  /** Multiplies the half-widths of the bands: what earlier forecasts here got wrong. 1 without. */
  readonly widening?: number
  readonly mayGoOn?: MayGoOn
  /** Asked after each run: whether the runs so far have to do. */
  readonly enough?: () => boolean
}

/**
 * What the edit does to each level: the twin is run with every guess that fits and several seeds, and goes over to the new
 * objects. `undefined` when `mayGoOn` ended it.
 */
export function forecast(
  twin: Twin,
  after: ObjectSet,
  { widening = 1, mayGoOn = () => true, enough = () => false }: ForecastOptions = {},
): ForecastReport | undefined {
  const results: Observation[] = []
  const runs = SEEDS * MEMBERS
  for (let number = 0; number < runs && !(number >= FEWEST_RUNS && enough()); number++) {
    const member = number % MEMBERS
    const seed = 11 + Math.floor(number / MEMBERS)
    const honours = (number + Math.floor(number / MEMBERS)) % 2 === 0
    const { run } = twinRun(twin, (level) => guessFor(level, { member, honours }, twin), seed)
    const result = runTwin({ ...run, edit: after, settleSeconds: SETTLE_SECONDS }, () => mayGoOn(number / runs))
    if (!mayGoOn((number + 1) / runs)) return undefined
    if (result !== undefined) results.push(result)
  }
  const { observation, variant, fit } = twin
  const serverLimit = variant.maxRequestsInFlight + variant.maxMutatingRequestsInFlight
  const configured = classifyingConfiguration(after, serverLimit).levels
  const names = new Set([...observation.levels.map(({ name }) => name), ...configured.keys()])
  const levels = [...names].toSorted(byCodeUnits).map((name): ForecastLevel => {
    const now = observation.levels.find((level) => level.name === name)?.quantities
    const nominal = configured.get(name)?.limits.nominal
    const base = { level: name, ...(now && { now }), ...(nominal !== undefined && { nominal }) }
    const why = whyLimitsOnly(name, twin, configured.has(name))
    if (why !== undefined) return { ...base, bands: {}, note: why }
    const values = results.flatMap(({ levels: all }) => all.find((level) => level.name === name)?.quantities ?? [])
    const remark = remarkOn(name, twin)
    return { ...base, bands: bandsOf(name, values, twin, widening), ...(remark !== undefined && { note: remark }) }
  })
  const seconds = (observation.untilMs - observation.fromMs) / MS_PER_SECOND
  const { server, fromMs, untilMs } = observation
  const notes = [...notesOf(twin, results.length), ...(widening > 1 ? [wideningNote(widening)] : [])]
  return {
    server,
    fromMs,
    untilMs,
    levels,
    fit,
    runs: results.length,
    seconds,
    ...(widening > 1 && { widening }),
    notes,
  }
}

/** What clients do about a 429 is not known where there was none, so both happen: some honour `Retry-After`, others do not. */
function guessFor(
  name: string,
  { member, honours }: { readonly member: number; readonly honours: boolean },
  { guesses, observation }: Twin,
): Guess | undefined {
  const list = guesses.get(name) ?? []
  const guess = list[member % Math.max(1, list.length)]
  const level = observation.levels.find((one) => one.name === name)
  if (guess?.clients !== 'closed' || level === undefined || wasRejecting(level)) return guess
  return { ...guess, onRejection: honours ? 'retry' : 'next' }
}

function whyLimitsOnly(name: string, { observation, fit, missing }: Twin, stays: boolean): string | undefined {
  if (!stays) return 'The edit removes this level.'
  if (name === EXEMPT) return 'No limit and no queue, so there is nothing to forecast.'
  const observed = observation.levels.find((level) => level.name === name)
  if (observed === undefined) return 'New level: metrics do not show which requests it gets.'
  const unknown = observed.schemas.find(({ schema }) => missing.includes(schema))
  if (unknown !== undefined) return `No request of flow schema ${unknown.schema} could be made up.`
  if (observed.quantities.arrivalsPerSecond === 0) return 'No requests in this time.'
  const own = fit.find(({ level }) => level === name)
  if (own?.fits !== true) return `The twin does not reproduce this level: error ${percent(own?.error ?? 1)}.`
  return undefined
}

const percent = (part: number): string => `${Math.round(part * 100)} %`

/** What a forecast cannot rest on evidence. */
function remarkOn(name: string, { observation }: Twin): string | undefined {
  const level = observation.levels.find((one) => one.name === name)
  if (level === undefined) return undefined
  const { waitP99 = 0, rejectedPerSecond } = level.quantities
  return waitP99 === 0 && rejectedPerSecond === 0
    ? 'Nothing waited, so how the requests come is known from seat demand alone.'
    : undefined
}

function bandsOf(
  name: string,
  values: readonly Quantities[],
  twin: Twin,
  widening: number,
): Partial<Record<Quantity, Band>> {
  return Object.fromEntries(
    QUANTITIES.flatMap((quantity) => {
      // Where no request was dispatched no wait is known; that of others is no evidence.
      const known = values.flatMap((one) => one[quantity] ?? []).toSorted((a, b) => a - b)
      const error = errorOf(name, quantity, twin)
      if (known.length === 0 || error > MOST_ERROR) return []
      return [[quantity, bandOf(known, quantity, error, widening)]]
    }),
  )
}

/** The quantiles of the runs, stretched by what the twin got wrong where the answer is known. */
function bandOf(ascending: readonly number[], quantity: Quantity, error: number, widening: number): Band {
  const least = LEAST[quantity]
  const at = (q: number): number => ascending[Math.round(q * (ascending.length - 1))] ?? 0
  const point = at(0.5)
  const more = Math.max(least.part * point, least.amount, error * point)
  const low = point - (point - at(BAND.low) + more) * widening
  const high = point + (at(BAND.high) - point + more) * widening
  return { low: Math.max(0, low), point, high: Math.min(high, least.most ?? high) }
}

/** What is as good as nothing. */
const negligible = (quantity: Quantity, observed: Quantities | undefined): number =>
  quantity === 'rejectedPerSecond' && observed !== undefined ? fewRejections(observed) : 2 * LEAST[quantity].amount

interface Least {
  readonly part: number
  readonly amount: number
  /** What no server exceeds. */
  readonly most?: number
}

/** No request waits longer than a quarter of the request timeout. */
const LONGEST_WAIT_SECONDS = DEFAULT_REQUEST_TIMEOUT_SECONDS / 4

/** No band is narrower: the twin knows less of the requests than their metrics hold. */
const LEAST: Readonly<Record<Quantity, Least>> = {
  waitP50: { part: 0.2, amount: 0.005, most: LONGEST_WAIT_SECONDS },
  waitP99: { part: 0.2, amount: 0.005, most: LONGEST_WAIT_SECONDS },
  rejectedPerSecond: { part: 0.2, amount: 0.1 },
  seats: { part: 0.05, amount: 1 },
  current: { part: 0.03, amount: 1 },
}

/** What the twin gets more wrong than this where the answer is known, it cannot forecast. */
const MOST_ERROR = 0.5

/** Relative error of the twin for one quantity: where it was fitted, or on other pages, whichever is larger. */
function errorOf(name: string, quantity: Quantity, { check, fit }: Twin): number {
  const own = fit.find(({ level }) => level === name)
  const of = (observation: Observation | undefined): Quantities | undefined =>
    observation?.levels.find((level: ObservedLevel) => level.name === name)?.quantities
  const pairs = [
    [own?.observed, own?.twin],
    [of(check?.observed), of(check?.twin)],
  ] as const
  return Math.max(
    ...pairs.map(([observed, shown]) => {
      const [a = 0, b = 0] = [observed?.[quantity], shown?.[quantity]]
      const larger = Math.max(a, b)
      return larger < negligible(quantity, observed) ? 0 : Math.abs(a - b) / larger
    }),
  )
}

const wideningNote = (widening: number): string =>
  `Bands are ${widening.toFixed(1)} times as wide as the runs suggest, because earlier forecasts here missed more often than one in ten.`

function notesOf({ observation, known, missing, guesses, check }: Twin, runs: number): readonly string[] {
  const seconds = Math.round((observation.untilMs - observation.fromMs) / MS_PER_SECOND)
  const open = [...guesses.values()].some((list) => list.some(({ clients }) => clients === 'open'))
  const closed = [...guesses.values()].some((list) => list.some(({ clients }) => clients === 'closed'))
  const clients = open && closed ? 'open and closed' : open ? 'open' : 'closed'
  const named = known.size > 0 ? 'flows from debug dumps' : 'the number of flows fitted'
  return [
    `From the last ${seconds} s, with ${clients} clients and ${named}. It assumes that the same clients go on sending the same requests.`,
    `Bands are the 90 % interval of ${runs} simulated runs, widened by the error of the twin${check === undefined ? '' : ' on pages that it was not fitted to'}.`,
    ...(missing.length === 0
      ? []
      : [`No requests could be made up for ${missing.join(', ')}; their levels show limits only.`]),
  ]
}
