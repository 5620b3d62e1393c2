import { createHash } from 'node:crypto'
import type { LiveRequest } from '../../core/contract/live.ts'
import { ProblemError } from '../../core/errors.ts'
import type { UploadedFile } from '../../core/contract/source.ts'
import { instantOf, type TimedEvent } from '../../core/source/recording.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { rfc3339 } from '../../core/units.ts'
import { recordingId } from '../recordings/library.ts'
import { shelve } from '../recordings/shelving.ts'
import { createFilesSource } from '../sources/files.ts'
import type { Console } from './console.ts'

/** Most rows in one event. */
const MOST_ROWS = 1_000

/**
 * Stores the contents of files as one recording: pages, frames, a dump, objects, requests of logs. Resolves to its id.
 * Rejects with `ProblemError`.
 */
export async function importFiles(files: readonly UploadedFile[], console: Console): Promise<string> {
  const made = await createFilesSource(files, console.environment)
  if (!made.ok) throw ProblemError.of(made.problem)
  const { source } = made
  const events: SourceEvent[] = []
  const take = (event: SourceEvent): void => void events.push(event)
  source.start(console.signal, take)
  source.objects?.start(console.signal, (reading) => take({ kind: 'objects', origin: 'files', reading }))
  const timed = inOrder(events, source.live?.log.before(Number.MAX_SAFE_INTEGER) ?? [])
  const [first] = timed
  if (first === undefined) throw new ProblemError('not-found', 'These files contain nothing that can be recorded.')
  const hash = createHash('sha256')
  for (const { name, text } of files) hash.update(`${name.length} ${name} ${text.length} ${text}`)
  const recording = recordingId(first.at, hash.digest('hex'))
  const about = { recording, startedAt: rfc3339(first.at), source: source.info }
  await shelve(
    console.stateDir,
    about,
    timed.map((one) => ({ timed: one, held: false })),
  )
  return recording
}

/** In chronological order; events without a time are dated to the first sample. */
function inOrder(events: readonly SourceEvent[], rows: readonly LiveRequest[]): readonly TimedEvent[] {
  const timed = events.flatMap((event): TimedEvent[] => {
    const at = event.kind === 'frame' || event.kind === 'dump' ? instantOf({ at: Number.NaN, event }) : Number.NaN
    return Number.isNaN(at) ? [] : [{ at, event }]
  })
  const done = rows.filter(({ state }) => state !== 'waiting' && state !== 'executing')
  for (let from = 0; from < done.length; from += MOST_ROWS) {
    const requests = done.slice(from, from + MOST_ROWS)
    const at = requests[0]?.at
    const changes = { event: from + requests.length, from, requests, dropped: 0 }
    if (at !== undefined) timed.push({ at, event: { kind: 'requests', changes } })
  }
  timed.sort((a, b) => a.at - b.at)
  const at = timed[0]?.at
  if (at === undefined) return []
  const known = events
    .filter(({ kind }) => kind !== 'frame' && kind !== 'dump')
    .map((event): TimedEvent => ({ at, event }))
  return [...known, ...timed]
}
