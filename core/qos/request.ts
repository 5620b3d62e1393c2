import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Bytes, type Interval, keyInterval } from './keys.ts'
import { opOfMethod } from './operations.ts'

/** Options of a Range that affect its cost. An absent one has etcd's default. */
export interface RangeOptions {
  readonly limit?: number
  readonly revision?: number
  readonly sortOrder?: number
  readonly sortTarget?: number
  readonly serializable?: boolean
  readonly keysOnly?: boolean
  readonly countOnly?: boolean
  readonly minModRevision?: number
  readonly maxModRevision?: number
  readonly minCreateRevision?: number
  readonly maxCreateRevision?: number
}

/** An operation on keys: a request, or an element of a Txn. */
export type KeyOperation =
  | { readonly op: 'Range'; readonly key: Bytes; readonly rangeEnd?: Bytes; readonly options?: RangeOptions }
  | { readonly op: 'Put'; readonly key: Bytes }
  | { readonly op: 'DeleteRange'; readonly key: Bytes; readonly rangeEnd?: Bytes }

export interface Txn {
  readonly op: 'Txn'
  readonly success: readonly TxnElement[]
  readonly failure: readonly TxnElement[]
}
export type TxnElement = KeyOperation | Txn

/** One RPC, with the parts that rules read. */
export interface QosRequest {
  /** `Service/Method`, without the package: `KV/Range`. */
  readonly method: string
  /** Content of KV requests; absent for others. */
  readonly body?: TxnElement
  /** The user that an Authenticate names. */
  readonly name?: string
  /** Empty for a caller without a name. */
  readonly user: string
  /** Address of the peer without its port; empty if unknown. */
  readonly clientIP: string
  /** Size of the message; absent if unknown. */
  readonly requestBytes?: number
  /** Metadata `grpc-previous-rpc-attempts`, where the client sends it. */
  readonly previousAttempts?: number
}

/** An operation of a request, with its keys (QoS specification 3). */
export interface Atom {
  readonly op: string
  readonly keys?: Interval
}

/** The elements of both branches, including nested ones: the branch is not known beforehand (QoS specification 1.1). */
export function elementsOf(element: TxnElement): readonly KeyOperation[] {
  if (element.op !== 'Txn') return [element]
  return [...element.success, ...element.failure].flatMap(elementsOf)
}

/** The request as a whole, and for a Txn its elements. */
export function atomsOf({ method, body }: QosRequest): readonly Atom[] {
  if (body === undefined) return [{ op: opOfMethod(method) }]
  const elements = elementsOf(body).map(atomOf)
  return body.op === 'Txn' ? [{ op: 'Txn' }, ...elements] : elements
}

const atomOf = (element: KeyOperation): Atom => ({
  op: element.op,
  keys: keyInterval(element.key, element.op === 'Put' ? '' : element.rangeEnd),
})

/**
 * Identity of a request for the tracker, 16 hexadecimal digits; `undefined` for a request that is not tracked: only
 * reads and Authenticate are (QoS specification 6). Callers, revisions, compares and leases are not part of it.
 */
export function hashOf(request: QosRequest): string | undefined {
  const identity = identityText(request)
  return identity === undefined ? undefined : hashOfText(identity)
}

const hashOfText = (identity: string): string => bytesToHex(sha256(utf8ToBytes(identity)).subarray(0, 8))

/** Number of cached identities, and the maximum length of each. */
const MOST_HASHES = 1_000
const LONGEST_IDENTITY = 256

/** `hashOf` with a cache of the latest hashes: computing one takes longer than comparing a request with all rules. */
export class Hashes {
  readonly #known = new Map<string, string>()

  of(request: QosRequest): string | undefined {
    const identity = identityText(request)
    if (identity === undefined) return undefined
    const known = this.#known.get(identity)
    if (known !== undefined) return known
    const hash = hashOfText(identity)
    if (identity.length > LONGEST_IDENTITY) return hash
    if (this.#known.size >= MOST_HASHES) this.#known.clear()
    this.#known.set(identity, hash)
    return hash
  }
}

function identityText(request: QosRequest): string | undefined {
  const identity = identityOf(request)
  return identity === undefined ? undefined : JSON.stringify([request.method, ...identity])
}

function identityOf({ method, body, name }: QosRequest): readonly unknown[] | undefined {
  if (method === 'Auth/Authenticate') return [name ?? '']
  if (body === undefined) return undefined
  const ranges: unknown[] = []
  for (const element of elementsOf(body)) {
    if (element.op !== 'Range') return undefined
    ranges.push(rangeIdentity(element.key, element.rangeEnd ?? '', element.options ?? {}))
  }
  return ranges
}

const rangeIdentity = (key: Bytes, rangeEnd: Bytes, options: RangeOptions): readonly unknown[] => [
  key,
  rangeEnd,
  options.limit ?? 0,
  options.sortOrder ?? 0,
  options.sortTarget ?? 0,
  options.keysOnly ?? false,
  options.countOnly ?? false,
  options.minModRevision ?? 0,
  options.maxModRevision ?? 0,
  options.minCreateRevision ?? 0,
  options.maxCreateRevision ?? 0,
  // Each page of a list is pinned to the revision of the first; including the number would make every page a different
  // request.
  (options.revision ?? 0) !== 0,
]
