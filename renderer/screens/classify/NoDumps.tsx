import { DUMPS_MS } from '../../../core/contract/source.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import { Button } from '../../components/Button.tsx'
import { Copy } from '../../components/Copy.tsx'
import { Note } from '../../components/Note.tsx'
import { Loading, ProblemNote } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import { useConnected } from '../../state/connection.ts'
import { usePermissionReport } from '../level/useLevelData.ts'

/**
 * Why there is no dump of requests, and how to mend it. `what` is what stays unknown; in a sentence it stands first.
 */
export function NoDumps(props: {
  readonly server: string | undefined
  readonly dump: DumpFrame | undefined
  readonly what: string
}) {
  const { server, dump, what } = props
  const connected = useConnected()
  const dumps = connected?.servers.find(({ id }) => id === server)?.dumps
  const report = usePermissionReport(server ?? '', server !== undefined && dumps?.status === 'forbidden')
  if (connected === undefined) return <Note kind="info">{`${what} are known once a source is connected.`}</Note>
  const switchOn = (): void => {
    client()
      .call('sources.cadence', { ...connected.cadence, dumpsEveryMs: DUMPS_MS.default })
      // The status bar and the connection screen show what a failing source says.
      .catch(() => undefined)
  }
  switch (dumps?.status) {
    case 'off':
      return (
        <Note kind="info">
          <p>{`Debug dumps are off. ${what} are only in them.`}</p>
          <Button small onClick={switchOn}>{`Read dumps every ${DUMPS_MS.default / 1_000} s`}</Button>
        </Note>
      )
    case 'forbidden':
      return (
        <Note kind="warn">
          <p>{`You may not read the debug dumps of ${server ?? 'this server'}. ${what} stay unknown; everything else works.`}</p>
          {report?.missingRole !== undefined && <Copy text={report.missingRole} label="Copy role and binding" />}
        </Note>
      )
    case 'failing':
      if (dumps.problem !== undefined) return <ProblemNote problem={dumps.problem} />
      break
    default:
  }
  const [error] = dump?.errors ?? []
  if (error !== undefined) return <Note kind="warn">{`${error.path} could not be read: ${error.message}`}</Note>
  if (connected.still)
    return <Note kind="info">{`These files hold no dump of requests. ${what} are only in one.`}</Note>
  return <Loading waitingFor="the first dump" />
}
