import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Histogram } from '../frame/frame.ts'
import type { ReportedTimes } from '../live/reportedTimes.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { ENGINE, LEVEL, shaped } from '../run/run.fixture.ts'
import { Run } from '../run/run.ts'
import { msToNs, nsToMs } from '../units.ts'
import { correct, ExecutionCorrection } from './correction.ts'
import { createFeedRun } from './feedRun.ts'
import type { FeedArrival } from './request.ts'

/** The buckets of a server. */
const BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

function histogramOf(milliseconds: readonly number[]): Histogram {
  const seconds = milliseconds.map((ms) => ms / 1_000)
  const upTo = (bound: number): number => seconds.filter((one) => one <= bound).length
  return {
    bounds: BOUNDS,
    counts: [...BOUNDS.map(upTo), seconds.length],
    sum: seconds.reduce((sum, one) => sum + one, 0),
    count: seconds.length,
  }
}
const bucketOf = (ms: number): number => BOUNDS.findIndex((bound) => ms / 1_000 <= bound + 1e-12)
const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0)

describe('the executions of requests of which only the stays are known', () => {
  it('add up to the sum of the histogram, and match its buckets', () => {
    const requests = fc.array(
      fc.record({
        wait: fc.double({ min: 0, max: 400, noNaN: true }),
        ran: fc.double({ min: 0.001, max: 99, noNaN: true }),
      }),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(requests, (all) => {
        const executions = histogramOf(all.map(({ ran }) => ran))
        const { staysMs, executionsMs } = correct(
          all.map(({ wait, ran }) => ({ stayMs: wait + ran, isExact: false })),
          executions,
        )
        expect(sumOf(executionsMs) / 1_000).toBeCloseTo(executions.sum, 6)
        executionsMs.forEach((one, at) => expect(one).toBeLessThanOrEqual((staysMs[at] ?? 0) + 1e-9))
        if (new Set(staysMs).size === staysMs.length) {
          const sorted = all.map(({ ran }) => ran).toSorted((a, b) => a - b)
          const lowest = executionsMs.map((one, at) => bucketOf(one) <= bucketOf(sorted[at] ?? 0))
          expect(lowest).toEqual(executionsMs.map(() => true))
        }
      }),
    )
  })

  it('exclude what the events report exactly', () => {
    const { staysMs, executionsMs } = correct(
      [
        { stayMs: 900, isExact: true },
        { stayMs: 300, isExact: false },
        { stayMs: 100, isExact: false },
      ],
      histogramOf([900, 60, 80]),
    )
    expect(staysMs).toEqual([100, 300])
    expect(sumOf(executionsMs)).toBeCloseTo(140)
  })

  it('are the same for the same stays', () => {
    const { executionsMs } = correct(
      [10, 10, 40].map((stayMs) => ({ stayMs, isExact: false })),
      histogramOf([1, 3, 8]),
    )
    expect(executionsMs[0]).toBe(executionsMs[1])
    expect(sumOf(executionsMs)).toBeCloseTo(12)
  })
})

describe('a correction', () => {
  const lane = { level: 'low', schema: 'a' }
  const times = (atMs: number, milliseconds: readonly number[], startedMs = 1): ReportedTimes => ({
    atMs,
    startedMs,
    waitedSeconds: 0,
    lanes: [{ ...lane, execution: histogramOf(milliseconds) }],
  })
  const asked = { ...lane, endedMs: 1_500, stayMs: 100 }

  it('is available once the feed has reached the scrape after the end of a request, which is held back until then', () => {
    const correction = new ExecutionCorrection(20_000)
    expect(correction.heardTo(900)).toBe(900)
    correction.scraped(times(1_000, [4]))
    correction.ended({ ...asked, isExact: false })
    expect(correction.heardTo(1_900)).toBe(1_000)
    expect(correction.executionOf(asked)).toBeUndefined()
    correction.scraped(times(2_000, [4, 30]))
    expect(correction.heardTo(1_999)).toBe(1_000)
    expect(correction.heardTo(2_500)).toBe(2_000)
    expect(correction.executionOf(asked)).toBeCloseTo(30)
    expect(correction.report).toEqual({ fromMs: 1_000, toMs: 2_000, requests: 1, factor: expect.closeTo(0.3) })
    // A missing scrape holds nothing back for ever.
    expect(correction.heardTo(30_000)).toBe(10_000)
  })

  it('does not span the start of a server', () => {
    const correction = new ExecutionCorrection(20_000)
    correction.scraped(times(1_000, [4]))
    correction.ended({ ...asked, isExact: false })
    correction.scraped(times(2_000, [4, 30], 1_800))
    correction.heardTo(2_000)
    expect(correction.executionOf(asked)).toBeUndefined()
  })

  it('is omitted where the feed has other requests than the server counted, with both counts reported', () => {
    const correction = new ExecutionCorrection(20_000)
    correction.scraped(times(1_000, []))
    correction.ended({ ...asked, isExact: false })
    correction.scraped(
      times(
        2_000,
        Array.from({ length: 400 }, () => 5),
      ),
    )
    correction.heardTo(2_000)
    expect(correction.executionOf(asked)).toBeUndefined()
    expect(correction.uncorrected).toEqual([{ ...lane, feed: 1, server: 400 }])
    expect(correction.report).toBeUndefined()
  })
})

describe('a feed alongside the histograms of the engine whose requests it contains', () => {
  const T0 = Date.UTC(2026, 10, 21, 7)
  const TARGET = '/api/v1/namespaces/default/pods/one'
  const line = readRequestLine('GET', TARGET)
  if (!line.ok) throw new Error(line.problem)
  const placed = { info: line.info, query: line.query }
  const user = { name: 'alice', groups: ['system:authenticated'] }
  /** One seat of eight, one queue. */
  const objects = shaped(1, 200)
  const engine = { ...ENGINE, maxRequestsInFlight: 8, startUnixMs: T0 }
  const SCRAPES_MS = 2_000
  const END_MS = 40_000

  interface Asked {
    readonly atMs: number
    readonly runMs: number
  }
  interface Served extends Asked {
    readonly waitMs: number
    readonly endedMs: number
  }

  /** The behaviour of a server with this engine, and the histograms that it would report. */
  function serve(asked: readonly Asked[]): {
    readonly served: readonly Served[]
    readonly times: readonly ReportedTimes[]
  } {
    const run = new Run<Asked>(engine)
    run.configure(objects)
    const calls: ReturnType<typeof run.arrive>[] = []
    const times: ReportedTimes[] = []
    const scrapeTo = (ms: number): void => {
      for (let atMs = times.length * SCRAPES_MS; atMs <= ms; atMs += SCRAPES_MS) {
        run.moveTo(msToNs(atMs))
        const lanes = run.engine
          .snapshot()
          .levels.flatMap(({ name: level, lanes: own }) =>
            own.map(({ schema, execution, wait }) => ({ level, schema, execution, wait })),
          )
        times.push({ atMs: T0 + atMs, startedMs: T0, waitedSeconds: sumOf(lanes.map(({ wait }) => wait.sum)), lanes })
      }
    }
    for (const one of asked) {
      scrapeTo(one.atMs)
      run.moveTo(msToNs(one.atMs))
      const call = run.arrive({ user, ...placed }, one)
      run.lasted(call, { durationNs: msToNs(one.runMs) })
      calls.push(call)
    }
    scrapeTo(END_MS)
    const served = calls.map(({ owner, waitNs = Number.NaN }) => {
      const waitMs = nsToMs(waitNs)
      return { ...owner, waitMs, endedMs: owner.atMs + waitMs + owner.runMs }
    })
    return { served, times }
  }

  const eventOf = ({ atMs, endedMs, waitMs, runMs }: Served, index: number): FeedArrival => {
    const isTold = endedMs - atMs > 500
    return {
      kind: 'arrival',
      auditId: `${index}`,
      stage: 'complete',
      user,
      client: '',
      verb: 'get',
      requestURI: TARGET,
      line,
      isWatch: false,
      longRunning: false,
      receivedMs: T0 + atMs,
      endedMs: T0 + endedMs,
      status: 200,
      executionMs: isTold ? runMs : undefined,
      inAllMs: isTold ? undefined : endedMs - atMs,
      ...(!isTold && { waitAtMostMs: endedMs - atMs }),
      refused: false,
      outside: undefined,
      server: isTold ? { waitMs } : undefined,
    }
  }

  function follow(served: readonly Served[], times: readonly ReportedTimes[]): ReturnType<typeof createFeedRun> {
    const run = createFeedRun({
      engine,
      identity: 'audit',
      startUnixMs: T0,
      kept: 500,
      untold: 500,
      windowMs: 20_000,
      holdMs: 20_000,
    })
    run.configure(objects)
    const events = served.map(eventOf).toSorted((a, b) => a.endedMs - b.endedMs)
    for (const scrape of times) run.times(scrape)
    run.take(events, T0 + END_MS)
    run.passTo(T0 + END_MS)
    return run
  }

  const waitsOf = (run: ReturnType<typeof createFeedRun>): number[] =>
    run.log
      .before(500)
      .toSorted((a, b) => a.at - b.at)
      .map(({ waitMs = Number.NaN }) => waitMs)

  /** Bursts, whose requests take 20 to 50 ms, one bucket of the histogram. */
  const traffic = fc
    .array(fc.record({ gapMs: fc.integer({ min: 1, max: 90 }), runMs: fc.integer({ min: 21, max: 50 }) }), {
      minLength: 2,
      maxLength: 120,
    })
    .map((steps) => {
      let atMs = 1_000
      return steps.map(({ gapMs, runMs }) => ({ atMs: (atMs += gapMs), runMs }))
    })

  it('recovers its waits to within the width of a bucket', () => {
    fc.assert(
      fc.property(traffic, (asked) => {
        const { served, times } = serve(asked)
        const run = follow(served, times)
        // A first-in-first-out queue waits longer for longer executions: these are the edges of the bucket.
        const least = serve(asked.map((one) => ({ ...one, runMs: 20 }))).served
        const most = serve(asked.map((one) => ({ ...one, runMs: 50 }))).served
        waitsOf(run).forEach((waitMs, at) => {
          expect(waitMs).toBeGreaterThanOrEqual((least[at]?.waitMs ?? 0) - 0.01)
          expect(waitMs).toBeLessThanOrEqual((most[at]?.waitMs ?? 0) + 0.01)
        })
        expect(run.log.before(1)[0]?.level).toBe(LEVEL)
      }),
    )
  })

  it('recovers each wait where all requests execute as long as the bound of a bucket', () => {
    fc.assert(
      fc.property(traffic, fc.constantFrom(5, 20, 50), (asked, runMs) => {
        const { served, times } = serve(asked.map((one) => ({ ...one, runMs })))
        const run = follow(served, times)
        waitsOf(run).forEach((waitMs, at) => expect(waitMs).toBeCloseTo(served[at]?.waitMs ?? Number.NaN, 1))
        const { reported, bounds } = run.waits
        expect(reported?.here).toBeCloseTo(reported?.server ?? Number.NaN, 2)
        expect(bounds?.guessed).toBe(0)
      }),
    )
  })

  it('is bounded by the events, where there are no histograms', () => {
    fc.assert(
      fc.property(traffic, (asked) => {
        const { served } = serve(asked)
        const { bounds, reported, corrected } = follow(served, []).waits
        const waited = sumOf(served.map(({ waitMs }) => waitMs)) / 1_000
        expect(bounds?.told).toBeLessThanOrEqual(waited + 1e-6)
        expect((bounds?.told ?? 0) + (bounds?.untold ?? 0)).toBeGreaterThanOrEqual(waited - 1e-6)
        expect([reported, corrected]).toEqual([undefined, undefined])
      }),
    )
  })
})
