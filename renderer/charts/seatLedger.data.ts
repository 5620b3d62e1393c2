import { levelAccounts } from '../../core/impact/adjustmentLedger.ts'
import { isExempt, type ServerFrame, sumOfKnown } from '../../core/frame/frame.ts'

/** The seats of one Limited level (specification 6.1, 6.4). `undefined` is unknown. */
export interface LedgerEntry {
  readonly name: string
  readonly nominal: number
  readonly current: number
  readonly lent: number
  readonly borrowed: number
  readonly executing: number | undefined
  /** Seats inside the limit that nobody uses. */
  readonly free: number | undefined
}

/**
 * How the server distributed its seats (specification 6.4).
 * - `shared`: the solver distributed all nominal seats; lent and borrowed pass through one pool.
 * - `short`: exempt used so much that the floors did not fit (cases 1 and 2): seats are withheld, there is no pool.
 * - `unknown`: the fair fraction is not reported.
 */
export type LedgerRegime = 'shared' | 'short' | 'unknown'

/** An account of every seat of one server. Sums are over Limited levels; exempt stands outside. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[]
  /** Levels whose nominal or current limit is not reported: they cannot be accounted for. */
  readonly unknown: readonly string[]
  readonly nominal: number
  readonly current: number
  readonly lent: number
  readonly borrowed: number
  readonly executing: number | undefined
  readonly free: number | undefined
  /** Σ current − Σ nominal = borrowed − lent. */
  readonly difference: number
  readonly regime: LedgerRegime
  /** Seats that exempt executes, and those set aside for it (its current limit). */
  readonly exempt: { readonly executing: number | undefined; readonly current: number | undefined } | undefined
}

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

/** Levels in the order of `names`, those that it lacks at the end. */
function inOrder(server: ServerFrame, names: readonly string[]) {
  const place = new Map(names.map((name, index) => [name, index]))
  const at = (name: string) => place.get(name) ?? names.length
  return server.levels.toSorted((a, b) => at(a.name) - at(b.name))
}

/** The account of `server`, with its levels in the given fixed order. */
export function ledgerOf(server: ServerFrame, order: readonly string[]): Ledger {
  const levels = inOrder(server, order).map(({ name, limits, seats }) => ({ name, limits, executing: seats.executing }))
  const accounts = levelAccounts(levels)
  const entries = accounts.entries.map(({ name, nominal, current, lent, borrowed, used, idle, over }): LedgerEntry => {
    return { name, nominal, current, lent, borrowed, executing: sumOfKnown([used, over]), free: idle }
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
    regime: server.seatFairFrac === undefined ? 'unknown' : server.seatFairFrac === 0 ? 'short' : 'shared',
    exempt: exempt && { executing: exempt.seats.executing, current: exempt.limits.current },
  }
}

const seatsWord = (n: number) => (n === 1 ? '1 seat' : `${n} seats`)

/**
 * Where the sum of nominal limits stands against the server's own limit, which `/metrics` does not report. Each
 * nominal limit is rounded up (specification 6.1), so the surplus is less than one seat per level with a share.
 */
export function nominalNote(ledger: Ledger): string {
  const atMost = Math.max(0, ledger.entries.filter((entry) => entry.nominal > 0).length - 1)
  const rounding = atMost === 0 ? '' : `, at most ${atMost} of them from rounding each one up`
  const exempt = ledger.exempt?.executing
  const onTop =
    ledger.exempt === undefined || exempt === undefined ? '' : `. exempt runs ${seatsWord(exempt)} outside the ledger`
  return `nominal limits sum to ${ledger.nominal}${rounding}${onTop}.`
}

/** Why the current limits sum to something else than the nominal ones; absent when they do not. */
export function differenceNote(ledger: Ledger): string | undefined {
  const { difference, entries, exempt, regime } = ledger
  if (regime === 'short') {
    const withheld = difference < 0 ? `${seatsWord(-difference)} are withheld` : 'no seat is withheld'
    return `no pool: exempt used so many seats that the floors of all levels did not fit; ${withheld}.`
  }
  if (difference === 0) return undefined
  const way = difference > 0 ? 'more' : 'fewer'
  const amount = Math.abs(difference)
  // Each limit is rounded to the nearest seat, so the sum may be off by half a seat per level (specification 6.4).
  if (amount <= entries.length / 2) return `current limits sum to ${ledger.current}, ${amount} ${way}: each is rounded.`
  const taken = exempt?.current ?? 0
  // Up to 1.30 exempt is one more item of the solver (specification 6.4a).
  if (difference < 0 && Math.abs(taken - amount) <= entries.length / 2) {
    return `current limits sum to ${ledger.current}: exempt holds ${taken} of the nominal seats.`
  }
  return `current limits sum to ${ledger.current}, ${amount} ${way} than nominal: the page may mix two reallocations.`
}

/** The account as one sentence: the drawing's accessible name. */
export function ledgerSentence(ledger: Ledger): string {
  if (ledger.entries.length === 0) return 'Seat ledger: no level with known limits'
  const executing = ledger.executing === undefined ? 'an unknown number of' : String(ledger.executing)
  const idle = ledger.free === undefined ? '' : `, ${ledger.free} are free`
  const moved = `${ledger.lent} lent, ${ledger.borrowed} borrowed`
  return `Seat ledger: ${executing} of ${ledger.current} seats execute${idle}; ${moved}; nominal limits sum to ${ledger.nominal}`
}

/** One level of the account as a sentence. */
export function entrySentence(entry: LedgerEntry, names: readonly string[] = [entry.name]): string {
  const who = names.length === 1 ? entry.name : `${names.length} levels, ${names[0] ?? ''} to ${names.at(-1) ?? ''}`
  const executing = entry.executing === undefined ? 'unknown' : String(entry.executing)
  const moved = entry.lent > 0 ? `, ${entry.lent} lent` : entry.borrowed > 0 ? `, ${entry.borrowed} borrowed` : ''
  return `${who}: ${executing} of ${entry.current} seats executing${moved}, nominal ${entry.nominal}`
}
