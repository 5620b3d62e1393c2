import type { ServerHealth } from '../../core/contract/source.ts'

/** Tells each note of a server once. */
export function tellNotes(tell: (sentence: string) => void): (server: ServerHealth) => void {
  const told = new Set<string>()
  return ({ notes = [] }) => {
    for (const note of notes) {
      if (!told.has(note)) tell(note)
      told.add(note)
    }
  }
}
