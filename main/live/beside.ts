import type { CandidateWish, CandidateReport } from '../../core/contract/live.ts'
import type { FeedListener } from '../../core/feeds/feedEngine.ts'
import type { FeedRun } from '../../core/feeds/feedRun.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import type { ArrivalListener } from '../../core/run/candidate.ts'
import { UsualDurations } from '../../core/run/usualDurations.ts'
import type { UnixMs } from '../../core/units.ts'
import { type Baseline, createDraft, type DraftOptions } from './draft.ts'

interface BesideOptions extends Pick<DraftOptions, 'version'> {
  readonly run: FeedRun
  readonly engine: Omit<Baseline['engine'], 'mode' | 'startUnixMs'>
}

interface Beside {
  readonly listener: FeedListener
  readonly report: CandidateReport | undefined
  wish(wish: CandidateWish): void
}

/** The second engine of a feed, which begins anew with the first. */
export function createBeside({ run, engine, version }: BesideOptions): Beside {
  let startUnixMs: UnixMs | undefined
  let hearing: ArrivalListener<LiveRow> | undefined
  const draft = createDraft<LiveRow>({
    version,
    beside: () =>
      startUnixMs === undefined
        ? undefined
        : { baseline: run.engine, engine: { ...engine, mode: 'priority-and-fairness', startUnixMs } },
    lengths: () => ({ kind: 'measured', from: 'record', usual: new UsualDurations() }),
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
      abandoned: (row) => hearing?.abandoned(row),
      onFacts: (facts) => draft.facts(facts),
    },
  }
}
