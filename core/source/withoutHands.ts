import type { DumpFrame } from '../frame/dump.ts'
import { byCodeUnits } from '../text/text.ts'
import type { SourceEvent } from './sourceEvent.ts'

/**
 * Separates flows from queues. The queues of a flow are a public function of its flow schema and its name
 * (specification 2.7, 3.2), so whoever guesses a name can compare: by their numbers, or, with enough flows, by which
 * flows share a queue. Requests therefore lose their queue, and those of a dump are in the order of their arrival. The
 * queues of each level of a server are numbered in the order of `rank`.
 */
export function withoutHands(event: SourceEvent, rank: (queue: string) => string): SourceEvent {
  if (event.kind === 'dump') return { kind: 'dump', dump: dumpWithout(event.dump, rank) }
  if (event.kind !== 'requests' || 'state' in event) return event
  const requests = event.changes.requests.map((request) => {
    const { queue: _, ...others } = request
    return others
  })
  return { kind: 'requests', changes: { ...event.changes, requests } }
}

function dumpWithout({ queues, requests, ...dump }: DumpFrame, rank: (queue: string) => string): DumpFrame {
  const ranked = queues?.map((queue) => ({
    queue,
    rank: rank(JSON.stringify([dump.server, queue.level, queue.index])),
  }))
  return {
    ...dump,
    ...(ranked && {
      queues: [...Map.groupBy(ranked, ({ queue }) => queue.level).values()]
        .toSorted(([a], [b]) => byCodeUnits(a?.queue.level ?? '', b?.queue.level ?? ''))
        .flatMap((level) =>
          level.toSorted((a, b) => byCodeUnits(a.rank, b.rank)).map(({ queue }, index) => ({ ...queue, index })),
        ),
    }),
    ...(requests && {
      requests: requests
        .map((request) => ({ ...request, queue: -1, position: -1 }))
        .toSorted((a, b) => byCodeUnits(a.level, b.level) || a.arrivedAt - b.arrivedAt || byCodeUnits(a.flow, b.flow)),
    }),
  }
}
