import type { Client } from '../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import type { LiveEvent, LivePageOfRequests, LiveRequest } from '../../core/contract/live.ts'
import type { LiveRows } from './live.logic.ts'

export interface LiveReaderOptions {
  readonly line: Pick<Client, 'call'>
  readonly rows: LiveRows
  /** How many rows are read when a source is connected; the others are read by `older`. */
  readonly atStart: () => number
  readonly after: (ms: number, callback: () => void) => void
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly onChange: (change: LiveReading) => void
}

export interface LiveReading {
  /** There is nothing older than the oldest kept row. */
  readonly complete: boolean
  /** Why rows could not be read; the read is repeated. */
  readonly problem?: Problem
}

/** Rows in one page. */
const PAGE = 2_000
/** Delay before a failed read is repeated, milliseconds. */
const RETRY_MS = 1_000
/**
 * Rows that change faster than they can be read must not occupy the page: it rests as long as the read took, and at
 * least this long.
 */
const REST_MS = 50

/**
 * Keeps rows in step with the main side, whatever events are lost on the way. Events are applied as they arrive. A gap
 * between two of them is closed by reading the changes since the last event without a gap before it, and this is
 * repeated until it succeeds: the rows end up correct even if no further event follows.
 */
export class LiveReader {
  private readonly options: LiveReaderOptions
  private connection: number | undefined
  /** All changes up to this event are in the rows; `undefined` until the first page was read. */
  private known: number | undefined
  /** Events after `gapless` and up to `heard` were applied one after the other. */
  private heard = 0
  private gapless = 0
  private catchingUp = false
  /** By row, the last event that contained it while a page of changes is being read: the page may be older. */
  private readonly seenAt = new Map<number, number>()
  private extending: Promise<void> | undefined
  private reading: LiveReading = { complete: false }

  constructor(options: LiveReaderOptions) {
    this.options = options
  }

  /** Another source, or none: drops everything and reads the newest rows. */
  begin(connection: number | undefined): void {
    this.connection = connection
    this.known = undefined
    this.heard = 0
    this.gapless = 0
    this.catchingUp = false
    this.seenAt.clear()
    this.extending = undefined
    this.options.rows.clear()
    this.tell({ complete: false })
    if (connection !== undefined) void this.catchUp(connection)
  }

  hear({ connection, from, event, requests, dropped }: LiveEvent): void {
    // From a source that is not connected any more, or not yet: the first page of that source will contain it.
    if (connection !== this.connection) return
    const { known } = this
    const applied = known !== undefined && dropped === 0
    if (!applied) this.gapless = event
    else if (from !== this.heard) this.gapless = from
    this.heard = event
    // Before the first page was read it is not known which of them continue the rows.
    if (known === undefined) return
    this.put(requests)
    if (this.catchingUp) for (const { seq } of requests) this.seenAt.set(seq, event)
    if (!this.settle()) void this.catchUp(connection)
  }

  /** Reads about `count` rows before the oldest kept one. One such read runs at a time. */
  older(count: number = PAGE): Promise<void> {
    if (this.extending === undefined) {
      const extending = this.extend(count).finally(() => {
        if (this.extending === extending) this.extending = undefined
      })
      this.extending = extending
    }
    return this.extending
  }

  /** Whether all changes of the received events are known. */
  private settle(): boolean {
    if (this.known === undefined || this.known < this.gapless) return false
    this.known = Math.max(this.known, this.heard)
    return true
  }

  /** Older rows that were not read yet are left out: they are read in one piece on demand. */
  private put(requests: readonly LiveRequest[]): void {
    for (const request of requests) if (request.seq >= this.oldest) this.options.rows.put(request)
  }

  /** The lowest row number that should be present. */
  private get oldest(): number {
    return this.reading.complete ? 0 : this.options.rows.first
  }

  private async catchUp(connection: number): Promise<void> {
    if (this.catchingUp) return
    this.catchingUp = true
    for (;;) {
      const begun = this.options.now()
      const page = this.known === undefined ? this.readNewest(connection) : this.readChanges(connection, this.known)
      const problem = await page.then(() => undefined, toProblem)
      if (this.connection !== connection) return
      this.report(problem)
      if (problem === undefined && this.settle()) break
      await this.pause(problem === undefined ? Math.max(REST_MS, this.options.now() - begun) : RETRY_MS)
      if (this.connection !== connection) return
    }
    this.catchingUp = false
    this.seenAt.clear()
  }

  private async readNewest(connection: number): Promise<void> {
    const page = await this.options.line.call('live.page', { connection, count: PAGE })
    if (this.connection !== connection || page.connection !== connection) return
    this.known = page.event
    this.putOlder(page.requests)
    void this.older(this.options.atStart() - PAGE)
  }

  private async readChanges(connection: number, since: number): Promise<void> {
    const { line } = this.options
    let before: number | undefined
    let upTo: number | undefined
    for (;;) {
      this.seenAt.clear()
      const page = await line.call('live.page', {
        connection,
        count: PAGE,
        since,
        ...(before !== undefined && { before }),
      })
      if (this.connection !== connection || page.connection !== connection) return
      // Later pages contain later changes too, but only of older rows.
      upTo ??= page.event
      this.put(page.requests.filter(({ seq }) => (this.seenAt.get(seq) ?? 0) <= page.event))
      before = page.requests[0]?.seq
      if (before === undefined || page.requests.length < PAGE || before <= this.oldest) break
    }
    this.known = Math.max(since, upTo)
  }

  private async extend(count: number): Promise<void> {
    const { line, rows } = this.options
    const { connection } = this
    if (connection === undefined) return
    for (let read = 0; read < count && rows.count > 0 && rows.count < rows.capacity && !this.reading.complete;) {
      const before = rows.first
      const page: LivePageOfRequests | Problem = await line
        .call('live.page', { connection, count: PAGE, before })
        .catch(toProblem)
      if (this.connection !== connection) return
      if ('code' in page) {
        this.report(page)
        await this.pause(RETRY_MS)
        if (this.connection !== connection) return
      } else if (page.connection === connection) {
        this.report(undefined)
        this.putOlder(page.requests)
        read += page.requests.length
        // No room for older ones, because their texts are long.
        if (rows.first >= before) return
      } else return
    }
  }

  /**
   * Adds a page that ends where the rows begin. From the newest to the oldest, so that no gap is left when the room
   * runs out.
   */
  private putOlder(requests: readonly LiveRequest[]): void {
    for (const request of requests.toReversed()) this.options.rows.put(request)
    if (requests.length < PAGE) this.tell({ ...this.reading, complete: true })
  }

  private report(problem: Problem | undefined): void {
    const { complete } = this.reading
    if (problem !== undefined || this.reading.problem !== undefined) {
      this.tell({ complete, ...(problem !== undefined && { problem }) })
    }
  }

  private tell(reading: LiveReading): void {
    this.reading = reading
    this.options.onChange(reading)
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.options.after(ms, resolve))
  }
}
