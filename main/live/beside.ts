import type { LiveShadow, ShadowReport } from '../../core/contract/live.ts'
import type { FeedListener } from '../../core/feeds/feedEngine.ts'
import type { FeedRun } from '../../core/feeds/feedRun.ts'
import type { ArrivalListener } from '../../core/live/draftShadow.ts'
import { MeasuredLengths } from '../../core/live/durations.ts'
import { createDraft, type DraftOptions, type FirstEngine } from './draft.ts'

interface BesideOptions extends Pick<DraftOptions, 'version'> {
  readonly run: FeedRun
  readonly engine: Omit<FirstEngine['engine'], 'mode' | 'startUnixMs'>
}

interface Beside {
  readonly listener: FeedListener
  readonly report: ShadowReport | undefined
  wish(wish: LiveShadow): void
}

/** The second engine of a feed, which begins anew with the first. */
export function createBeside({ run, engine, version }: BesideOptions): Beside {
  let startUnixMs: number | undefined
  let hearing: ArrivalListener | undefined
  const draft = createDraft({
    version,
    beside: () =>
      startUnixMs === undefined
        ? undefined
        : { first: run.engine, engine: { ...engine, mode: 'priority-and-fairness', startUnixMs } },
    lengths: () => new MeasuredLengths(false),
    touch: (row) => run.log.touch(row),
    listen: (next) => void (hearing = next),
  })
  return {
    get report() {
      return draft.report
    },
    wish: (wish) => draft.wish(wish),
    listener: {
      began(unixMs) {
        startUnixMs = unixMs
        draft.renew()
      },
      moved: () => draft.settle(),
      arrived: (row, request) => hearing?.arrived(row, request),
      lasted: (row, ns) => hearing?.lasted(row, ns),
      watchEnded: (row) => hearing?.watchEnded(row),
      told: (facts) => draft.facts(facts),
    },
  }
}
