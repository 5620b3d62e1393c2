import { lazy, Suspense } from 'react'
import { LoadingPage } from '../../components/States.tsx'
import { useRoute } from '../../state/route.ts'
import { DraftPage } from './draft/DraftPage.tsx'
import { DriftPage } from './drift/DriftPage.tsx'
import { JournalPage } from './journal/JournalPage.tsx'

const AdvisorPage = lazy(async () => ({ default: (await import('./advisor/AdvisorPage.tsx')).AdvisorPage }))

/**
 * Everything that changes flow-control objects: the draft, the advisor's suggestions, drift, and the journal of applied
 * edits.
 */
export function EditorScreen() {
  const { page } = useRoute()
  if (page === 'advisor') {
    return (
      <Suspense fallback={<LoadingPage title="Advisor" waitingFor="the page" />}>
        <AdvisorPage />
      </Suspense>
    )
  }
  if (page === 'drift') return <DriftPage />
  if (page === 'journal') return <JournalPage />
  return <DraftPage />
}
