import { useEffect, useMemo, useState } from 'react'
import type { AdjustmentStep } from '../../../../core/frame/derived.ts'
import { limitsOverSteps } from '../../../../core/impact/seatImpact.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { useViewPart } from '../../../state/view.ts'
import { recentLimits, type RecentLimits } from './recentLimits.data.ts'
import type { Impact } from './useImpact.ts'
import { ask } from '../../../state/connection.ts'

const RANGE_MS = 600_000
const EVERY_MS = 10_000

/** What both configurations would have made of the demand of the last ten minutes; nothing while it is not asked for. */
export function useRecentLimits(impact: Impact | undefined): RecentLimits | undefined {
  const server = useViewPart((view) => view.server?.id)
  const at = useViewPart((view) => (view.server === undefined ? undefined : unixMsOf(view.server.at)))
  const [steps, setSteps] = useState<readonly AdjustmentStep[]>([])
  const turn = at === undefined ? undefined : Math.floor(at / EVERY_MS)
  const asked = impact !== undefined
  useEffect(() => {
    if (!asked || server === undefined || turn === undefined) return undefined
    let current = true
    const to = (turn + 1) * EVERY_MS
    ask('allocation.steps', { server, from: to - RANGE_MS, to })
      .then((read) => current && setSteps(read))
      // Without them there is nothing to say of the last minutes.
      .catch(() => undefined)
    return () => {
      current = false
    }
  }, [asked, server, turn])
  return useMemo(() => {
    if (impact === undefined) return undefined
    const { before, after, limit, version } = impact
    return recentLimits(limitsOverSteps({ before, after, serverLimit: limit.seats, version }, steps))
  }, [impact, steps])
}
