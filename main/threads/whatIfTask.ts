import { ProblemError } from '../../core/contract/errors.ts'
import type { WhatIfReport } from '../../core/contract/whatif.ts'
import type { Arrivals } from '../../core/whatif/arrivals.ts'
import { simulatedArrivals } from '../../core/whatif/simulated.ts'
import { reportOf, whatIf, whatIfClosed } from '../../core/whatif/whatif.ts'
import { reactingClients, recordedArrivals, wishedComparison } from '../live/wished.ts'
import type { WhatIfTask } from '../ports/whatIf.ts'

/** Runs a comparison to its end, telling now and then which part of it is done. Throws `ProblemError`. */
export function runTask({ wish, given }: WhatIfTask, tell: (part: number) => void): WhatIfReport {
  const { baseline, candidates, traffic, scenario } = wishedComparison(wish, given)
  const goOn = (part: number): true => {
    tell(part)
    return true
  }
  if (wish.clients === 'closed') {
    const result = whatIfClosed(
      reactingClients(traffic, [baseline, ...candidates]),
      baseline,
      candidates,
      goOn,
      CHARTED,
    )
    return reportOf(ended(result))
  }
  // Of simulated requests the list has to be made first, which takes about as long as a variant.
  const steps = candidates.length + (traffic === undefined ? 1 : 2)
  const before = traffic === undefined ? 0 : 1
  const arrivals: Arrivals =
    traffic === undefined
      ? recordedArrivals(given)
      : ended(simulatedArrivals(traffic, baseline, (part) => goOn(part / steps)))
  const each = Math.max(1, arrivals.list.length)
  const result = whatIf(arrivals, baseline, candidates, (done) => goOn((before + done / each) / steps), CHARTED)
  const report = reportOf(ended(result))
  return scenario === undefined || scenario.phases.length + scenario.controllers.length === 0
    ? report
    : { ...report, notes: [...report.notes, CLIENTS_NOTE] }
}

const CHARTED = { charted: true } as const
const CLIENTS_NOTE = 'The phases and controllers of the scenario are left out: only its clients are used.'

/** Nothing but the end of the thread ends a run. */
function ended<T>(result: T | undefined): T {
  if (result === undefined) throw new ProblemError('cancelled', 'The comparison was cancelled.')
  return result
}
