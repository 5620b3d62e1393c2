import type { ServerHealth } from '../../../core/contract/source.ts'
import { unixMsOf } from '../../../core/units.ts'
import { Button } from '../../components/Button.tsx'
import { failureTitle } from '../../components/NoSampleYet.tsx'
import { Details, EmptyState, ForbiddenState, Loading } from '../../components/States.tsx'
import { useNow } from '../../components/useNow.ts'
import type { Connected } from '../../../core/contract/source.ts'
import { usePermissionReport } from '../../state/health.ts'
import { format } from '../../theme/format.ts'
import { openConnection, tryNow } from './actions.ts'
import { nextTry } from './staleLine.ts'

/** Connected, and no sample yet: waiting, not answering, or not allowed. */
export function Waiting({ connection }: { readonly connection: Connected }) {
  const { servers, source } = connection
  const failing = servers.find(({ status, failures }) => status === 'failing' && failures.length > 0)
  if (failing === undefined || servers.some(({ status }) => status === 'connecting')) {
    return <Loading waitingFor={`the first sample from ${source.name}`} />
  }
  const code = failing.failures.at(-1)?.problem.code
  return code === 'forbidden' ? <Forbidden health={failing} name={source.name} /> : <Failing health={failing} />
}

function Failing({ health }: { readonly health: ServerHealth }) {
  const now = useNow()
  const { id, failures } = health
  const first = failures[0]
  const last = failures.at(-1)
  const since = first === undefined ? '' : `, since ${format.time(unixMsOf(first.at))}`
  return (
    <EmptyState
      title={failureTitle(id, last?.problem.code)}
      actions={
        <>
          <Button primary onClick={() => tryNow(id)}>
            Try now
          </Button>
          <Button onClick={openConnection}>Open Connection</Button>
        </>
      }
    >
      <p>{last?.problem.message}</p>
      {last?.problem.code === 'credentials' && last.problem.details !== undefined && (
        <Details text={last.problem.details} summary="standard error" open />
      )}
      <p>
        {failures.length === 1 ? '1 try' : `${failures.length} tries`}
        {since}. {nextTry(health, now)}
      </p>
      <Details
        text={failures
          .map(({ at, problem }) => `${format.time(unixMsOf(at))} ${problem.details ?? problem.message}`)
          .join('\n')}
        summary="last errors"
      />
    </EmptyState>
  )
}

function Forbidden({ health, name }: { readonly health: ServerHealth; readonly name: string }) {
  const role = usePermissionReport(health.id, true)?.missingRole
  return (
    <ForbiddenState
      title={failureTitle(name, 'forbidden')}
      role={role}
      actions={<Button onClick={() => tryNow(health.id)}>Check again</Button>}
    >
      <p>{health.failures.at(-1)?.problem.message}</p>
      <p>
        Seats, demand and rejections are not known without it.
        {role !== undefined && ' This role allows reading them:'}
      </p>
    </ForbiddenState>
  )
}
