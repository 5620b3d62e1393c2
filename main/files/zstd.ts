import type { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'

/** Parallel and seekable compressors write a frame for 64 KB or more; each costs time, however little it holds. */
export const MOST_FRAMES = 10_000

/**
 * The contents of all frames of a file of `size` bytes, one after the other: Node ends at the end of a frame, and fails
 * at what is written to it after that. `open` begins at a position. Throws where the bytes are damaged.
 */
export async function* zstdFrames(open: (at: number) => Promise<Readable>, size: number): AsyncGenerator<Buffer> {
  let at = 0
  for (let frames = 0; at < size; frames++) {
    if (frames === MOST_FRAMES) throw new Error(`it has more than ${MOST_FRAMES} zstd frames`)
    const source = await open(at)
    const pieces = source.pipe(createZstdDecompress())
    source.on('error', (error) => pieces.destroy(error))
    let read = 0
    pieces
      .on('error', () => undefined)
      .once('end', () => {
        read = pieces.bytesWritten
        pieces.destroy()
      })
    try {
      yield* pieces as AsyncIterable<Buffer>
    } finally {
      source.destroy()
    }
    if (read === 0) return
    at += read
  }
}
