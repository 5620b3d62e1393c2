import type { Server, Socket } from 'node:net'
import { type ConnectionLimits, type ConnectionRoom, keepRoom } from '../listen/connections.ts'
import type { CallerSession } from './http2.ts'

const MEGABYTE = 1024 * 1024

/** Limits of the connections of clients, as docs/security.md states them. */
export interface VisitLimits {
  readonly connections: ConnectionLimits
  /** Milliseconds without a call or a ping, and without a call whatever the pings, after which a client is sent away. */
  readonly idleMs: number
  readonly pingedMs: number
  /** Pings without a call: so many, and one more in so many milliseconds. */
  readonly pings: number
  readonly pingEveryMs: number
  /** Calls at a time, and bytes of heads and messages that are not passed on: of a connection, and of all. */
  readonly calls: { readonly each: number; readonly all: number }
  readonly bytes: { readonly each: number; readonly all: number }
  /** Milliseconds within which the first message of a request has to be whole. */
  readonly unfinishedMs: number
}

export const VISIT_LIMITS: VisitLimits = {
  connections: {
    new: { most: 1_024, ms: 20_000 },
    busy: { most: 4_096, ms: Number.POSITIVE_INFINITY },
    // Each visit ends by itself.
    idle: { most: 1_024, ms: Number.POSITIVE_INFINITY },
  },
  idleMs: 300_000,
  pingedMs: 3_600_000,
  pings: 60,
  pingEveryMs: 5_000,
  // An API server with 1,000 kinds of objects has as many watches.
  calls: { each: 16_384, all: 32_768 },
  bytes: { each: 64 * MEGABYTE, all: 256 * MEGABYTE },
  unfinishedMs: 60_000,
}

/** A request whose first message is not whole yet. */
export interface Unfinished {
  /** It took too long. */
  tooLate(): void
}

/** The connections of all clients, which share what the process has. */
export class Visits {
  readonly limits: VisitLimits
  readonly room: ConnectionRoom
  readonly calls: Shares
  readonly bytes: Shares
  readonly #unfinished = new Map<Unfinished, number>()
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout

  constructor(server: Server, limits: VisitLimits, now: () => number) {
    this.limits = limits
    this.#now = now
    this.room = keepRoom(server, { limits: limits.connections })
    this.calls = new Shares(limits.calls)
    this.bytes = new Shares(limits.bytes)
    this.#timer = setInterval(() => this.#sweep(), limits.unfinishedMs / 4)
    this.#timer.unref()
  }

  begin(request: Unfinished): void {
    this.#unfinished.set(request, this.#now())
  }

  finish(request: Unfinished): void {
    this.#unfinished.delete(request)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Requests stand in the order in which they began. */
  #sweep(): void {
    const due = this.#now() - this.limits.unfinishedMs
    for (const [request, began] of this.#unfinished) {
      if (began > due) return
      this.#unfinished.delete(request)
      request.tooLate()
    }
  }
}

/** The connection of one client. */
export class Visit {
  readonly visits: Visits
  readonly #socket: Socket
  readonly #now: () => number
  /** Absent for HTTP/1.1. */
  session: CallerSession | undefined
  readonly #callShare: Share
  readonly #byteShare: Share
  #calls = 0
  #idleSince: number
  #pings = 0
  #timer: NodeJS.Timeout | undefined

  constructor(visits: Visits, socket: Socket, now: () => number) {
    this.visits = visits
    this.#socket = socket
    this.#now = now
    this.#idleSince = now()
    this.#callShare = visits.calls.open(() => this.refuse())
    this.#byteShare = visits.bytes.open(() => this.refuse())
  }

  /** The client speaks HTTP/2. Clients of gRPC connect long before their first call. */
  open(): void {
    if (this.visits.room.begin(this.#socket)) this.visits.room.rest(this.#socket)
    this.#rest()
  }

  /** A call begins; `false` when there are too many, here or in all. */
  enter(): boolean {
    if (this.#calls === 0 && !this.visits.room.begin(this.#socket)) return false
    this.#calls += 1
    clearTimeout(this.#timer)
    return this.visits.calls.take(this.#callShare, 1)
  }

  /** A call that entered has ended. */
  leave(): void {
    this.visits.calls.give(this.#callShare, 1)
    this.#calls -= 1
    if (this.#calls > 0) return
    this.visits.room.rest(this.#socket)
    this.#idleSince = this.#now()
    this.#pings = 0
    this.#rest()
  }

  /** Clients ask whether the proxy is there, which keeps a connection for a while, but not for ever. */
  pinged(): void {
    if (this.#calls > 0) return
    const { pings, pingEveryMs, pingedMs } = this.visits.limits
    const idle = this.#now() - this.#idleSince
    this.#pings += 1
    if (this.#pings > pings + idle / pingEveryMs) this.refuse()
    else if (idle < pingedMs) this.#rest()
  }

  hold(bytes: number): boolean {
    return this.visits.bytes.take(this.#byteShare, bytes)
  }

  release(bytes: number): void {
    this.visits.bytes.give(this.#byteShare, bytes)
  }

  /** The connection has ended. */
  end(): void {
    clearTimeout(this.#timer)
    this.visits.calls.close(this.#callShare)
    this.visits.bytes.close(this.#byteShare)
  }

  /** It asked too much: everything that it has ends at once. */
  refuse(): void {
    if (this.session === undefined) this.#socket.destroy()
    else this.session.refuse()
  }

  #rest(): void {
    clearTimeout(this.#timer)
    // A call may end after its connection, which would otherwise be kept until then.
    if (this.#socket.destroyed) return
    this.#timer = setTimeout(() => this.session?.leave(), this.visits.limits.idleMs)
    this.#timer.unref()
  }
}

/** What one holder has of something. */
interface Share {
  held: number
  /** Whether it may have anything. */
  open: boolean
  /** Called when it has most while all have too much; it has nothing from then on. */
  readonly giveWay: () => void
}

/**
 * Amounts of something of which one holder may have so much, and all together so much: when all have more, the holder
 * that has most gives way, so that one that takes little is never affected by one that takes all.
 */
class Shares {
  readonly #each: number
  readonly #all: number
  readonly #shares = new Set<Share>()
  #total = 0

  constructor({ each, all }: { readonly each: number; readonly all: number }) {
    this.#each = each
    this.#all = all
  }

  open(giveWay: () => void): Share {
    const share = { held: 0, open: true, giveWay }
    this.#shares.add(share)
    return share
  }

  /** `false` if the holder may not have so much, and then has no more than before; also if it had to give way. */
  take(share: Share, amount: number): boolean {
    if (!share.open || share.held + amount > this.#each) return false
    share.held += amount
    this.#total += amount
    return this.#total <= this.#all || this.#makeRoom(share)
  }

  give(share: Share, amount: number): void {
    // One that gave way has nothing left.
    const given = Math.min(share.held, amount)
    share.held -= given
    this.#total -= given
  }

  /** The holder is gone, with everything that it had. */
  close(share: Share): void {
    this.give(share, share.held)
    share.open = false
    this.#shares.delete(share)
  }

  #makeRoom(share: Share): boolean {
    while (this.#total > this.#all) {
      const most = [...this.#shares].reduce((a, b) => (b.held > a.held ? b : a))
      this.close(most)
      most.giveWay()
    }
    return share.open
  }
}
