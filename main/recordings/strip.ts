import type { RecordingStrip } from '../../core/contract/recording.ts'
import { barsOf, type Bar } from '../../core/history/bars.ts'
import type { UnixMs } from '../../core/units.ts'
import { createArchive } from './archive.ts'
import type { ListedRecording } from './library.ts'

const BARS = 64
/** Points of each server: several in a bar. */
const POINTS = 4 * BARS

/** What happened in a recording, over all of its servers. */
export function stripOf(folder: string, { id, source }: ListedRecording, now: UnixMs): RecordingStrip {
  if (source === undefined) return { bars: [], coverage: 0 }
  const archive = createArchive({ folder, ids: new Set([id]), source, now: () => now })
  const { first, last, gaps } = archive.extent()
  if (first === undefined || last === undefined) return { bars: [], coverage: 0 }
  const length = Math.max(1, last - first)
  const bars = Array.from({ length: BARS }, (_, place): Bar => ({
    from: first + (place * length) / BARS,
    to: first + ((place + 1) * length) / BARS,
    queued: 0,
    rejected: 0,
  }))
  const servers = archive.moment(last).frame?.servers ?? []
  for (const server of servers) {
    const series = archive.series(server.id, { from: first, to: last, maxPoints: POINTS })
    for (const { to, queued, rejected } of barsOf(series)) {
      const place = Math.min(BARS - 1, Math.max(0, Math.ceil(((to - first) / length) * BARS) - 1))
      const bar = bars[place]
      if (bar === undefined) continue
      bars[place] = { ...bar, queued: Math.max(bar.queued, queued), rejected: bar.rejected + rejected }
    }
  }
  const eventful = bars.filter(({ queued, rejected }) => queued > 0 || rejected > 0)
  const [worst] = eventful.toSorted((a, b) => b.rejected - a.rejected || b.queued - a.queued)
  const missing = gaps.reduce((sum, { from, to }) => sum + to - from, 0)
  return { bars: eventful, coverage: 1 - missing / length, ...(worst !== undefined && { incident: worst.to }) }
}
