import type { ServerFacts } from '../engine/apfEngine.ts'
import type { EngineRequest } from '../engine/ticket.ts'
import { WatchTracker } from '../engine/watchTracker.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import type { RequestDigest } from '../request/match.ts'
import type { Workload } from './workload.ts'

interface OpenWatch {
  readonly payload: Pick<EngineRequest<unknown>, 'info' | 'query'>
}

/** What is true of a simulated server: its objects, and its watches of all objects of a resource. */
export function simulatedFacts({ objects }: Pick<Workload, 'objects'>, watches: Iterable<OpenWatch>): ServerFacts {
  // Which watches count is the engine's to say.
  const tracker = new WatchTracker()
  const watched = new Map<string, RequestDigest['info']>()
  for (const { payload } of watches) {
    tracker.register(payload.info, payload.query)
    watched.set(statisticsKey(payload.info), payload.info)
  }
  return {
    objects: new Map(objects.map(({ key, count, averageSize }) => [key, { count, averageSize }])),
    watches: [...watched.values()].map((info) => ({
      apiGroup: info.apiGroup,
      resource: info.resource,
      total: tracker.interested({ ...info, verb: 'update', namespace: '', name: '' }),
    })),
  }
}
