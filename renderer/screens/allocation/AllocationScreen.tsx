import { Button } from '../../components/Button.tsx'
import { NoCluster } from '../../components/NoCluster.tsx'
import { ErrorState, Loading } from '../../components/States.tsx'
import { useConnected } from '../../state/connection.ts'
import { openScreen } from '../../state/route.ts'
import { useViewPart } from '../../state/view.ts'
import { AllocationView } from './AllocationView.tsx'
import styles from './allocation.module.css'

/** Why every limit is what it is, for each reallocation (design 3.3). */
export function AllocationScreen() {
  return <div className={styles['screen']}>{useContent()}</div>
}

function useContent() {
  const server = useViewPart((view) => view.server)
  const derived = useViewPart((view) => view.derivedServer)
  const mode = useViewPart((view) => view.mode)
  const connected = useConnected()
  if (mode === 'none') {
    return (
      <NoCluster>
        This screen explains how an API server set the seat limits of its levels, reallocation by reallocation; the demo
        has some to look at.
      </NoCluster>
    )
  }
  if (server !== undefined) {
    return (
      <AllocationView
        key={`${connected?.id ?? ''} ${server.id}`}
        server={server}
        derived={derived}
        stale={mode === 'stale'}
        connection={connected?.id}
      />
    )
  }
  const failing = connected?.servers.find((entry) => entry.status === 'failing')
  const problem = failing?.failures.at(-1)?.problem
  if (failing === undefined || problem === undefined) return <Loading waitingFor="the first scrape" />
  return (
    <ErrorState
      title={`${failing.id} has not answered yet.`}
      problem={problem}
      actions={<Button onClick={() => openScreen('connection')}>Look at the connection</Button>}
    />
  )
}
