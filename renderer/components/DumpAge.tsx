import { unixMsOf } from '../../core/units.ts'
import { useViewPart } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { useNow } from './useNow.ts'

/** Where the numbers come from and how old they are: `from dump_requests, 2 s ago`. */
export function DumpAge({ at }: { readonly at: number }) {
  const mode = useViewPart((view) => view.mode)
  // A simulation's time is its own.
  const simulatedNow = useViewPart(({ frame, server }) =>
    frame?.source.kind === 'simulation' && server !== undefined ? unixMsOf(server.at) : undefined,
  )
  const moving = mode === 'live' || mode === 'stale'
  const now = useNow(moving)
  if (!moving) return <>{`from dump_requests of ${format.time(at)}`}</>
  const seconds = Math.max(0, Math.round(((simulatedNow ?? now) - at) / 1_000))
  return <>{`from dump_requests, ${seconds < 60 ? `${seconds} s` : format.age(seconds * 1_000)} ago`}</>
}
