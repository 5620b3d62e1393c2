import { Button } from '../../components/Button.tsx'
import { EmptyState } from '../../components/States.tsx'
import { useConnected } from '../../state/connection.ts'
import { showsRequests, useLive } from '../../state/live.ts'
import { openScreen } from '../../state/route.ts'
import styles from './live.module.css'
import { LiveView } from './LiveView.tsx'

/** Live requests: single requests of a proxy, a feed or a simulation as they pass. */
export function LivePage() {
  const connected = useConnected()
  if (connected !== undefined && showsRequests(connected)) return <Listening />
  return (
    <>
      <h1 className="sr-only">Live requests</h1>
      {connected === undefined ? (
        <EmptyState title="No cluster is connected." actions={<Open label="Connect a source" />}>
          <p>These sources report individual requests:</p>
          <Sources />
        </EmptyState>
      ) : (
        <EmptyState
          title="This source does not report individual requests."
          actions={<Open label="Choose another source" />}
        >
          <p>{connected.source.name} reports how many requests there were, not which.</p>
          <Sources />
        </EmptyState>
      )}
    </>
  )
}

const SOURCES = [
  ['Live proxy', 'Requests that you send through it to any API server. Exact, and it can queue or reject them.'],
  ['Audit log or webhook', 'Requests of a server with their users. Queues and waits are computed by the engine.'],
  ['Request log (-v=3)', 'Requests of a server with its flow schemas, levels and seats, but without users.'],
  ['Simulation', 'A simulated cluster under load. No cluster required.'],
] as const

/** Which sources show each request, and what of it. */
const Sources = () => (
  <dl className={styles['sources']}>
    {SOURCES.map(([name, what]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)

const Open = ({ label }: { readonly label: string }) => (
  <Button primary onClick={() => openScreen('connection')}>
    {label}
  </Button>
)

function Listening() {
  useLive()
  return <LiveView />
}
