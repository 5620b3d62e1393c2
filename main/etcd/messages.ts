/** Bytes in front of each message: the compression flag and the length. */
export const HEAD_BYTES = 5

/** Callbacks that a scanner invokes while bytes pass. */
export interface MessageParts {
  onHead?(compressed: boolean, length: number): void
  onPiece?(piece: Buffer): void
}

/**
 * Finds the messages of a gRPC stream in its bytes, which may be split anywhere. Only the head of a message is
 * buffered, so messages of any length can pass.
 */
export class MessageScanner {
  readonly #parts: MessageParts
  /** The bytes so far of a head that is split; most are not. */
  #head: number[] | undefined
  #left = 0
  #messages = 0
  /** Bytes of all messages so far, without their heads. */
  bytes = 0

  constructor(parts: MessageParts) {
    this.#parts = parts
  }

  /** Whether the last byte completed a message. */
  get whole(): boolean {
    return this.#left === 0 && this.#head === undefined && this.#messages > 0
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#left > 0) {
        const piece = chunk.subarray(at, at + this.#left)
        at += piece.length
        this.#left -= piece.length
        this.bytes += piece.length
        this.#parts.onPiece?.(piece)
        continue
      }
      if (this.#head === undefined && chunk.length - at >= HEAD_BYTES) {
        this.#begin(chunk, at)
        at += HEAD_BYTES
        continue
      }
      const head = (this.#head ??= [])
      head.push(chunk[at] ?? 0)
      at += 1
      if (head.length < HEAD_BYTES) continue
      this.#head = undefined
      this.#begin(Buffer.from(head), 0)
    }
  }

  #begin(head: Buffer, at: number): void {
    this.#messages += 1
    this.#left = head.readUInt32BE(at + 1)
    this.#parts.onHead?.(head[at] === 1, this.#left)
  }
}

/** The first message of a stream, collected until it is whole. */
export class FirstMessage {
  readonly #most: number
  readonly #chunks: Buffer[] = []
  #bytes = 0
  /** Length of the message without its head; known once the head is complete. */
  #length = 0

  /** A message of more than `most` bytes is not collected. */
  constructor(most: number) {
    this.#most = most
  }

  /** Returns whether no more bytes are needed: the message is whole, or too long to be read. */
  push(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    const hadHead = this.#bytes >= HEAD_BYTES
    this.#bytes += chunk.length
    if (this.#bytes < HEAD_BYTES) return false
    if (!hadHead) this.#length = (this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)).readUInt32BE(1)
    return this.#length > this.#most || this.#bytes >= HEAD_BYTES + this.#length
  }

  /** Whether the message is everything that arrived: no byte is missing, and none follows it. */
  get whole(): boolean {
    return this.#bytes >= HEAD_BYTES && this.#bytes === HEAD_BYTES + this.#length
  }

  /** Everything so far, to be forwarded unchanged. */
  get chunks(): readonly Buffer[] {
    return this.#chunks
  }

  /** `undefined` for a message that is incomplete or too long. */
  read(): { readonly compressed: boolean; readonly payload: Buffer } | undefined {
    if (this.#bytes < HEAD_BYTES) return undefined
    const length = this.#length
    if (length > this.#most || this.#bytes < HEAD_BYTES + length) return undefined
    const [only] = this.#chunks
    const all = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    return { compressed: all[0] === 1, payload: all.subarray(HEAD_BYTES, HEAD_BYTES + length) }
  }
}

/** A message with its head, uncompressed. */
export function framed(payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}
