import type { FirstDifference } from '../contract/whatif.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { EngineEvent } from '../engine/events.ts'
import type { RejectReason } from '../frame/frame.ts'
import { plain } from '../text/format.ts'
import { type Nanoseconds, nsToMs, nsToSeconds } from '../units.ts'

/** A later difference is not found: in practice the first one comes among the first thousands. */
const MOST_DECISIONS = 500_000

type What = 'arrived' | 'enqueued' | 'dispatched' | RejectReason

/** One decision about a request, small enough that millions can be kept. */
interface Decision {
  readonly atNs: Nanoseconds
  readonly what: What
  readonly level: string
  readonly user: string
  readonly arrivedNs: Nanoseconds
}

const VERBS: Readonly<Record<What, string>> = {
  arrived: 'receives',
  enqueued: 'enqueues',
  dispatched: 'dispatches',
  'queue-full': 'rejects (queue-full)',
  'concurrency-limit': 'rejects (concurrency-limit)',
  'time-out': 'rejects (time-out)',
}

function decisionOf<T>(event: EngineEvent<T>, nowNs: Nanoseconds): Decision | undefined {
  switch (event.kind) {
    case 'arrived':
    case 'enqueued':
    case 'dispatched':
    case 'rejected': {
      const { ticket } = event
      return {
        atNs: nowNs,
        what: event.kind === 'rejected' ? event.reason : event.kind,
        level: ticket.place.level,
        user: ticket.payload.user.name,
        // A ticket that arrives has no time yet.
        arrivedNs: event.kind === 'arrived' ? nowNs : ticket.arrivedNs,
      }
    }
    default:
      return undefined
  }
}

/**
 * The decisions of one run, kept to find the first one that another run of the same clients makes differently. Until
 * then both runs are the same, event by event.
 */
export class DecisionLog {
  private readonly name: string
  private readonly decisions: Decision[] = []

  constructor(name: string) {
    this.name = name
  }

  record<T>(engine: ApfEngine<T>): () => void {
    return engine.subscribe((event) => {
      const decision = decisionOf(event, engine.nowNs)
      if (decision !== undefined && this.decisions.length < MOST_DECISIONS) this.decisions.push(decision)
    })
  }

  /** Follows another run. The returned function ends it and returns the first difference. */
  compare<T>(name: string, engine: ApfEngine<T>): () => FirstDifference | undefined {
    let at = 0
    let first: { readonly mine: Decision | undefined; readonly other: Decision } | undefined
    const leave = engine.subscribe((event) => {
      if (first !== undefined || at >= MOST_DECISIONS) return
      const other = decisionOf(event, engine.nowNs)
      if (other === undefined) return
      const mine = this.decisions[at++]
      if (mine === undefined || !same(mine, other)) first = { mine, other }
    })
    return () => {
      leave()
      if (first !== undefined) return differenceOf(this.name, first.mine, name, first.other)
      const mine = this.decisions[at]
      return mine && differenceOf(this.name, mine, name, undefined)
    }
  }
}

const same = (a: Decision, b: Decision): boolean =>
  a.atNs === b.atNs && a.arrivedNs === b.arrivedNs && a.what === b.what && a.level === b.level && a.user === b.user

function differenceOf(
  nameA: string,
  a: Decision | undefined,
  nameB: string,
  b: Decision | undefined,
): FirstDifference | undefined {
  // The earlier of the two: the other run does not decide this at that instant.
  const isOfA = a !== undefined && (b === undefined || a.atNs <= b.atNs)
  const [decided, by, other] = isOfA ? [a, nameA, nameB] : [b, nameB, nameA]
  if (decided === undefined) return undefined
  const { atNs, level, user, arrivedNs } = decided
  const seconds = nsToSeconds(atNs)
  const atOnce =
    a !== undefined && b !== undefined && a.atNs === b.atNs && a.arrivedNs === b.arrivedNs && a.user === b.user
  const instead = atOnce && b !== undefined ? `${nameB} ${placed(b)}` : `${other} does not do so then`
  return {
    seconds,
    request: { level, user, arrivedSeconds: nsToSeconds(arrivedNs) },
    explanation: [
      `At ${plain.fixed(seconds, 3)} s the decisions differ for the first time, about a request by ${user}${waited(decided)}.`,
      `${by} ${placed(decided)}; ${instead}.`,
    ],
  }
}

const placed = ({ what, level }: Decision): string => `${VERBS[what]} it in ${level}`

const waited = ({ atNs, arrivedNs }: Decision): string =>
  atNs > arrivedNs ? ` that has waited ${plain.ms(nsToMs(atNs - arrivedNs))}` : ''
