import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import type { Problem } from '../../core/contract/errors.ts'
import {
  htmlProblem,
  networkProblem,
  startsAsMarkup,
  tooLargeProblem,
  type ChunkConsumer,
  type HttpLimits,
} from './httpProblems.ts'

interface BodyRead {
  /** Bytes after decompression and, when it was compressed, on the wire. */
  readonly bytes: number
  readonly wireBytes?: number
}

interface BodyReading {
  readonly url: URL
  readonly limits: HttpLimits
  readonly onChunk: ChunkConsumer
  readonly onFailed: (problem: Problem) => void
  /** `complete` tells whether the body was read to its end, so that the connection can be used again. */
  readonly onDelivered: (read: BodyRead, complete: boolean) => void
}

/** The start of the body of an answer that failed, for its words; with more than this the connection is given up. */
const START_BYTES = 4_096

/** Bytes that the decompressor makes at a time: each time another thread is asked, which costs more than the work. */
const UNFOLDED_BYTES = 256 * 1024

/** Reads at most `most` bytes of text; `complete` when the answer ended within them. */
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
    // A compressed body has no words to show.
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
 * Hands the body on piece by piece, decompressed, within the limits. After the consumer had enough, or after a failure,
 * nothing more is handed on, and the decompressor is stopped: a small piece of a bomb unfolds to very much.
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
