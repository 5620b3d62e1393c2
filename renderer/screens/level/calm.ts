import { useCalm } from '../../components/hooks.ts'
import { usePastPart } from '../../state/past.ts'

const CALM_MS = 1_000

/** What is read in rows may not change ten times a second as bars may; of the past every instant is shown at once. */
export function useCalmDump<T>(dump: T): T {
  const isPast = usePastPart(({ moment }) => moment !== undefined)
  return useCalm(dump, isPast ? 0 : CALM_MS)
}
