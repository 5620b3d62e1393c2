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
      return <Note kind="info">{`${what} are known once a source is connected.`}</Note>
    case 'off':
      return (
        <Note kind="info">
          <p>{`Debug dumps are off. ${what} are only in them.`}</p>
          <DumpsSwitch small />
        </Note>
      )
    case 'unsupported':
      return <Note kind="info">{`${absence.problem.message} ${what} are only in them.`}</Note>
    case 'forbidden':
      return (
        <Note kind="warn">
          <p>{`You may not read the debug dumps of ${server ?? 'this server'}. ${what} stay unknown.`}</p>
          {absence.role !== undefined && <Copy text={absence.role} label="Copy role and binding" />}
        </Note>
      )
    case 'failing':
      return <ProblemNote problem={absence.problem} />
    default:
  }
  if (error !== undefined) return <Note kind="warn">{`${error.path} could not be read: ${error.message}`}</Note>
  if (absence.kind === 'still')
    return <Note kind="info">{`These files hold no dump of requests. ${what} are only in one.`}</Note>
  if (absence.kind === 'not-recorded')
    return (
      <Note kind="info">{`No debug dump was recorded in the minutes before this instant. ${what} are only in one.`}</Note>
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
