import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import type { Problem } from '../../core/errors.ts'
import {
  htmlProblem,
  networkProblem,
  startsAsMarkup,
  tooLargeProblem,
  type ChunkConsumer,
  type HttpLimits,
} from './httpProblems.ts'

interface BodyRead {
  /** Bytes after decompression and, if it was compressed, on the wire. */
  readonly bytes: number
  readonly wireBytes?: number
}

interface BodyReading {
  readonly url: URL
  readonly limits: HttpLimits
  readonly onChunk: ChunkConsumer
  readonly onFailed: (problem: Problem) => void
  /** `complete`: whether the body was read to its end, so that the connection can be reused. */
  readonly onDelivered: (read: BodyRead, complete: boolean) => void
}

/** How much of the body of a failed response is read for its message; if there is more, the connection is given up. */
const START_BYTES = 4_096

/** Bytes that the decompressor produces at a time: each time uses another thread, which costs more than the work. */
const UNFOLDED_BYTES = 256 * 1024

/** Reads at most `most` bytes of text; `complete` if the response ended within them. */
export function readStart(
  response: IncomingMessage,
  most: number = START_BYTES,
  onRead: (start: string, complete: boolean) => void,
): void {
  const pieces: Buffer[] = []
  let size = 0
  let done = false
  const finish = (complete: boolean): void => {
    if (done) return
    done = true
    // A compressed body has no text to show.
    const readable = (response.headers['content-encoding'] ?? 'identity') === 'identity'
    onRead(readable ? Buffer.concat(pieces).subarray(0, most).toString('utf8') : '', complete)
  }
  response.on('data', (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (size > most) finish(false)
  })
  response.on('end', () => finish(true))
  response.on('error', () => finish(false))
}

/**
 * Passes the body on in chunks, decompressed, within the limits. Once the consumer has enough, or after a failure,
 * nothing more is passed on, and the decompressor is stopped: a small chunk of a compression bomb expands enormously.
 */
export function readBody(response: IncomingMessage, reading: BodyReading): void {
  const { url, limits, onChunk } = reading
  const gunzip =
    response.headers['content-encoding'] === 'gzip' ? createGunzip({ chunkSize: UNFOLDED_BYTES }) : undefined
  const body = gunzip === undefined ? response : response.pipe(gunzip)
  let wireBytes = 0
  let bytes = 0
  let done = false

  const finish = (tell: () => void): void => {
    if (done) return
    done = true
    gunzip?.destroy()
    tell()
  }
  const fail = (problem: Problem): void => finish(() => reading.onFailed(problem))
  const deliver = (complete: boolean): void =>
    finish(() => reading.onDelivered(gunzip === undefined ? { bytes } : { bytes, wireBytes }, complete))

  response.on('data', (piece: Buffer) => {
    wireBytes += piece.length
    if (wireBytes > limits.maxWireBytes) fail(tooLargeProblem('wire', url, limits))
  })
  response.on('error', (error) => fail(networkProblem(error, url)))
  body.on('data', (piece: Buffer) => {
    if (done) return
    if (bytes === 0 && startsAsMarkup(piece)) {
      fail(htmlProblem(url))
      return
    }
    bytes += piece.length
    if (bytes > limits.maxBytes) fail(tooLargeProblem('decoded', url, limits))
    else if (onChunk(piece) === 'enough') deliver(false)
  })
  body.on('end', () => deliver(true))
  gunzip?.on('error', (error) => fail(networkProblem(error, url)))
}
