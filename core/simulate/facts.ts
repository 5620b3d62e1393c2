import type { ServerFacts } from '../engine/facts.ts'
import type { EngineRequest } from '../engine/ticket.ts'
import { WatchTracker } from '../engine/watchTracker.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import type { RequestDigest } from '../request/match.ts'
import type { Workload } from './workload.ts'

/** The facts of a simulated server: its objects, and its watches of all objects of a resource. */
export function simulatedFacts(
  { objects }: Pick<Workload, 'objects'>,
  watches: Iterable<Pick<EngineRequest<unknown>, 'info' | 'query'>>,
): ServerFacts {
  // The engine decides which watches count.
  const tracker = new WatchTracker()
  const watched = new Map<string, RequestDigest['info']>()
  for (const { info, query } of watches) {
    tracker.register(info, query)
    watched.set(statisticsKey(info), info)
  }
  return {
    objects: new Map(objects.map(({ key, count, averageSize }) => [key, { count, averageSize }])),
    // By name: a simulation that was restored has its watches in another order.
    watches: Array.from(watched)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, info]) => ({
        apiGroup: info.apiGroup,
        resource: info.resource,
        total: tracker.interested({ ...info, verb: 'update', namespace: '', name: '' }),
      })),
  }
}
