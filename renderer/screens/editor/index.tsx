import { useRoute } from '../../state/route.ts'
import { DraftPage } from './draft/DraftPage.tsx'
import { DriftPage } from './drift/DriftPage.tsx'
import { JournalPage } from './journal/JournalPage.tsx'

/** Everything that changes flow-control objects: the draft, how the objects drifted, and what was applied. */
export function EditorScreen() {
  const { page } = useRoute()
  if (page === 'drift') return <DriftPage />
  if (page === 'journal') return <JournalPage />
  return <DraftPage />
}
