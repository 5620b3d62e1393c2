import type { LiveShadow, ShadowReport } from '../../core/contract/live.ts'
import type { FeedListener } from '../../core/feeds/feedEngine.ts'
import type { FeedRun } from '../../core/feeds/feedRun.ts'
import type { ArrivalListener } from '../../core/live/draftShadow.ts'
import type { ServerFacts } from '../../core/live/serverFacts.ts'
import { createDraft, type Draft, type DraftOptions } from './draft.ts'

interface BesideOptions extends Pick<DraftOptions, 'version'> {
  readonly run: FeedRun
  readonly engine: Omit<DraftOptions['engine'], 'mode' | 'startUnixMs'>
}

interface Beside {
  readonly listener: FeedListener
  readonly report: ShadowReport | undefined
  wish(wish: LiveShadow): void
  facts(facts: ServerFacts): void
}

/** The second engine of a feed, which begins anew with the first. */
export function createBeside({ run, engine, version }: BesideOptions): Beside {
  let draft: Draft | undefined
  let wished: LiveShadow = { on: false }
  let known: ServerFacts | undefined
  let hearing: ArrivalListener | undefined
  return {
    get report() {
      return draft?.report
    },
    wish(wish) {
      draft?.wish(wish)
      wished = wish
    },
    facts(facts) {
      known = facts
      draft?.facts(facts)
    },
    listener: {
      began(startUnixMs) {
        draft?.close()
        draft = createDraft({
          engine: { ...engine, mode: 'priority-and-fairness', startUnixMs },
          version,
          first: run.engine,
          holdsBack: false,
          touch: (row) => run.log.touch(row),
          listen: (next) => void (hearing = next),
        })
        if (known !== undefined) draft.facts(known)
        draft.wish(wished)
      },
      moved: () => draft?.settle(),
      arrived: (row, request) => hearing?.arrived(row, request),
      lasted: (row, ns) => hearing?.lasted(row, ns),
      watchEnded: (row) => hearing?.watchEnded(row),
    },
  }
}
