import type { LiveShadow, ShadowReport } from '../../core/contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../../core/engine/apfEngine.ts'
import { type ArrivalListener, type Compared, DraftShadow, type UnderWay } from '../../core/live/draftShadow.ts'
import type { Lengths } from '../../core/live/durations.ts'
import type { FollowerOptions } from '../../core/live/follower.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import type { ServerFacts } from '../../core/live/serverFacts.ts'
import { acceptable } from './proposed.ts'

/** The first engine of a live source, and how the second is made like it. */
export interface FirstEngine {
  readonly first: ApfEngine<unknown>
  readonly engine: FollowerOptions
}

export interface DraftOptions<R extends Compared = LiveRow> {
  /** gitVersion by whose rules the draft must be valid. */
  readonly version: string
  /** Nothing while there is none yet. */
  readonly beside: () => FirstEngine | undefined
  /** How long requests take; asked for whenever a draft begins. */
  readonly lengths: () => Lengths<R>
  readonly touch: (row: R) => void
  readonly listen: (listener: ArrivalListener<R> | undefined) => void
  /** Requests that wait or run at the first engine now, oldest first, where they are known. */
  readonly underWay?: () => Iterable<UnderWay<R>>
}

/** The second engine of a live source, which is there or not. */
export interface Draft {
  readonly report: ShadowReport | undefined
  /** Throws `invalid-input` for a draft that no server would take. */
  wish(wish: LiveShadow): void
  /** What the server told of its objects and watches, for its estimates. */
  facts(facts: ServerFacts): void
  /** The first engine is another one: begins anew with it, where a draft is wished for. */
  renew(): void
  settle(): void
  close(): void
}

export function createDraft<R extends Compared>(options: DraftOptions<R>): Draft {
  const { version, beside, lengths, touch, listen, underWay } = options
  let wished: EngineConfiguration | undefined
  let shadow: DraftShadow<R> | undefined
  let known: ServerFacts | undefined
  const end = (): void => {
    listen(undefined)
    shadow?.close()
    shadow = undefined
  }
  const begin = (): void => {
    const now = beside()
    if (wished === undefined || now === undefined) return
    shadow = new DraftShadow<R>({
      ...now,
      configuration: wished,
      lengths: lengths(),
      touch,
      known,
      underWay: underWay?.(),
    })
    listen(shadow)
  }
  return {
    get report() {
      return shadow?.report()
    },
    wish(wish) {
      wished = wish.on ? acceptable(wish.objects, version) : undefined
      if (wished === undefined) end()
      else if (shadow === undefined) begin()
      else shadow.configure(wished)
    },
    facts(facts) {
      known = facts
      shadow?.know(facts)
    },
    renew() {
      end()
      begin()
    },
    settle: () => shadow?.settle(),
    close: end,
  }
}
