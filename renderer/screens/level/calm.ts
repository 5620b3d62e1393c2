import { useCalm } from '../../components/hooks.ts'
import { usePastPart } from '../../state/past.ts'

const CALM_MS = 1_000

/**
 * Rows that people read must not change ten times a second as bars may; for the past, every instant is shown at once.
 */
export function useCalmDump<T>(dump: T): T {
  const isPast = usePastPart(({ moment }) => moment !== undefined)
  return useCalm(dump, isPast ? 0 : CALM_MS)
}
