import type { CodelReport, VariantReport } from '../contract/whatif.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { CodelRules } from '../engine/codel.ts'
import { nsToMs } from '../units.ts'
import { FairnessLog, type FairnessOptions } from './fairness.ts'
import { codelOf } from './variant.ts'

export interface WhatIfOptions {
  /** Each result contains the numbers of its levels over time. */
  readonly charted?: boolean
  /** It contains figures beside the outcomes of its requests, which cost a look at each decision. */
  readonly figures?: boolean
  /** Seconds over which fairness is averaged. */
  readonly windowSeconds?: number | undefined
}

export type RunFigures = Pick<VariantReport, 'fairness' | 'codel'>

/** What is to be known of a variant's run beside the outcomes of its requests; the function is called at the end. */
export function observeRun<T>(
  engines: readonly ApfEngine<T>[],
  variant: Parameters<typeof codelOf>[0],
  options: FairnessOptions<T>,
): () => RunFigures {
  const log = new FairnessLog(engines, options)
  const rules = codelOf(variant)
  const intervals = rules && countIntervals(engines, rules)
  return () => {
    const fairness = log.result()
    return {
      ...(fairness !== undefined && { fairness }),
      ...(intervals !== undefined && { codel: intervals() }),
    }
  }
}

/** Counts what each queue dispatches in an interval of CoDel, whose statistics are of these requests. */
function countIntervals<T>(engines: readonly ApfEngine<T>[], { targetNs, intervalNs }: CodelRules): () => CodelReport {
  const counts = new WeakMap<object, { readonly interval: number; readonly count: number }>()
  let [intervals, dispatched, most] = [0, 0, 0]
  for (const engine of engines)
    engine.subscribe((event) => {
      const queue = event.kind === 'dispatched' ? event.ticket.queue : undefined
      if (queue === undefined) return
      const interval = Math.floor(engine.nowNs / intervalNs)
      const before = counts.get(queue)
      const count = before?.interval === interval ? before.count + 1 : 1
      counts.set(queue, { interval, count })
      if (count === 1) intervals += 1
      dispatched += 1
      most = Math.max(most, count)
    })
  const [targetMs, intervalMs] = [nsToMs(targetNs), nsToMs(intervalNs)]
  return () => ({ targetMs, intervalMs, mean: intervals === 0 ? 0 : dispatched / intervals, most })
}
