import { readsClusters, useConnection } from '../../state/connection.ts'
import type { Connected, ServerHealth } from '../../../core/contract/source.ts'
import { lazy, Suspense, useEffect, useState } from 'react'
import { unixMsOf } from '../../../core/units.ts'
import { NoCluster } from '../../components/NoCluster.tsx'
import {
  Loading,
  EmptyState,
  failureTitle,
  Details,
  ForbiddenState,
  NoSampleYet,
  OpenConnection,
} from '../../components/States.tsx'
import { useSelection } from '../../state/selection.ts'
import { useView, type View } from '../../state/view.ts'
import { Button } from '../../components/Button.tsx'
import { useNow } from '../../components/hooks.ts'
import { usePermissionReport } from '../../state/health.ts'
import { format } from '../../theme/format.ts'
import { useOverview } from './useOverview.ts'
import { busiestServer } from '../../../core/verdict/acrossRows.ts'
import { OneServer } from './OneServer.tsx'
import { ViewSegment, type ServersView } from './ViewSegment.tsx'
import styles from './overview.module.css'
import { tryNow } from './actions.ts'
import { nextTry } from '../../../core/verdict/headline.ts'

const loadSeveralServers = () => import('./SeveralServers.tsx')
const SeveralServers = lazy(async () => ({ default: (await loadSeveralServers()).SeveralServers }))

/** What is happening, and where (design 3.1, 3.13). */
export function OverviewScreen() {
  const { connection, known } = useConnection()
  const view = useView()
  const loaded = view.frame !== undefined && view.frame.servers.length > 0
  const several = connection !== undefined && connection.servers.length > 1
  useEffect(() => {
    // Loaded with the connection, so that it is ready for the first frame; drawing it loads it again.
    if (several) loadSeveralServers().catch(() => undefined)
  }, [several])
  return (
    <div className={`${styles['screen']} column shrink-y tall scroll children-rigid`}>
      {/* With data, the now line is the heading. */}
      {!loaded && <h1 className="sr-only">Overview</h1>}
      {content()}
    </div>
  )

  function content() {
    if (!known) return <Loading waitingFor="the console" />
    if (connection === undefined)
      return <NoCluster>Explore a simulated cluster first; it runs on this machine.</NoCluster>
    if (!loaded)
      return view.mode === 'past' || connection.etcd === true || readsClusters(connection) ? (
        <NoSampleYet />
      ) : (
        <Waiting connection={connection} />
      )
    return <Connection key={connection.id} view={view} connection={connection} />
  }
}

function Connection({ view, connection }: { readonly view: View; readonly connection: Connected }) {
  const facts = useOverview(view, connection)
  const { server: chosen, setServer } = useSelection()
  const several = facts.servers.length > 1
  const [how, setHow] = useState<ServersView>('each')
  const busiest = busiestServer(
    facts.servers.map(({ load }) => load),
    chosen,
  )
  useEffect(() => {
    if (several && how === 'busiest' && busiest !== undefined && busiest !== chosen) setServer(busiest)
  }, [several, how, busiest, chosen, setServer])

  const showServer = (server: string): void => {
    setServer(server)
    setHow('one')
  }
  if (several && (how === 'each' || how === 'sum')) {
    return (
      <Suspense fallback={<h1 className="sr-only">Overview</h1>}>
        <SeveralServers facts={facts} connection={connection} view={how} onView={setHow} onShowServer={showServer} />
      </Suspense>
    )
  }
  const shown = facts.servers.find(({ id }) => id === view.server?.id) ?? facts.servers[0]
  if (shown === undefined) return <Waiting connection={connection} />
  return (
    <>
      {several && (
        <div className={`${styles['which']} row gap-10 pad-x pad-y-4 line-below muted`}>
          <strong>{shown.id}</strong>
          <span>
            {how === 'busiest' ? `the busiest of ${facts.servers.length}` : `one of ${facts.servers.length} servers`}
          </span>
          <ViewSegment view={how} onView={setHow} one={how === 'one' ? shown.id : undefined} />
        </div>
      )}
      <OneServer shown={shown} facts={facts} connection={connection} onShowServer={showServer} />
    </>
  )
}

/** Connected, and no sample yet: waiting, not responding, or not allowed. */
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
          <Button primary asks="sources.tryNow" onClick={() => tryNow(id)}>
            Retry now
          </Button>
          <OpenConnection />
        </>
      }
    >
      <p>{last?.problem.message}</p>
      {last?.problem.code === 'credentials' && last.problem.details !== undefined && (
        <Details text={last.problem.details} summary="standard error" open />
      )}
      <p>
        {format.counted(failures.length, 'try', 'tries')}
        {since}. {nextTry(health, now, format)}
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
      actions={
        <Button asks="sources.tryNow" onClick={() => tryNow(health.id)}>
          Check again
        </Button>
      }
    >
      <p>{health.failures.at(-1)?.problem.message}</p>
      <p>
        Without it, seats, demand and rejections are unknown.
        {role !== undefined && ' This role allows reading them:'}
      </p>
    </ForbiddenState>
  )
}
