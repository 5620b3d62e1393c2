import type { LiveEvent, LiveRequest } from '../../core/contract/live.ts'
import { hasDecided } from '../../core/run/candidate.ts'
import type { Console } from './console.ts'

/** Rows that ended and were printed are told apart from those that change again as far back as this. */
const REMEMBERED = 50_000

export interface RowPrinter {
  take(event: Pick<LiveEvent, 'requests' | 'dropped'>): void
  /** Nothing more comes: prints those that have ended, though not in the draft beside. */
  rest(): void
}

/** Prints each row once, as a line of JSON: when it has ended, in a draft beside as well. */
export function rowPrinter({ printJson, tell }: Pick<Console, 'printJson' | 'tell'>): RowPrinter {
  let printed = new Set<number>()
  let before = new Set<number>()
  /** Rows that have ended while they wait or run in the draft: as many as it has queues and seats for, at most. */
  const held = new Map<number, LiveRequest>()
  const printOnce = (row: LiveRequest): void => {
    held.delete(row.seq)
    printed.add(row.seq)
    printJson(row)
  }
  return {
    take({ requests, dropped }) {
      for (const row of requests) {
        if (!hasEnded(row) || printed.has(row.seq) || before.has(row.seq)) continue
        if (goesOnInDraft(row)) held.set(row.seq, row)
        else printOnce(row)
      }
      if (printed.size > REMEMBERED) [before, printed] = [printed, new Set()]
      if (dropped > 0) tell(`${dropped} changes were too many to print.`)
    },
    rest() {
      for (const row of held.values()) printOnce(row)
    },
  }
}

/** Beside a decision of an engine that only watches, the server's own answer is waited for. */
const hasEnded = (row: LiveRequest): boolean =>
  hasLeft(row) || (row.state !== 'waiting' && row.state !== 'executing' && row.status !== undefined)

/** In a draft, a request whose client left does not come out of its queue any more. */
const goesOnInDraft = (row: LiveRequest): boolean =>
  !hasLeft(row) && row.shadow !== undefined && (!hasDecided(row.shadow) || row.shadow.state === 'executing')

const hasLeft = ({ state }: LiveRequest): boolean => state === 'cancelled' || state === 'failed'
