import { NoCluster } from '../../components/NoCluster.tsx'
import { NoSampleYet } from '../../components/NoSampleYet.tsx'
import { useConnected } from '../../state/connection.ts'
import { useViewPart } from '../../state/view.ts'
import { AllocationView } from './AllocationView.tsx'
import styles from './allocation.module.css'

/** Why every limit is what it is, for each reallocation (design 3.3). */
export function AllocationScreen() {
  const server = useViewPart((view) => view.server)
  return (
    <div className={styles['screen']}>
      {/* With data, the sentence of the case is the heading. */}
      {server === undefined && <h1 className="sr-only">Allocation</h1>}
      <Content />
    </div>
  )
}

function Content() {
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
  return <NoSampleYet />
}
