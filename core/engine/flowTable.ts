import type { Flow, Hash64 } from '../request/match.ts'

/** Numbers of one slot: fingerprint of the distinguisher, upper and lower word of the flow's hash, and whether it is taken. */
const SLOT = 4
const FEWEST_SLOTS = 64
/**
 * Clients choose their names; flows with longer names are computed each time, so that the size of a table is bounded.
 */
const LONGEST_REMEMBERED = 512

/** A cached flow hash. Words are kept signed: unsigned ones from 2^31 on would need heap numbers. */
class RememberedFlow implements Flow, Hash64 {
  readonly distinguisher: string
  private readonly signedHi: number
  private readonly signedLo: number

  constructor(distinguisher: string, hi: number, lo: number) {
    this.distinguisher = distinguisher
    this.signedHi = hi | 0
    this.signedLo = lo | 0
  }

  get hi(): number {
    return this.signedHi >>> 0
  }

  get lo(): number {
    return this.signedLo >>> 0
  }

  get hash(): Hash64 {
    return this
  }
}

const flowOfHash = (distinguisher: string, { hi, lo }: Hash64): Flow => new RememberedFlow(distinguisher, hi, lo)
export const NO_FLOW = flowOfHash('', { hi: 0, lo: 0 })

/** FNV-1a over UTF-16 units, mixed at its end so that names that differ in one digit are not adjacent. */
function fingerprintOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}

/**
 * Hashes of flows by their distinguisher. A million of them do not fit into the caches of a processor, so the cost of a
 * lookup is that of its memory accesses: a slot is one cache line and the name another, while a Map with an object for
 * each flow needs six.
 */
class Generation {
  private slots = new Int32Array(FEWEST_SLOTS * SLOT)
  private names: string[] = Array.from({ length: FEWEST_SLOTS }, () => '')
  size = 0

  get(distinguisher: string, fingerprint: number): Flow | undefined {
    const { slots, names } = this
    const place = this.placeOf(distinguisher, fingerprint)
    const at = place * SLOT
    if (slots[at + 3] === 0) return undefined
    return new RememberedFlow(names[place] ?? '', slots[at + 1] ?? 0, slots[at + 2] ?? 0)
  }

  /** A flow that is not cached yet. */
  add(distinguisher: string, fingerprint: number, hi: number, lo: number): void {
    if (this.size * 2 >= this.names.length) this.grow()
    const place = this.placeOf(distinguisher, fingerprint)
    this.slots.set([fingerprint, hi | 0, lo | 0, 1], place * SLOT)
    this.names[place] = distinguisher
    this.size += 1
  }

  /** Where the flow is, or the free slot where it would be put. */
  private placeOf(distinguisher: string, fingerprint: number): number {
    const { slots, names } = this
    const mask = names.length - 1
    for (let place = fingerprint & mask; ; place = (place + 1) & mask) {
      const at = place * SLOT
      if (slots[at + 3] === 0) return place
      if (slots[at] === fingerprint && names[place] === distinguisher) return place
    }
  }

  private grow(): void {
    const { slots, names } = this
    this.slots = new Int32Array(slots.length * 2)
    this.names = Array.from({ length: names.length * 2 }, () => '')
    this.size = 0
    for (const [place, name] of names.entries()) {
      const at = place * SLOT
      if (slots[at + 3] === 1) this.add(name, slots[at] ?? 0, slots[at + 1] ?? 0, slots[at + 2] ?? 0)
    }
  }
}

/** Computes the hash of a flow. */
export interface FlowHasher {
  hashOf(distinguisher: string): Hash64
}

/**
 * The cached hashes of recently used flows. At most twice `capacity` are kept, and those used since the last turn of
 * the generations survive the next one.
 */
export class FlowTable {
  readonly capacity: number
  private young = new Generation()
  private old = new Generation()

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get size(): number {
    return this.young.size + this.old.size
  }

  /** The flow of a distinguisher; `hasher` computes its hash only when it is not cached. */
  flow(distinguisher: string, hasher: FlowHasher): Flow {
    if (distinguisher.length > LONGEST_REMEMBERED) return flowOfHash(distinguisher, hasher.hashOf(distinguisher))
    const fingerprint = fingerprintOf(distinguisher)
    const young = this.young.get(distinguisher, fingerprint)
    if (young !== undefined) return young
    const flow = this.old.get(distinguisher, fingerprint) ?? flowOfHash(distinguisher, hasher.hashOf(distinguisher))
    if (this.young.size >= this.capacity) {
      this.old = this.young
      this.young = new Generation()
    }
    // A copy: a namespace is a part of its URL, which it would keep in memory.
    this.young.add(` ${distinguisher}`.slice(1), fingerprint, flow.hash.hi, flow.hash.lo)
    return flow
  }
}
