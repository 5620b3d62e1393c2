import { movedText } from './seatBar.data.ts'
import { format } from '../theme/format.ts'
import { plural, rounded } from '../../core/text/format.ts'
import { levelAccounts } from '../../core/impact/adjustmentLedger.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { isExempt, sumOfKnown } from '../../core/frame/reading.ts'

/** The seats of one Limited level (specification 6.1, 6.4). `undefined` is unknown. */
export interface LedgerEntry {
  readonly name: string
  readonly nominal: number
  readonly current: number
  readonly lent: number
  readonly borrowed: number
  readonly executing: number | undefined
  /** Unused seats inside the limit. */
  readonly free: number | undefined
}

/**
 * How the server distributed its seats (specification 6.4).
 * - `shared`: the solver distributed all nominal seats; lent and borrowed pass through one pool.
 * - `short`: exempt used so much that the floors did not fit (cases 1 and 2): seats are withheld, there is no pool.
 * - `unknown`: the fair fraction is not reported.
 */
export type LedgerRegime = 'shared' | 'short' | 'unknown'

/** An account of every seat of one server. Sums are over Limited levels; exempt is separate. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[]
  /** Levels whose nominal or current limit is not reported, so that they cannot be accounted for. */
  readonly unknown: readonly string[]
  readonly nominal: number
  readonly current: number
  readonly lent: number
  readonly borrowed: number
  readonly executing: number | undefined
  readonly free: number | undefined
  /** Σ current − Σ nominal: borrowed − lent, or less what is withheld. */
  readonly difference: number
  readonly regime: LedgerRegime
  /** Seats that exempt executes, and those set aside for it (its current limit). */
  readonly exempt: { readonly executing: number | undefined; readonly current: number | undefined } | undefined
}

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

/** Levels in the order of `names`, levels that are not in it at the end. */
function inOrder(server: ServerFrame, names: readonly string[]) {
  const place = new Map(names.map((name, index) => [name, index]))
  const at = (name: string) => place.get(name) ?? names.length
  return server.levels.toSorted((a, b) => at(a.name) - at(b.name))
}

/** The account of `server`, with its levels in the given fixed order. */
export function ledgerOf(server: ServerFrame, order: readonly string[]): Ledger {
  const levels = inOrder(server, order).map(({ name, limits, seats }) => ({ name, limits, executing: seats.executing }))
  const accounts = levelAccounts(levels)
  const regime = server.seatFairFrac === undefined ? 'unknown' : server.seatFairFrac === 0 ? 'short' : 'shared'
  const entries = accounts.entries.map(({ name, nominal, current, lent, borrowed, used, idle, over }): LedgerEntry => {
    const moved = regime === 'short' ? { lent: 0, borrowed: 0 } : { lent, borrowed }
    return { name, nominal, current, ...moved, executing: sumOfKnown([used, over]), free: idle }
  })
  const exempt = server.levels.find(isExempt)
  const nominal = total(entries.map((entry) => entry.nominal))
  const current = total(entries.map((entry) => entry.current))
  return {
    entries,
    unknown: accounts.unknown,
    nominal,
    current,
    lent: total(entries.map((entry) => entry.lent)),
    borrowed: total(entries.map((entry) => entry.borrowed)),
    executing: sumOfKnown(entries.map((entry) => entry.executing)),
    free: sumOfKnown(entries.map((entry) => entry.free)),
    difference: current - nominal,
    regime,
    exempt: exempt && { executing: exempt.seats.executing, current: exempt.limits.current },
  }
}

const seatsWord = (n: number) => format.counted(n, 'seat')

/**
 * How the sum of nominal limits relates to the server's own limit, which `/metrics` does not report. Each nominal limit
 * is rounded up (specification 6.1), so the surplus is less than one seat per level with a share.
 */
export function nominalNote(ledger: Ledger): string {
  const atMost = Math.max(0, ledger.entries.filter((entry) => entry.nominal > 0).length - 1)
  const rounding = atMost === 0 ? '' : `, at most ${format.seats(atMost)} of them by rounding`
  const exempt = ledger.exempt?.executing
  const onTop = ledger.exempt === undefined || exempt === undefined ? '' : `; exempt runs ${seatsWord(exempt)} more`
  return `${format.counted(ledger.nominal, 'nominal seat')}${rounding}${onTop}`
}

/** Why the sum of the current limits differs from that of the nominal ones; absent when it does not. */
export function differenceNote(ledger: Ledger): string | undefined {
  const { difference, entries, exempt, regime } = ledger
  if (difference === 0) return undefined
  if (regime === 'short' && difference < 0) {
    const withheld = format.counted(-difference, 'seat is withheld', 'seats are withheld')
    return `no pool: exempt used so many seats that the floors of all levels did not fit; ${withheld}.`
  }
  const amount = Math.abs(difference)
  const sum = `current limits sum to ${format.seats(ledger.current)}`
  const off = `${format.seats(amount)} ${difference > 0 ? 'more' : 'fewer'}`
  // Each limit is rounded to the nearest seat, so the sum may be off by half a seat per level (specification 6.4).
  if (amount <= entries.length / 2) return `${sum}, ${off}: each is rounded.`
  const taken = exempt?.current ?? 0
  // Up to 1.30 exempt is one more item of the solver (specification 6.4a).
  if (difference < 0 && Math.abs(taken - amount) <= entries.length / 2) {
    return `${sum}: exempt holds ${format.seats(taken)} of the nominal seats.`
  }
  return `${sum}, ${off} than nominal: the scrape may straddle two reallocations.`
}

/** The account as one sentence: the drawing's accessible name. */
export function ledgerSentence(ledger: Ledger): string {
  if (ledger.entries.length === 0) return 'Seat ledger: no level with known limits'
  const executing = ledger.executing === undefined ? 'an unknown number of' : format.seats(ledger.executing)
  const idle =
    ledger.free === undefined ? '' : `, ${format.seats(ledger.free)} ${plural(ledger.free, 'is', 'are')} free`
  const moved = `${format.seats(ledger.lent)} lent, ${format.seats(ledger.borrowed)} borrowed`
  return `Seat ledger: ${executing} of ${format.seats(ledger.current)} seats are taken${idle}; ${moved}; nominal limits sum to ${format.seats(ledger.nominal)}`
}

/** One level of the account as a sentence. */
export function entrySentence(entry: LedgerEntry, names: readonly string[] = [entry.name]): string {
  const who =
    names.length === 1 ? entry.name : `${format.fixed(names.length)} levels, ${names[0] ?? ''} to ${names.at(-1) ?? ''}`
  const executing = entry.executing === undefined ? 'unknown' : format.seats(entry.executing)
  return `${who}: ${executing} of ${format.seats(entry.current)} seats executing${movedText(entry.borrowed - entry.lent)}, nominal ${format.seats(entry.nominal)}`
}

/** Pixels. */
interface Span {
  readonly x: number
  readonly width: number
}

/** The drawing of one level, or of several adjacent ones that are too narrow to distinguish. */
export interface LedgerGroup {
  readonly entry: LedgerEntry
  /** Names of the levels drawn here: one, unless merged. */
  readonly names: readonly string[]
  readonly nominal: Span
  readonly current: Span
  readonly lent: Span | undefined
  readonly executing: Span | undefined
  /** The executing part beyond nominal. */
  readonly borrowed: Span | undefined
  /** Position of its lent or borrowed seats in the pool. */
  readonly pool: Span | undefined
}

export interface LedgerLayout {
  readonly groups: readonly LedgerGroup[]
  readonly pool: Span | undefined
  readonly ticks: readonly { readonly seats: number; readonly x: number }[]
  readonly perSeat: number
}

/** From this many levels on, adjacent levels below this many pixels become one segment. */
const MERGE_FROM = 60
const MERGE_BELOW = 2

const merged = (a: LedgerEntry, b: LedgerEntry): LedgerEntry => ({
  name: a.name,
  nominal: a.nominal + b.nominal,
  current: a.current + b.current,
  lent: a.lent + b.lent,
  borrowed: a.borrowed + b.borrowed,
  executing: sumOfKnown([a.executing, b.executing]),
  free: sumOfKnown([a.free, b.free]),
})

interface Slot {
  readonly entry: LedgerEntry
  readonly names: readonly string[]
}

/** One slot per level; on a large server, runs of narrow adjacent levels share one. */
function slotsOf(entries: readonly LedgerEntry[], perSeat: number): Slot[] {
  const slots: Slot[] = []
  const narrow = (entry: LedgerEntry) => Math.max(entry.nominal, entry.current) * perSeat < MERGE_BELOW
  let open = false
  for (const entry of entries) {
    const last = slots.at(-1)
    const joins = entries.length > MERGE_FROM && narrow(entry)
    if (joins && open && last !== undefined) {
      slots[slots.length - 1] = { entry: merged(last.entry, entry), names: [...last.names, entry.name] }
    } else slots.push({ entry, names: [entry.name] })
    open = joins
  }
  return slots
}

/** Round numbers of seats from 0, at most `most` steps apart. */
export function ledgerTicks(seats: number, most: number): readonly number[] {
  const rough = Math.max(1, seats / Math.max(1, most))
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  return Array.from({ length: Math.floor(seats / step) + 1 }, (_, i) => i * step)
}

/** Lays both rows and the pool out on one scale of seats between `left` and `left + width`. */
export function layoutLedger(ledger: Ledger, left: number, width: number): LedgerLayout {
  const seats = Math.max(ledger.nominal, ledger.current, 1)
  const perSeat = width / seats
  const hasPool = ledger.lent > 0 && ledger.borrowed > 0
  const poolSeats = Math.max(ledger.lent, ledger.borrowed)
  const pool = hasPool ? { x: left + (width - poolSeats * perSeat) / 2, width: poolSeats * perSeat } : undefined
  let nominalAt = left
  let currentAt = left
  let lentAt = pool?.x ?? 0
  let borrowedAt = pool?.x ?? 0
  const groups = slotsOf(ledger.entries, perSeat).map(({ entry, names }): LedgerGroup => {
    const nominal: Span = { x: nominalAt, width: entry.nominal * perSeat }
    const current: Span = { x: currentAt, width: entry.current * perSeat }
    nominalAt += nominal.width
    currentAt += current.width
    const lentWidth = entry.lent * perSeat
    const away = entry.borrowed * perSeat
    const own = Math.min(entry.executing ?? 0, entry.nominal, entry.current) * perSeat
    const beyond = Math.min(entry.executing ?? 0, entry.current) * perSeat - own
    const poolSpan = pool && (lentWidth > 0 ? { x: lentAt, width: lentWidth } : { x: borrowedAt, width: away })
    if (lentWidth > 0) lentAt += lentWidth
    else borrowedAt += away
    return {
      entry,
      names,
      nominal,
      current,
      lent: lentWidth > 0 ? { x: nominal.x + nominal.width - lentWidth, width: lentWidth } : undefined,
      executing: own > 0 ? { x: current.x, width: own } : undefined,
      borrowed: beyond > 0 ? { x: current.x + own, width: beyond } : undefined,
      pool: poolSpan !== undefined && poolSpan.width > 0 ? poolSpan : undefined,
    }
  })
  const ticks = ledgerTicks(seats, Math.max(2, Math.floor(width / 110)))
  return { groups, pool, perSeat, ticks: ticks.map((n) => ({ seats: n, x: left + n * perSeat })) }
}

const r = (n: number) => rounded(n, 1)

/** A ribbon between two horizontal edges, as an SVG path. */
export function ribbonPath(from: Span, to: Span, top: number, bottom: number): string {
  const middle = (top + bottom) / 2
  const down = `M${r(from.x)} ${top}C${r(from.x)} ${middle} ${r(to.x)} ${middle} ${r(to.x)} ${bottom}`
  const right = to.x + to.width
  const up = `C${r(right)} ${middle} ${r(from.x + from.width)} ${middle} ${r(from.x + from.width)} ${top}`
  return `${down}H${r(right)}${up}Z`
}

/** One term of the equation that replaces the ribbons on low windows: `WL +62`. */
export interface EquationTerm {
  readonly name: string
  /** Negative is lent. */
  readonly seats: number
  /** Swatch, with the text to its right. */
  readonly swatch: Span
  readonly textX: number
}

interface Equation {
  readonly lenders: readonly EquationTerm[]
  readonly borrowers: readonly EquationTerm[]
  /** Position of "lent = borrowed". */
  readonly signX: number
  /** Number of terms that did not fit. */
  readonly hidden: number
  readonly end: number
}

const TEXT_WIDTH = 44
const SIGN_WIDTH = 102

/** Places the terms from `left`; the largest ones are kept when the width does not fit all. */
export function layoutEquation(ledger: Ledger, left: number, width: number, perSeat: number): Equation {
  const swatch = (seats: number) => Math.max(12, Math.min(60, Math.abs(seats) * perSeat * 0.5))
  const needed = (entry: LedgerEntry) => swatch(entry.current - entry.nominal) + 5 + TEXT_WIDTH + 8
  const moved = ledger.entries.filter((entry) => entry.lent > 0 || entry.borrowed > 0)
  const byAmount = moved.toSorted((a, b) => b.lent + b.borrowed - (a.lent + a.borrowed))
  let room = width - SIGN_WIDTH - 80
  const kept = new Set<string>()
  for (const entry of byAmount) {
    room -= needed(entry)
    if (room < 0) break
    kept.add(entry.name)
  }
  let x = left
  const place = (entry: LedgerEntry): EquationTerm => {
    const seats = entry.current - entry.nominal
    const span: Span = { x, width: swatch(seats) }
    const term = { name: entry.name, seats, swatch: span, textX: x + span.width + 5 }
    x += needed(entry)
    return term
  }
  const shown = moved.filter((entry) => kept.has(entry.name))
  const lenders = shown.filter((entry) => entry.lent > 0).map(place)
  const signX = x
  x += SIGN_WIDTH
  const borrowers = shown.filter((entry) => entry.borrowed > 0).map(place)
  return { lenders, borrowers, signX, hidden: moved.length - shown.length, end: x }
}
