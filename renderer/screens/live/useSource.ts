import { connectionStore } from '../../state/connection.ts'
import { useViewPart } from '../../state/view.ts'
import type { NowFacts } from './sentence.ts'

/** Whether what is shown goes on. */
export function useSource(): NowFacts['source'] {
  const link = connectionStore((connection) => connection.link)
  const mode = useViewPart((view) => view.mode)
  if (!link) return 'unreached'
  return mode === 'stale' || mode === 'still' ? mode : 'live'
}
