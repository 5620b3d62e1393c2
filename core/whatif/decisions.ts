import type { RejectReason } from '../frame/frame.ts'
import type { Call } from '../run/run.ts'
import type { Nanoseconds, Seats } from '../units.ts'

/** The decision of a variant about one request, by its index in the list of arrivals. */
export interface Decided {
  /** `undefined`: it still waits. `bypassed`: flow control does not limit it. */
  readonly outcome: 'bypassed' | 'dispatched' | RejectReason | undefined
  /** Whether it was decided immediately on arrival. */
  readonly atOnce: boolean
  /** When it was decided; `Infinity` while undecided. */
  readonly atNs: Nanoseconds
  readonly level: string
  readonly schema: string
  /** Seats of its level that it occupies while it runs; 0 if nothing limits it. */
  readonly seats: Seats
}

const OUTCOMES = [undefined, 'bypassed', 'dispatched', 'queue-full', 'concurrency-limit', 'time-out'] as const

/** Decisions about many requests, a few bytes each. */
export class Decisions {
  private readonly outcomes: Uint8Array
  private readonly onArrival: Uint8Array
  private readonly times: Float64Array
  private readonly places: Uint16Array
  private readonly widths: Float32Array
  private readonly placeNumbers = new Map<unknown, number>()
  private readonly placeList: { readonly level: string; readonly schema: string }[] = []

  constructor(count: number) {
    this.outcomes = new Uint8Array(count)
    this.onArrival = new Uint8Array(count)
    this.times = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
    this.places = new Uint16Array(count)
    this.widths = new Float32Array(count)
  }

  of(index: number): Decided {
    const { level, schema } = this.placeList[this.places[index] ?? 0] ?? { level: '', schema: '' }
    return {
      outcome: OUTCOMES[this.outcomes[index] ?? 0],
      atOnce: this.onArrival[index] === 1,
      atNs: this.times[index] ?? Number.POSITIVE_INFINITY,
      level,
      schema,
      seats: this.widths[index] ?? 0,
    }
  }

  /** Records the level and schema of a request; `key` is unique for each level and flow schema. */
  place(index: number, key: unknown, { level, schema, seats }: Pick<Decided, 'level' | 'schema' | 'seats'>): void {
    let number = this.placeNumbers.get(key)
    if (number === undefined) {
      number = this.placeList.push({ level, schema }) - 1
      this.placeNumbers.set(key, number)
    }
    this.places[index] = number
    this.widths[index] = seats
  }

  note(index: number, { decision }: Pick<Call, 'decision'>, atNs: Nanoseconds, atOnce: boolean): void {
    const outcome = outcomeOf(decision)
    if (outcome === undefined || this.outcomes[index] !== 0) return
    this.outcomes[index] = OUTCOMES.indexOf(outcome)
    this.onArrival[index] = atOnce ? 1 : 0
    this.times[index] = atNs
  }
}

function outcomeOf(decision: Call['decision']): Decided['outcome'] {
  switch (decision.kind) {
    case 'waiting':
      return undefined
    case 'bypassed':
      return 'bypassed'
    case 'executing':
    case 'done':
      return 'dispatched'
    case 'rejected':
      return decision.reason
  }
}
