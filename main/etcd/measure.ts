import type { Observed } from '../../core/qos/tracker.ts'
import { type MessageParts, MessageScanner } from './messages.ts'
import { readToken } from './requests.ts'
import { ScanCount } from './responses.ts'

/** The gRPC status of a successful call. */
export const OK = '0'
/** A longer response to Authenticate contains no token of etcd. */
const MOST_TOKEN_BYTES = 64 * 1024

/** Measures the cost of a call from the bytes of its response. */
export class Measure implements MessageParts {
  readonly #now: () => number
  readonly #scan: ScanCount
  readonly #scanner = new MessageScanner(this)
  readonly #kept: Buffer[] | undefined
  #started: number | undefined
  #counts = true

  constructor(method: string, now: () => number) {
    this.#now = now
    this.#scan = ScanCount.of(method)
    this.#kept = method === 'Auth/Authenticate' ? [] : undefined
  }

  onHead(compressed: boolean, length: number): void {
    // For a compressed response only the size is known.
    if (compressed || (this.#kept !== undefined && length > MOST_TOKEN_BYTES)) this.#counts = false
  }

  onPiece(piece: Buffer): void {
    if (!this.#counts) return
    this.#scan.push(piece)
    this.#kept?.push(piece)
  }

  start(): void {
    this.#started = this.#now()
  }

  push(chunk: Buffer): void {
    this.#scanner.push(chunk)
  }

  /** Whether the last byte completed a message. */
  get whole(): boolean {
    return this.#scanner.whole
  }

  get token(): string | undefined {
    if (this.#kept === undefined || !this.#counts) return undefined
    try {
      return readToken(Buffer.concat(this.#kept))
    } catch {
      return undefined
    }
  }

  observed(status: string): Observed {
    const ok = status === OK
    return {
      ok,
      scannedKeys: ok && this.#counts ? this.#scan.keys : undefined,
      responseBytes: this.#scanner.bytes,
      latencyMs: this.#started === undefined ? undefined : this.#now() - this.#started,
    }
  }
}
