import type { ReactNode } from 'react'
import { openScreen } from '../state/route.ts'
import { Button } from './Button.tsx'
import { EmptyState } from './States.tsx'

/** What a screen shows without a source; `children` says what it would show. */
export const NoCluster = ({ children }: { readonly children: ReactNode }) => (
  <EmptyState
    title="No cluster is connected."
    actions={
      <Button primary onClick={() => openScreen('connection')}>
        Connect
      </Button>
    }
  >
    {children}
  </EmptyState>
)
