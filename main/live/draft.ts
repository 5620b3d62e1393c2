import type { CandidateWish, CandidateReport } from '../../core/contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../../core/engine/apfEngine.ts'
import type { ServerFacts } from '../../core/engine/facts.ts'
import {
  type ArrivalListener,
  Candidate,
  type Compared,
  type Lengths,
  type UnderWay,
} from '../../core/run/candidate.ts'
import type { RunOptions } from '../../core/run/run.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import { acceptable } from './proposed.ts'

/** The engine of a live source, and how a candidate's engine is created like it. */
export interface Baseline {
  readonly baseline: ApfEngine<unknown>
  readonly engine: RunOptions
}

export interface DraftOptions<R extends Compared = LiveRow> {
  /** gitVersion by whose rules the draft is validated. */
  readonly version: string
  /** Absent while there is none yet. */
  readonly beside: () => Baseline | undefined
  /** How long requests take; called whenever a draft begins. */
  readonly lengths: () => Lengths<R>
  readonly touch: (row: R) => void
  readonly listen: (listener: ArrivalListener<R> | undefined) => void
  /** Requests that wait or run at the baseline now, oldest first, where they are available. */
  readonly underWay?: () => Iterable<UnderWay<R>>
}

/** The draft of the objects of a live source, which may run as a candidate. */
export interface Draft {
  readonly report: CandidateReport | undefined
  /** Throws `invalid-input` for a draft that no server would accept. */
  wish(wish: CandidateWish): void
  /** The server's reported objects and watches, for its estimates. */
  facts(facts: ServerFacts): void
  /** The baseline was replaced: begins anew with the new one, if a draft is set. */
  renew(): void
  settle(): void
  close(): void
}

export function createDraft<R extends Compared>(options: DraftOptions<R>): Draft {
  const { version, beside, lengths, touch, listen, underWay } = options
  let wished: EngineConfiguration | undefined
  let candidate: Candidate<R> | undefined
  let known: ServerFacts | undefined
  const end = (): void => {
    listen(undefined)
    candidate?.close()
    candidate = undefined
  }
  const begin = (): void => {
    const now = beside()
    if (wished === undefined || now === undefined) return
    candidate = new Candidate<R>({
      ...now,
      configuration: wished,
      lengths: lengths(),
      touch,
      known,
      underWay: underWay?.(),
    })
    listen(candidate)
  }
  return {
    get report() {
      return candidate?.report()
    },
    wish(wish) {
      wished = wish.on ? acceptable(wish.objects, version) : undefined
      if (wished === undefined) end()
      else if (candidate === undefined) begin()
      else candidate.configure(wished)
    },
    facts(facts) {
      known = facts
      candidate?.know(facts)
    },
    renew() {
      end()
      begin()
    },
    settle: () => candidate?.settle(),
    close: end,
  }
}
