import type { ObjectSet } from '../config/objects.ts'
import { withoutDeleted } from '../impact/adjustments.ts'
import { knownObjects, type SourceEvent } from './sourceEvent.ts'

/**
 * Removes levels that were deleted from the pages that still contain them, for everything that reads the events of one
 * source. Pages count with the last objects of the cluster that came before them.
 */
export function createExistingLevels(): <E extends SourceEvent>(event: E) => E {
  let stored: ObjectSet | undefined
  return (event) => {
    // Slightly outdated objects are sufficient: the page itself has to prove that a level is gone.
    if (event.kind === 'objects') stored = event.origin === 'cluster' ? knownObjects(event.reading) : undefined
    return event.kind === 'frame' && stored !== undefined
      ? { ...event, frame: withoutDeleted(event.frame, stored) }
      : event
  }
}
