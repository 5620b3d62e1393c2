import type { LiveShadow, ShadowReport } from '../../core/contract/live.ts'
import type { ApfEngine } from '../../core/engine/apfEngine.ts'
import { type ArrivalListener, DraftShadow } from '../../core/live/draftShadow.ts'
import type { FollowerOptions } from '../../core/live/follower.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import type { ServerFacts } from '../../core/live/serverFacts.ts'
import { acceptable } from './proposed.ts'

export interface DraftOptions {
  readonly engine: FollowerOptions
  /** gitVersion by whose rules the draft must be valid. */
  readonly version: string
  readonly first: ApfEngine<unknown>
  readonly holdsBack: boolean
  readonly touch: (row: LiveRow) => void
  readonly listen: (listener: ArrivalListener | undefined) => void
}

/** The second engine of a live source, which is there or not. */
export interface Draft {
  readonly report: ShadowReport | undefined
  wish(wish: LiveShadow): void
  /** What the server told of its objects and watches, for its estimates. */
  facts(facts: ServerFacts): void
  settle(): void
  close(): void
}

export function createDraft({ engine, version, first, holdsBack, touch, listen }: DraftOptions): Draft {
  let shadow: DraftShadow | undefined
  let known: ServerFacts | undefined
  const end = (): void => {
    listen(undefined)
    shadow?.close()
    shadow = undefined
  }
  return {
    get report() {
      return shadow?.report()
    },
    wish(wish) {
      if (!wish.on) return end()
      const configuration = acceptable(wish.objects, version)
      if (shadow !== undefined) return shadow.configure(configuration)
      shadow = new DraftShadow({ engine, configuration, first, holdsBack, touch })
      if (known !== undefined) shadow.know(known)
      listen(shadow)
    },
    facts(facts) {
      known = facts
      shadow?.know(facts)
    },
    settle: () => shadow?.settle(),
    close: end,
  }
}
