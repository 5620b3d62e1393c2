import type { LiveRequest } from '../contract/live.ts'
import { type Compared, hasDecided, sameDecision } from '../run/candidate.ts'
import { msToNs } from '../units.ts'
import type { Outcome } from './outcome.ts'
import { waitP99, type Waits, waitsOf } from '../run/waits.ts'

/** Outcomes of the requests in one of the two engines. */
export interface DecidedSide extends Outcome {
  /** Milliseconds until they were dispatched; by level. */
  readonly waitP99: Readonly<Record<string, number>>
}

/** Outcomes of the same requests in two engines. */
export interface DraftComparison {
  /** Requests about which both have decided, or whose client left before that. */
  readonly compared: number
  /** Those about which one has not. */
  readonly undecided: number
  /** Requests that were never reported, because too many came at once. */
  readonly missed: number
  /** The first engine, and the one with the draft. */
  readonly a: DecidedSide
  readonly b: DecidedSide
  /** Requests that the two decided differently; each counts once. */
  readonly different: {
    readonly rejectedByA: number
    readonly rejectedByB: number
    /** Rejected by both or by neither, but in another flow schema or level. */
    readonly elsewhere: number
  }
}

/**
 * Compares the decisions of the first engine and of a draft beside it over all reported rows, for any length of time:
 * it keeps only those requests about which one of the two has not decided yet.
 */
export class DraftTally {
  private newest = -1
  private missed = 0
  private compared = 0
  private readonly undecided = new Set<number>()
  private readonly a = new Side()
  private readonly b = new Side()
  private readonly different = { rejectedByA: 0, rejectedByB: 0, elsewhere: 0 }

  /** Accepts new and changed rows, in the order of their arrival. */
  note(rows: readonly LiveRequest[]): void {
    for (const row of rows) {
      const isNew = row.seq > this.newest
      if (isNew) {
        this.missed += row.seq - this.newest - 1
        this.newest = row.seq
      } else if (!this.undecided.has(row.seq)) continue
      this.look(row)
    }
  }

  read(): DraftComparison {
    const { compared, missed } = this
    return {
      compared,
      undecided: this.undecided.size,
      missed,
      a: this.a.read(),
      b: this.b.read(),
      different: { ...this.different },
    }
  }

  private look(row: LiveRequest): void {
    const { candidate } = row
    // It has not reached flow control, or bypasses it under any objects.
    if (candidate === undefined || candidate.state === 'bypassed') return
    if (!hasDecision(row)) {
      this.undecided.add(row.seq)
      return
    }
    this.undecided.delete(row.seq)
    this.compared += 1
    this.a.note(row.level, row, hasLeft(row) ? row.runMs !== undefined : true)
    this.b.note(candidate.level, candidate, hasDecided(candidate))
    if (!sameDecision(asDecided(row), candidate)) this.different[howDifferent(row, candidate)] += 1
  }
}

export const hasLeft = ({ state }: LiveRequest): boolean => state === 'cancelled' || state === 'failed'

/** Whether both have decided: no decision follows about a request whose client left. */
const hasDecision = (row: LiveRequest): boolean =>
  hasLeft(row) || (row.state !== 'waiting' && row.candidate !== undefined && hasDecided(row.candidate))

/** In the state of the row, a client that leaves replaces a rejection, but not in its reason. */
const asDecided = (row: LiveRequest): Compared => (row.reason === undefined ? row : { ...row, state: 'rejected' })

function howDifferent(
  { reason }: LiveRequest,
  candidate: NonNullable<LiveRequest['candidate']>,
): keyof DraftComparison['different'] {
  if ((reason === undefined) === (candidate.reason === undefined)) return 'elsewhere'
  return reason === undefined ? 'rejectedByB' : 'rejectedByA'
}

class Side {
  private dispatched = 0
  private readonly rejected = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 }
  private readonly waits = new Map<string, Waits>()

  /** `ran`: it was dispatched unless it was rejected. */
  note(level: string, { reason, waitMs }: Pick<LiveRequest, 'reason' | 'waitMs'>, ran: boolean): void {
    if (reason !== undefined) this.rejected[reason] += 1
    else if (ran && waitMs !== undefined) {
      this.dispatched += 1
      waitsOf(this.waits, level).note(msToNs(waitMs))
    }
  }

  read(): DecidedSide {
    return { dispatched: this.dispatched, rejected: { ...this.rejected }, waitP99: waitP99(this.waits) }
  }
}
