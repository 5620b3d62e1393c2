import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ownFolder } from '../files/ownFolder.ts'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import type { Note } from '../../core/contract/recording.ts'
import { createPicture, stretchesBetween } from '../../core/source/picture.ts'
import { createSegmentWriter, instantOf } from '../../core/source/recording.ts'
import { createChapter, SEGMENT_CHARACTERS, SEGMENT_MS, SPEAKERS, type About, type KeptLine } from './chapter.ts'
import { RECORDINGS, type RecordedEvent } from './library.ts'

/** Next to the recordings: incomplete ones are not among them. */
export const UNFINISHED = 'importing'
/** Remains of a console that was killed; no import takes this long. */
const LEFT_MS = 6 * 3_600_000

/**
 * Stores events as a recording that no console is writing. They arrive in the order of recording, preceded by those in
 * effect before the first instant. An existing recording of the same name remains unchanged. Rejects with the error of
 * the events, or with `ProblemError`, and leaves nothing behind.
 */
export async function shelve(
  stateDir: string,
  about: Omit<About, 'writer'>,
  events: AsyncIterable<RecordedEvent> | Iterable<RecordedEvent>,
): Promise<void> {
  const [unfinished, folder] = [ownFolder(stateDir, UNFINISHED), ownFolder(stateDir, RECORDINGS)]
  await removeLeftOver(unfinished)
  const own = await mkdtemp(join(unfinished, 'recording-'))
  try {
    await write(join(own, '00001.db'), { ...about, writer: '' }, events)
    await rename(own, join(folder, about.recording)).catch(async (error: unknown) => {
      // Another console imported the same file first.
      if ((await stat(join(folder, about.recording)).catch(() => undefined)) === undefined) throw error
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

async function write(
  path: string,
  about: About,
  events: AsyncIterable<RecordedEvent> | Iterable<RecordedEvent>,
): Promise<void> {
  const segments = createSegmentWriter()
  const picture = createPicture()
  const noter = createSourceNoter()
  const chapter = await createChapter(path, about)
  let lines: KeptLine[] = []
  let notes: Note[] = []
  let characters = 0
  let began: number | undefined
  const end = async (): Promise<void> => {
    if (lines.length === 0) return
    await chapter.append(lines, notes)
    const sampled = lines.filter(({ restated }) => !restated).map(({ at }) => at)
    const [from, to] = sampled.reduce(([a, b], at) => [Math.min(a, at), Math.max(b, at)], [Infinity, -Infinity])
    await chapter.seal(stretchesBetween(picture, from, to))
    segments.cut()
    lines = []
    notes = []
    characters = 0
    began = undefined
  }
  try {
    for await (const { timed, held } of events) {
      picture.take(timed.event)
      const found = noter.take(timed.event, picture, timed.at)
      if (held) {
        segments.pass(timed)
        continue
      }
      began ??= timed.at
      for (const added of found.notes) notes.push(added)
      const at = instantOf(timed)
      for (const line of segments.write(timed)) {
        lines.push({ ...line, at })
        characters += line.text.length
      }
      if (Math.abs(timed.at - began) >= SEGMENT_MS || characters >= SEGMENT_CHARACTERS) await end()
    }
    await end()
  } finally {
    await chapter.close(segments.restate(SPEAKERS))
  }
}

async function removeLeftOver(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > LEFT_MS) await rm(path, { recursive: true, force: true })
  }
}
