import type { Nanoseconds } from '../units.ts'
import { FlatRequests, LONGEST_FLAT } from './flat.ts'
import type { LimitReason } from './decision.ts'
import type { Seen, Settled } from './seen.ts'

const VERDICTS = ['passed', 'delayed', 'limited'] as const satisfies readonly Settled['verdict'][]
const REASONS = [
  'rate',
  'inflight',
  'window',
  'delay-too-long',
  'waiting-full',
] as const satisfies readonly LimitReason[]
/** Number of numeric values kept per request; NaN for one that is absent. */
const NUMBERS = 9
const LEAST_BYTES = 2 * LONGEST_FLAT

/** Limits of the store; `bytes` is a power of two. */
export interface KeptBounds {
  readonly requests: number
  readonly bytes: number
}

/**
 * The latest requests, as numbers and bytes in a few buffers. Objects that exist for seconds would be copied by every
 * young-generation garbage collection, which delays the calls that arrive meanwhile.
 */
export class KeptRequests {
  readonly #bounds: KeptBounds
  readonly #flat = new FlatRequests()
  readonly #numbers: Float64Array
  /** Where the bytes of each request begin, counted from the first byte ever kept. */
  readonly #begins: Float64Array
  #bytes = new Uint8Array(LEAST_BYTES)
  /** Index of the oldest one, and one more than that of the newest, counted from the first ever kept. */
  #first = 0
  #end = 0
  #endByte = 0

  constructor(bounds: KeptBounds) {
    this.#bounds = bounds
    this.#numbers = new Float64Array(bounds.requests * NUMBERS)
    this.#begins = new Float64Array(bounds.requests)
  }

  get size(): number {
    return this.#end - this.#first
  }

  /** `undefined` if empty. */
  get oldestAt(): Nanoseconds | undefined {
    return this.size === 0 ? undefined : this.#numbers[this.#slot(this.#first) * NUMBERS]
  }

  dropOldest(): void {
    this.#first += 1
  }

  /** Drops the oldest ones to make room. `false` for a request that is too long to be kept. */
  push(seen: Seen): boolean {
    const { request, observed, verdict, hash, rule, className, reason } = seen
    const flat = this.#flat
    flat.begin()
    flat.writeRequest(request)
    flat.writeText(hash)
    flat.writeWord(rule)
    flat.writeWord(className)
    if (flat.length > LONGEST_FLAT) return false
    this.#makeRoom(flat.length)
    const slot = this.#slot(this.#end)
    this.#begins[slot] = this.#endByte
    this.#copy(flat.bytes.subarray(0, flat.length), this.#endByte)
    const numbers = this.#numbers
    let at = slot * NUMBERS
    numbers[at++] = seen.at
    numbers[at++] = observed.scannedKeys ?? Number.NaN
    numbers[at++] = observed.responseBytes ?? Number.NaN
    numbers[at++] = observed.latencyMs ?? Number.NaN
    numbers[at++] = request.requestBytes ?? Number.NaN
    numbers[at++] = seen.storageQuotaUsed ?? Number.NaN
    numbers[at++] = seen.retryAfterMs ?? Number.NaN
    numbers[at++] = seen.waitedMs ?? Number.NaN
    numbers[at] = packed(verdict, observed.ok, reason, request.previousAttempts)
    this.#end += 1
    this.#endByte += flat.length
    return true
  }

  /** Requests that arrived at this time or later, in the order in which they were kept. */
  since(since: Nanoseconds): Seen[] {
    const all: Seen[] = []
    for (let number = this.#first; number < this.#end; number++)
      if ((this.#numbers[this.#slot(number) * NUMBERS] ?? 0) >= since) all.push(this.#read(number))
    return all
  }

  #read(number: number): Seen {
    const slot = this.#slot(number)
    const flat = this.#flat
    this.#take(flat.bytes, this.#begins[slot] ?? 0, this.#endOf(number))
    flat.begin()
    const request = flat.readRequest()
    const [hash, rule, className] = [flat.readText(), flat.readText(), flat.readText()]
    const value = (index: number): number | undefined => {
      const kept = this.#numbers[slot * NUMBERS + index]
      return Number.isNaN(kept) ? undefined : kept
    }
    const [requestBytes, storageQuotaUsed, retryAfterMs, waitedMs] = [value(4), value(5), value(6), value(7)]
    const { verdict, ok, reason, previousAttempts } = unpacked(value(8) ?? 0)
    return {
      at: value(0) ?? 0,
      request: {
        ...request,
        ...(requestBytes !== undefined && { requestBytes }),
        ...(previousAttempts !== undefined && { previousAttempts }),
      },
      observed: { ok, scannedKeys: value(1), responseBytes: value(2), latencyMs: value(3) },
      verdict,
      ...(storageQuotaUsed !== undefined && { storageQuotaUsed }),
      ...(hash !== undefined && { hash }),
      ...(rule !== undefined && { rule }),
      ...(className !== undefined && { className }),
      ...(reason !== undefined && { reason }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(waitedMs !== undefined && { waitedMs }),
    }
  }

  #slot(number: number): number {
    return number % this.#bounds.requests
  }

  #endOf(number: number): number {
    return number + 1 === this.#end ? this.#endByte : (this.#begins[this.#slot(number + 1)] ?? 0)
  }

  get #firstByte(): number {
    return this.size === 0 ? this.#endByte : (this.#begins[this.#slot(this.#first)] ?? 0)
  }

  #makeRoom(length: number): void {
    if (this.size >= this.#bounds.requests) this.dropOldest()
    while (this.#endByte + length - this.#firstByte > this.#bytes.length)
      if (this.#bytes.length < this.#bounds.bytes) this.#grow()
      else this.dropOldest()
  }

  #grow(): void {
    const [from, to] = [this.#firstByte, this.#endByte]
    const kept = new Uint8Array(to - from)
    this.#take(kept, from, to)
    this.#bytes = new Uint8Array(this.#bytes.length * 2)
    this.#copy(kept, from)
  }

  /** Copies into the ring, starting at a byte. */
  #copy(bytes: Uint8Array, at: number): void {
    const start = at % this.#bytes.length
    const before = Math.min(bytes.length, this.#bytes.length - start)
    this.#bytes.set(bytes.subarray(0, before), start)
    this.#bytes.set(bytes.subarray(before), 0)
  }

  /** Copies out of the ring. */
  #take(into: Uint8Array, from: number, to: number): void {
    const start = from % this.#bytes.length
    const before = Math.min(to - from, this.#bytes.length - start)
    into.set(this.#bytes.subarray(start, start + before), 0)
    into.set(this.#bytes.subarray(0, to - from - before), before)
  }
}

/** Higher retry counts are stored as this number. */
const MOST_ATTEMPTS = 2 ** 32

const packed = (
  verdict: Settled['verdict'],
  ok: boolean,
  reason: LimitReason | undefined,
  attempts: number | undefined,
): number =>
  VERDICTS.indexOf(verdict) +
  (ok ? 4 : 0) +
  (reason === undefined ? 0 : REASONS.indexOf(reason) + 1) * 8 +
  (attempts === undefined ? 0 : Math.min(attempts, MOST_ATTEMPTS) + 1) * 64

function unpacked(value: number): Pick<Seen, 'verdict' | 'reason'> & {
  readonly ok: boolean
  readonly previousAttempts: number | undefined
} {
  const [reason, attempts] = [REASONS[(Math.floor(value / 8) % 8) - 1], Math.floor(value / 64)]
  return {
    verdict: VERDICTS[value % 4] ?? 'passed',
    ok: Math.floor(value / 4) % 2 === 1,
    ...(reason !== undefined && { reason }),
    previousAttempts: attempts === 0 ? undefined : attempts - 1,
  }
}
