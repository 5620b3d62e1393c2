import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { createReader } from '../../../core/source/recording.ts'
import type { UnixMs } from '../../../core/units.ts'

/** One lap of one server, in chronological order. The first frame is the base of the lap's increases. */
export interface Recording {
  readonly frames: readonly { readonly at: UnixMs; readonly frame: ServerFrame }[]
  readonly dumps: readonly { readonly at: UnixMs; readonly dump: DumpFrame }[]
}

/** Throws when the file is not a recording: it is part of the application, so the installation is broken. */
export async function readRecording(path: string): Promise<Recording> {
  const text = (await promisify(brotliDecompress)(await readFile(path))).toString('utf8')
  const read = createReader()
  const told = text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => read(line) ?? [])
  const recording = {
    frames: told.flatMap(({ at, event }) => (event.kind === 'frame' ? [{ at, frame: event.frame }] : [])),
    dumps: told.flatMap(({ at, event }) => (event.kind === 'dump' ? [{ at, dump: event.dump }] : [])),
  }
  if (recording.frames.length < 2 || recording.dumps.length < 2) throw new Error(`${path} holds no recording.`)
  return recording
}
