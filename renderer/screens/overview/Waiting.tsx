import { useEffect, useState } from 'react'
import type { SourceSpec, ServerHealth } from '../../../core/contract/source.ts'
import { Button } from '../../components/Button.tsx'
import { Details, EmptyState, ForbiddenState, Loading } from '../../components/States.tsx'
import { client } from '../../state/client.ts'
import type { Connected } from '../../state/connection.ts'
import { format } from '../../theme/format.ts'
import { openConnection, tryNow } from './actions.ts'
import { nextTry } from './staleLine.ts'

/** Connected, and no sample yet: waiting, not answering, or not allowed. */
export function Waiting({ connection }: { readonly connection: Connected }) {
  const { servers, source, spec } = connection
  const failing = servers.find(({ status, failures }) => status === 'failing' && failures.length > 0)
  if (failing === undefined || servers.some(({ status }) => status === 'connecting')) {
    return <Loading waitingFor={`the first sample from ${source.name}`} />
  }
  const code = failing.failures.at(-1)?.problem.code
  return code === 'forbidden' || code === 'unauthorized' ? (
    <Forbidden health={failing} spec={spec} name={source.name} />
  ) : (
    <Failing health={failing} />
  )
}

function Failing({ health }: { readonly health: ServerHealth }) {
  const now = useNow()
  const { id, failures } = health
  const first = failures[0]
  const last = failures.at(-1)
  const since = first === undefined ? '' : `, since ${format.time(Date.parse(first.at))}`
  return (
    <EmptyState
      title={`${id} does not answer.`}
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
      <p>
        {failures.length === 1 ? '1 try' : `${failures.length} tries`}
        {since}. {nextTry(health, now)}
      </p>
      <Details
        text={failures
          .map(({ at, problem }) => `${format.time(Date.parse(at))} ${problem.details ?? problem.message}`)
          .join('\n')}
        summary="last errors"
      />
    </EmptyState>
  )
}

function Forbidden(props: { readonly health: ServerHealth; readonly spec: SourceSpec; readonly name: string }) {
  const { health, spec, name } = props
  const role = useMissingRole(spec, health.id)
  return (
    <ForbiddenState
      title={`You may not read /metrics on ${name}.`}
      role={role}
      actions={<Button onClick={() => tryNow(health.id)}>Check again</Button>}
    >
      <p>{health.failures.at(-1)?.problem.message}</p>
      <p>Seats, demand and rejections are not known without it. This role allows reading them:</p>
    </ForbiddenState>
  )
}

/** The exact role that the credential lacks; absent until it is known. */
function useMissingRole(spec: SourceSpec, server: string): string | undefined {
  const [role, setRole] = useState<string>()
  useEffect(() => {
    if (spec.kind !== 'scrape') return undefined
    let current = true
    const ask = async () => {
      const reports = await client().call('sources.permissions', { target: spec.target })
      const own = reports.find((report) => report.server === server) ?? reports[0]
      if (current) setRole(own?.missingRole)
    }
    // Without an answer the screen still says what is forbidden.
    ask().catch(() => undefined)
    return () => {
      current = false
    }
  }, [spec, server])
  return role
}

/** The page's clock, once a second, for countdowns. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
