/** Takes small pieces and hands them on as larger ones. */
export interface Gatherer {
  push(piece: Uint8Array): void
  /** Hands on what is left. */
  flush(): void
}

/** Large enough that what the parser does for each piece no longer counts, small enough to stay in the processor's cache. */
const BLOCK_BYTES = 64 * 1024

/**
 * Go's servers send a page in more than a thousand pieces. Copying them together costs far less than parsing each for
 * itself. What is handed on is overwritten afterwards.
 */
export function createGatherer(take: (block: Uint8Array) => void, size = BLOCK_BYTES): Gatherer {
  const block = new Uint8Array(size)
  let used = 0
  const flush = (): void => {
    if (used > 0) take(block.subarray(0, used))
    used = 0
  }
  return {
    push(piece) {
      if (used + piece.length > size) flush()
      if (piece.length > size) take(piece)
      else {
        block.set(piece, used)
        used += piece.length
      }
    },
    flush,
  }
}
