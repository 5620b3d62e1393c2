import { Note, Details } from '../../../components/States.tsx'
import type { CurrentObjects } from './configurations.data.ts'

/** What to know about the objects that everything on the page is computed from. */
export function ConfigurationNote({ note }: { readonly note: NonNullable<CurrentObjects['note']> }) {
  const { kind, text, problem } = note
  return (
    <Note kind={kind}>
      <p>{text}</p>
      {problem !== undefined && <p>{problem.message}</p>}
      {problem?.details !== undefined && <Details text={problem.details} />}
    </Note>
  )
}
