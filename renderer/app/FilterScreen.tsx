import type { ScreenName } from '../../core/contract/screens.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { WITHOUT_LEVELS } from '../../core/frame/reading.ts'
import { EmptyState, Note } from '../components/States.tsx'
import { openScreen, useRoute } from '../state/route.ts'
import { Button } from '../components/Button.tsx'
import { useViewPart, withoutLevels } from '../state/view.ts'
import { format } from '../theme/format.ts'
import type { ScreenEntry } from './screens.tsx'

/** Screens that have no content without priority levels. */
const OF_LEVELS: ReadonlySet<ScreenName> = new Set([
  'overview',
  'level',
  'allocation',
  'alerts',
  'diagnosis',
  'compare',
])
/** Screens about objects, which the source has but does not use. */
const OF_OBJECTS: ReadonlySet<ScreenName> = new Set(['classify', 'editor'])

/** A screen while the flow control of the shown source is the max-in-flight filter. */
export function FilterScreen({ entry }: { readonly entry: ScreenEntry }) {
  const inFlight = useViewPart(withoutLevels)?.inFlight
  const { page } = useRoute()
  if (OF_LEVELS.has(entry.name) || page === 'advisor' || page === 'coverage') {
    return (
      <>
        <h1 className="sr-only">{entry.label}</h1>
        <NoLevels inFlight={inFlight} />
      </>
    )
  }
  return (
    <>
      {OF_OBJECTS.has(entry.name) && (
        <Note kind="info">
          This source uses the max-in-flight filter, which reads no flow-control objects. This screen shows how Priority
          and Fairness would apply these objects.
        </Note>
      )}
      <entry.Screen />
    </>
  )
}

/** What is shown instead of levels. */
function NoLevels({ inFlight }: Pick<ServerFrame, 'inFlight'>) {
  return (
    <EmptyState title={WITHOUT_LEVELS} actions={<Button onClick={() => openScreen('live')}>Show its requests</Button>}>
      <p>
        It counts requests and rejects what exceeds its two limits. In flight at most, in the last second:{' '}
        {format.fixed(inFlight?.readOnly)} read-only and {format.fixed(inFlight?.mutating)} mutating requests. Metrics
        do not identify the rejected requests; Live requests lists each of them.
      </p>
    </EmptyState>
  )
}
