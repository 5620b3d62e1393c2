import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { createReader, headOf } from '../../../core/source/recording.ts'
import type { UnixMs } from '../../../core/units.ts'

/** One lap of one server, in chronological order. The first frame is the base of the lap's increases. */
export interface Recording {
  readonly frames: readonly { readonly at: UnixMs; readonly frame: ServerFrame }[]
  /** Each is parsed when it is shown: all of them would take as long as the frames. */
  readonly dumps: readonly { readonly at: UnixMs; readonly dump: () => DumpFrame }[]
}

/** Throws when the file is not a recording: it is part of the application, so the installation is broken. */
export async function readRecording(path: string): Promise<Recording> {
  const text = (await promisify(brotliDecompress)(await readFile(path))).toString('utf8')
  const read = createReader()
  const frames: { at: UnixMs; frame: ServerFrame }[] = []
  const dumps: { at: UnixMs; dump: () => DumpFrame }[] = []
  let now = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const head = headOf(line)
    now += head?.after ?? 0
    if (head?.kind === 'dump') dumps.push({ at: now, dump: () => dumpIn(line) })
    else {
      // Throws for a line that no recorder wrote.
      const event = read(line)?.event
      if (event?.kind === 'frame') frames.push({ at: now, frame: event.frame })
    }
  }
  if (frames.length < 2 || dumps.length < 2) throw new Error(`${path} contains no recording.`)
  return { frames, dumps }
}

/** Throws RangeError for any other line. */
function dumpIn(line: string): DumpFrame {
  const event = createReader()(line)?.event
  if (event?.kind !== 'dump') throw new RangeError('the line contains no dump')
  return event.dump
}
