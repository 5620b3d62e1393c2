import type { ServerFrame } from '../../core/frame/frame.ts'
import { format } from '../theme/format.ts'
import { EmptyState } from './States.tsx'

/** The source runs flow control without levels: what there is instead. */
export function NoLevels({ inFlight }: Pick<ServerFrame, 'inFlight'>) {
  return (
    <EmptyState title="The max-in-flight filter has no priority levels.">
      <p>
        It only counts requests and rejects what exceeds its two limits, without queues, flow schemas or borrowing. In
        flight at most, in the last second: {format.fixed(inFlight?.readOnly)} read-only and{' '}
        {format.fixed(inFlight?.mutating)} mutating requests.
      </p>
    </EmptyState>
  )
}
