import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Client } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import type { LiveEvent, LiveRequest } from '../../core/contract/live.ts'
import { type LiveRow, RequestLog } from '../../core/live/requestLog.ts'
import { liveRequest } from '../../core/live/live.fixture.ts'
import { LiveRows } from './live.logic.ts'
import { LiveReader, type LiveReading } from './liveReader.ts'

const CONNECTION = 1

/** A main side with a log, a line that can fail, and a page that reads it. */
function page({ kept = 20_000, untold = 2_000, room = 20_000, atStart = 20_000 } = {}) {
  const log = new RequestLog(kept, untold)
  const written: LiveRow[] = []
  const rows = new LiveRows(room)
  const readings: LiveReading[] = []
  let failing = 0
  let serving = CONNECTION
  const line = {
    call: async (_name: string, { count, before, since }: { count: number; before?: number; since?: number }) => {
      if (failing-- > 0) throw new ProblemError('unreachable', 'The console does not respond.')
      return { connection: serving, event: log.event, requests: log.before(count, before, since) }
    },
  } as Pick<Client, 'call'>
  const reader = new LiveReader({
    line,
    rows,
    atStart: () => atStart,
    after: (_ms, callback) => void setTimeout(callback, 0),
    now: () => 0,
    onChange: (reading) => void readings.push(reading),
  })
  const take = (): LiveEvent => ({ connection: CONNECTION, ...log.takeChanges() })
  return {
    log,
    rows,
    reader,
    line,
    readings,
    reading: () => readings.at(-1),
    fail: (times: number) => (failing = times),
    serve: (connection: number) => (serving = connection),
    arrive(count: number) {
      for (let i = 0; i < count; i++) written.push(log.begin(liveRequest({ state: 'waiting' })))
    },
    serveRow(seq: number) {
      const row = written[seq]
      if (row === undefined) throw new Error(`there is no request ${seq}`)
      row.state = 'served'
      log.touch(row)
    },
    /** Delivers an event. */
    tell: () => reader.hear(take()),
    /** Drops an event, as for a slow reader. */
    lose: () => void take(),
    shown: () => allOf(rows),
    same: () => expect(allOf(rows)).toEqual(log.before(kept)),
  }
}

function allOf(rows: LiveRows): LiveRequest[] {
  const found: LiveRequest[] = []
  for (let seq = rows.first; seq < rows.end; seq++) {
    const row = rows.at(seq)
    if (row !== undefined) found.push(row)
  }
  return found
}

describe('the reader of live requests', () => {
  it('reads more than a page of requests that a lost event told of', async () => {
    const desk = page()
    desk.arrive(68)
    desk.reader.begin(CONNECTION)
    await vi.waitFor(() => expect(desk.rows.count).toBe(68))
    for (let i = 0; i < 25; i++) {
      desk.arrive(100)
      desk.lose()
    }
    desk.arrive(50)
    desk.tell()
    await vi.waitFor(() => desk.same())
    expect(desk.rows.count).toBe(2_618)
  })

  it('reads changes of rows that are older than a page', async () => {
    const desk = page()
    desk.arrive(6_000)
    desk.reader.begin(CONNECTION)
    await vi.waitFor(() => expect(desk.rows.count).toBe(6_000))
    desk.tell()
    for (const seq of [3, 2_500, 5_999]) desk.serveRow(seq)
    desk.lose()
    desk.arrive(1)
    desk.tell()
    await vi.waitFor(() => desk.same())
  })

  it('learns from the first event of a new subscription what happened while nobody listened', async () => {
    const desk = page()
    desk.arrive(10)
    desk.reader.begin(CONNECTION)
    await vi.waitFor(() => expect(desk.rows.count).toBe(10))
    desk.tell()
    desk.log.telling = false
    desk.arrive(5)
    desk.serveRow(2)
    desk.log.telling = true
    const { event } = desk.log
    desk.reader.hear({ connection: CONNECTION, from: event, event, requests: [], dropped: 0 })
    await vi.waitFor(() => desk.same())
  })

  it('tries again when reading failed, and says so meanwhile', async () => {
    const desk = page()
    desk.arrive(10)
    desk.fail(2)
    desk.reader.begin(CONNECTION)
    await vi.waitFor(() => desk.same())
    expect(desk.readings.map(({ problem }) => problem?.code)).toContain('unreachable')
    expect(desk.reading()).toEqual({ complete: true })
    desk.arrive(3_000)
    desk.fail(2)
    desk.tell()
    await vi.waitFor(() => desk.same())
    expect(desk.reading()).toEqual({ complete: true })
  })

  it('leaves out a row that changed and is older than what was read; it is read when it is wanted', async () => {
    const desk = page({ atStart: 2_000 })
    desk.arrive(9_000)
    desk.lose()
    desk.reader.begin(CONNECTION)
    await vi.waitFor(() => expect(desk.rows.first).toBe(7_000))
    desk.serveRow(5)
    desk.tell()
    expect([desk.rows.first, desk.rows.missing]).toEqual([7_000, 0])
    while (desk.reading()?.complete !== true) await desk.reader.older()
    desk.same()
  })

  it('takes no rows of the source before, whose page was under way', async () => {
    const desk = page()
    desk.arrive(10)
    desk.reader.begin(CONNECTION)
    desk.reader.begin(2)
    await vi.waitFor(() => expect(desk.rows.count).toBe(0))
    desk.serve(2)
    await vi.waitFor(() => expect(desk.rows.count).toBe(10))
  })

  it('keeps what an event told while an older page was under way', async () => {
    const desk = page({ untold: 2 })
    desk.reader.begin(CONNECTION)
    await vi.waitFor(() => expect(desk.reading()?.complete).toBe(true))
    desk.arrive(3)
    // One row does not fit into the event, so a page is requested; the log returns it at once, and it arrives later.
    desk.tell()
    desk.serveRow(1)
    desk.tell()
    expect(desk.rows.at(1)?.state).toBe('served')
    await vi.waitFor(() => expect(desk.rows.count).toBe(3))
    desk.same()
  })

  it('shows what the log has in the end, whatever events and answers were lost', async () => {
    const step = fc.record({
      kind: fc.constantFrom('arrive', 'serve', 'tell', 'lose', 'fail', 'rest'),
      n: fc.integer({ min: 1, max: 30 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), async (steps, untold) => {
        const desk = page({ kept: 150, room: 150, untold })
        desk.reader.begin(CONNECTION)
        for (const { kind, n } of steps) {
          if (kind === 'arrive') desk.arrive(n)
          else if (kind === 'serve' && desk.log.count > 0) desk.serveRow((n * 7) % desk.log.count)
          else if (kind === 'tell') desk.tell()
          else if (kind === 'lose') desk.lose()
          else if (kind === 'fail') desk.fail(n % 3)
          else await Promise.resolve()
        }
        desk.arrive(1)
        desk.tell()
        await vi.waitFor(() => desk.same(), { interval: 2 })
      }),
      { numRuns: 60 },
    )
  })
})
