import { useState } from 'react'
import { useCalm } from '../../components/hooks.ts'
import { usePastPart } from '../../state/past.ts'

/** A list is read from its top: its rows change places this seldom. */
const CALM_MS = 10_000

/** Whether the pointer is on what these handlers are given to. */
function usePointed() {
  const [pointed, setPointed] = useState(false)
  return { pointed, hold: { onPointerEnter: () => setPointed(true), onPointerLeave: () => setPointed(false) } }
}

/** A list that changes at most every 10 s, and not under the pointer; an empty one, and the past, at once. */
export function useCalmList<T>(rows: readonly T[]) {
  const { pointed, hold } = usePointed()
  const isPast = usePastPart(({ moment }) => moment !== undefined)
  const calm = useCalm(rows, isPast ? 0 : pointed ? Infinity : CALM_MS)
  return { rows: calm.length === 0 || isPast ? rows : calm, hold }
}

/** The same for the order alone: values are current, new rows follow the known ones. */
export function useCalmRows<T extends { readonly key: string }>(rows: readonly T[]) {
  const { rows: before, hold } = useCalmList(rows)
  const now = new Map(rows.map((row) => [row.key, row]))
  const kept = before.flatMap(({ key }) => now.get(key) ?? [])
  for (const { key } of kept) now.delete(key)
  return { rows: [...kept, ...now.values()], hold }
}
