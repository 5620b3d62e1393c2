import { Button } from '../../components/Button.tsx'
import { Copy } from '../../components/Copy.tsx'
import { EmptyState } from '../../components/States.tsx'
import { useLiveState } from '../../state/live.ts'
import { openScreen } from '../../state/route.ts'

/** What to do while nothing came yet. */
export function NothingYet() {
  const state = useLiveState()
  return (
    <EmptyState
      title={state?.address === undefined ? 'Waiting for requests.' : 'Send the first request.'}
      actions={
        state?.address === undefined ? undefined : (
          <>
            <Copy text={state.address} label="Copy the address" />
            <Button small onClick={() => openScreen('connection')}>
              How to send requests
            </Button>
          </>
        )
      }
    >
      {state?.address === undefined ? (
        <p>Requests appear here as the source reports them.</p>
      ) : (
        <p>
          Send requests to <span className="mono">{state.address}</span>; they appear here as they arrive.
        </p>
      )}
    </EmptyState>
  )
}
