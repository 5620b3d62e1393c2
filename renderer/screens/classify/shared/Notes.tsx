import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { Copy } from '../../../components/Button.tsx'
import { DumpsSwitch } from '../../../components/SourceControls.tsx'
import { Loading, ProblemNote, Details, Note } from '../../../components/States.tsx'
import { useDumpAbsence } from '../../../state/dumpAbsence.ts'
import type { CurrentObjects } from './configurations.ts'

/**
 * Why there is no dump of requests, and the remedy. `what` is the subject of the sentence: the values that stay
 * unknown.
 */
export function NoDumps(props: {
  readonly server: string | undefined
  readonly dump: DumpFrame | undefined
  readonly what: string
}) {
  const { server, dump, what } = props
  const absence = useDumpAbsence(server)
  const [error] = dump?.errors ?? []
  switch (absence.kind) {
    case 'no-source':
      return <Note kind="info">{`Connect a source to see ${what}.`}</Note>
    case 'off':
      return (
        <Note kind="info">
          <p>{`Debug dumps are off. Only dumps contain ${what}.`}</p>
          <DumpsSwitch small />
        </Note>
      )
    case 'unsupported':
      return <Note kind="info">{`${absence.problem.message} Only dumps contain ${what}.`}</Note>
    case 'forbidden':
      return (
        <Note kind="warn">
          <p>{`You may not read the debug dumps of ${server ?? 'this server'}, which contain ${what}.`}</p>
          {absence.role !== undefined && <Copy text={absence.role} label="Copy role and binding" />}
        </Note>
      )
    case 'failing':
      return <ProblemNote problem={absence.problem} />
    default:
  }
  if (error !== undefined) return <Note kind="warn">{`${error.path} could not be read: ${error.message}`}</Note>
  if (absence.kind === 'still')
    return <Note kind="info">{`These files contain no dump of requests. Only dumps contain ${what}.`}</Note>
  if (absence.kind === 'not-recorded')
    return (
      <Note kind="info">{`No debug dump was recorded in the minutes before this instant. Only dumps contain ${what}.`}</Note>
    )
  return <Loading waitingFor="the first dump" />
}

/** A note about the objects that everything on the page is computed from. */
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
