import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { FlowSchema } from '../config/objects.ts'
import type { RequestDigest } from './match.ts'

/** An unsigned 64-bit hash in two unsigned 32-bit words. */
export interface Hash64 {
  readonly hi: number
  readonly lo: number
}

export const hashFromBigInt = (value: bigint): Hash64 => ({
  hi: Number(BigInt.asUintN(32, value >> 32n)),
  lo: Number(BigInt.asUintN(32, value)),
})
export const hashToBigInt = ({ hi, lo }: Hash64): bigint => (BigInt(hi) << 32n) | BigInt(lo)

/** A flow: what shares the hand that its hash deals. */
export interface Flow {
  readonly distinguisher: string
  readonly hash: Hash64
}

/** First eight bytes of the SHA-256 of name, NUL, distinguisher, as a little-endian number (specification 2.7). */
export function flowHash(schemaName: string, distinguisher: string): Hash64 {
  const digest = sha256(utf8ToBytes(`${schemaName}\0${distinguisher}`))
  const view = new DataView(digest.buffer, digest.byteOffset)
  return { lo: view.getUint32(0, true), hi: view.getUint32(4, true) }
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
