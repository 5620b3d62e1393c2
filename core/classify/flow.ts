import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { FlowSchema } from '../config/objects.ts'
import type { Hash64 } from '../engine/shuffleSharding.ts'
import { asciiSha256 } from './flowSha256.ts'
import type { RequestDigest } from './match.ts'

/** A flow: what shares the hand that its hash deals. */
export interface Flow {
  readonly distinguisher: string
  readonly hash: Hash64
}

const words = new Int32Array(2)

/** Its four bytes the other way round, as an unsigned number. */
const reversed = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0

/** First eight bytes of the SHA-256 of name, NUL, distinguisher, as a little-endian number (specification 2.7). */
export function flowHash(schemaName: string, distinguisher: string): Hash64 {
  const text = `${schemaName}\0${distinguisher}`
  if (!asciiSha256(text, words)) {
    const digest = new DataView(sha256(utf8ToBytes(text)).buffer)
    words[0] = digest.getInt32(0)
    words[1] = digest.getInt32(4)
  }
  return { lo: reversed(words[0] ?? 0), hi: reversed(words[1] ?? 0) }
}

const NO_FLOW: Flow = { distinguisher: '', hash: { hi: 0, lo: 0 } }

/** What tells the flows of a schema apart (specification 2.6). */
export function distinguisherOf({ spec }: FlowSchema, { user, info }: RequestDigest): string {
  switch (spec.distinguisherMethod?.type) {
    case 'ByUser':
      return user.name
    case 'ByNamespace':
      return info.namespace
    default:
      return ''
  }
}

/**
 * The flow of a request in a level with `queues` queues. Where there is no queue to choose, none is computed (trap T35).
 */
export function flowOf(schema: FlowSchema, digest: RequestDigest, queues: number): Flow {
  if (queues <= 1) return NO_FLOW
  const distinguisher = distinguisherOf(schema, digest)
  return { distinguisher, hash: flowHash(schema.metadata.name, distinguisher) }
}
