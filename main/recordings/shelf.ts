import { join } from 'node:path'
import { lastAlert } from '../../core/compare/notes.ts'
import { ProblemError } from '../../core/errors.ts'
import type { RecordingEntry, RecordingPart, RecordingStrip } from '../../core/contract/recording.ts'
import { MOST_SHARED_BYTES } from '../../core/bounds.ts'
import { megabytes } from '../files/files.ts'
import type { Environment } from '../ports/environment.ts'
import type { RecordingReader } from '../ports/whatIf.ts'
import { reportOfRecording } from './incident.ts'
import { chaptersIn, listRecordings, RECORDINGS, removeChapter, type ListedRecording } from './library.ts'
import type { UnixMs } from '../../core/units.ts'
import { fileNameOf, packRecording } from './recordingFile.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { barsOf, type Bar } from '../../core/history/bars.ts'
import { createArchive } from './archive.ts'

/** The recordings of one state folder, for pages. */
export interface Shelf extends RecordingReader {
  /** The latest first. */
  list(presence: Runner): readonly RecordingEntry[]
  /**
   * Returns the remaining ones. Throws `invalid-input` for one that is still being written, `not-found` if there is
   * none.
   */
  remove(id: string, presence: Runner): readonly RecordingEntry[]
  /** Receives exported recordings from pages. */
  uploads(environment: Pick<Environment, 'after'>): Uploads
}
/** Reports which consoles run. */
interface Runner {
  runs(writer: string): boolean
}

export function shelf(stateDir: string): Shelf {
  const folder = join(stateDir, RECORDINGS)
  const list = (presence: Runner): readonly RecordingEntry[] =>
    listRecordings(folder, (writer) => presence.runs(writer)).map(withoutChapters)
  const find = (id: string): ListedRecording => {
    const found = listRecordings(folder, () => false).find((one) => one.id === id)
    if (found !== undefined) return found
    throw new ProblemError('not-found', `There is no recording ${JSON.stringify(id)}.`)
  }
  return {
    list,
    strip: async (id, now) => stripOf(folder, find(id), now),
    remove(id, presence) {
      const entry = list(presence).find((one) => one.id === find(id).id)
      if (entry?.running === true) {
        throw new ProblemError('invalid-input', 'This recording is still being written. Switch recording off first.')
      }
      for (const chapter of chaptersIn(folder)) if (chapter.recording === id) removeChapter(folder, chapter)
      return list(presence)
    },
    async export({ id, anonymise, ...range }, version, following) {
      const packed = packRecording(find(id), { range: rangeOf(range), version, anonymise, ...following })
      const parts: Buffer[] = []
      let bytes = 0
      for await (const piece of packed.bytes) {
        parts.push(piece)
        bytes += piece.length
        if (bytes > MOST_SHARED_BYTES) {
          throw new ProblemError(
            'too-large',
            `The file would be larger than ${megabytes(MOST_SHARED_BYTES)}; choose a shorter range, or run apf-console export ${id} FILE.`,
          )
        }
      }
      const { head } = packed.exported()
      const at = head.from.slice(0, 19).replaceAll(/[-:]/g, '')
      return { name: `${fileNameOf(head.source.name)}-${at}Z.apfrec`, base64: Buffer.concat(parts).toString('base64') }
    },
    uploads: (environment) => createUploads(stateDir, environment),
    report: async ({ id, anonymise, ...range }, version, following) =>
      reportOfRecording(find(id), { range: rangeOf(range), version, anonymise, ...following }).report,
  }
}

const rangeOf = ({ from = -Infinity, to = Infinity }: Pick<RecordingPart, 'from' | 'to'>) => ({ from, to })

function withoutChapters({ chapters: _chapters, ...entry }: ListedRecording): RecordingEntry {
  return entry
}

const BARS = 64
/** Points of each server: several in a bar. */
const POINTS = 4 * BARS

/** What happened in a recording, over all of its servers. */
function stripOf(folder: string, { id, source }: ListedRecording, now: UnixMs): RecordingStrip {
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
  const alert = lastAlert(archive.notes(first, last))
  return {
    bars: eventful,
    coverage: 1 - missing / length,
    ...(worst !== undefined && { incident: worst.to }),
    ...(alert !== undefined && { lastAlert: alert }),
  }
}
