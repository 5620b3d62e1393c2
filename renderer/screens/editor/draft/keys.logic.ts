export type DraftKey = 'undo' | 'redo' | 'check' | 'apply' | 'new' | 'filter'

type Stroke = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** What a key means on the page of the draft. Undo is the draft's also while a field has the focus. */
export function applyKey(
  { key, ctrlKey, metaKey, shiftKey, altKey }: Stroke,
  noLetters: boolean,
): DraftKey | undefined {
  if (altKey) return undefined
  const lower = key.toLowerCase()
  if (ctrlKey || metaKey) {
    if (lower === 'z') return shiftKey ? 'redo' : 'undo'
    if (lower === 'y' && !shiftKey) return 'redo'
    if (key === 'Enter') return shiftKey ? 'apply' : 'check'
    return undefined
  }
  if (noLetters || shiftKey) return undefined
  return lower === 'n' ? 'new' : lower === 'f' ? 'filter' : undefined
}
