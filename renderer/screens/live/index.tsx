import { Button } from '../../components/Button.tsx'
import { EmptyState } from '../../components/States.tsx'
import { useConnected } from '../../state/connection.ts'
import { showsRequests, useLive } from '../../state/live.ts'
import { openScreen } from '../../state/route.ts'
import { LiveView } from './LiveView.tsx'

/** Live requests: single requests of a proxy, a feed or a simulation as they pass. */
export function LivePage() {
  const connected = useConnected()
  if (connected === undefined)
    return (
      <EmptyState title="No cluster is connected." actions={<Open label="Connect a source" />}>
        <p>{SOURCES}</p>
      </EmptyState>
    )
  if (!showsRequests(connected.source.kind))
    return (
      <EmptyState
        title={`${connected.source.name} shows no single requests.`}
        actions={<Open label="Choose another source" />}
      >
        <p>Metrics only count them. {SOURCES}</p>
      </EmptyState>
    )
  return <Listening />
}

const SOURCES =
  'A live proxy, an audit log or webhook, the request log of a server (-v=3) and a simulation show each request.'

const Open = ({ label }: { readonly label: string }) => (
  <Button primary onClick={() => openScreen('connection')}>
    {label}
  </Button>
)

function Listening() {
  useLive()
  return <LiveView />
}
