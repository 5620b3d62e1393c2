import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filteredFrame, histogramOf, levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { defaultFlowSchema, defaultLevel, type ObjectSet } from '../config/objects.ts'
import type { Advice, Suggestion } from '../contract/advice.ts'
import type { LevelFrame, Rejected, ServerFrame } from '../frame/frame.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { configuredLimits } from '../engine/allocation.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { diagnose } from '../diagnose/diagnose.ts'
import { advise } from './advise.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { scrapeCost } from './scrapeCost.ts'
import { adviceLines } from './text.ts'
import { createUsageTally, seatsFor } from './usage.ts'

const VERSION = 'v1.36.3'
const SEATS = 600
const builtIn = builtInObjects(VERSION)
const OBJECTS: ObjectSet = {
  levels: builtIn.levels.map(defaultLevel),
  schemas: builtIn.schemas.map(defaultFlowSchema),
}

interface Wish {
  /** Seats of average demand, and the highest of any instant. */
  readonly demand: number
  readonly peak?: number
  /** Per page. */
  readonly rejected?: Partial<Rejected>
  /** Seconds that all its requests waited in total. */
  readonly waited?: number
}

/** A server with the built-in levels of 600 seats, with the demand that `wishes` give for its levels. */
function page(seconds: number, wishes: Readonly<Record<string, Wish>>, over: Partial<ServerFrame> = {}): ServerFrame {
  const plans = [...classifyingConfiguration(OBJECTS).levels.values()].map(({ plan }) => plan)
  const limits = configuredLimits(SEATS, plans)
  const levels = plans.map(({ name }, i): LevelFrame => {
    const { demand = 3, peak = demand + 5, rejected = {}, waited } = wishes[name] ?? {}
    const of = (reason: keyof Rejected): number => (rejected[reason] ?? 0) * (seconds + 1)
    const all = {
      'queue-full': of('queue-full'),
      'concurrency-limit': of('concurrency-limit'),
      'time-out': of('time-out'),
    }
    const wait =
      waited === undefined
        ? {}
        : { wait: histogramOf([0.1, 1, 10], [0, 0, (seconds + 1) * 10, 0], waited * (seconds + 1) * 10) }
    const { nominal = 0, min: lower = 0, max: upper = 0 } = limits[i] ?? {}
    return levelFrame(
      name,
      [schemaFrame('service-accounts', { dispatched: 10 * (seconds + 1), rejected: all, ...wait })],
      {
        limits: { nominal, lower, upper, current: nominal },
        demand: { highWatermark: peak, average: demand, stdev: 0, smoothed: demand, target: demand },
      },
    )
  })
  return serverFrame(seconds, levels, { version: VERSION, ...over })
}

function adviceOf(
  wishes: Readonly<Record<string, Wish>>,
  { objects = OBJECTS, seconds = 400, nodes }: { objects?: ObjectSet | null; seconds?: number; nodes?: number } = {},
): Advice {
  const tally = createUsageTally()
  if (objects !== null) {
    const known = ObjectSetSchema.parse(structuredClone(objects))
    tally.take({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects: known } })
  }
  for (let second = 0; second <= seconds; second += 5) tally.take({ kind: 'frame', frame: page(second, wishes) })
  return advise(tally.read(), { nodes })
}

const of = ({ suggestions }: Advice, kind: Suggestion['kind']): readonly Suggestion[] =>
  suggestions.filter((one) => one.kind === kind)

describe('advice', () => {
  it('gives a level in need the shares with which it owns its demand', () => {
    const advice = adviceOf({ 'workload-low': { demand: 280, rejected: { 'queue-full': 1 } } })
    const [shares] = of(advice, 'shares')
    expect(shares).toMatchObject({ verdict: 'edit', level: 'workload-low' })
    expect(shares?.impact.find(({ level }) => level === 'workload-low')).toMatchObject({ before: 245, after: 281 })
    expect(shares?.changes.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      'PriorityLevelConfiguration/workload-low',
    ])
    // The server restores built-in objects unless this annotation disables that.
    expect(shares?.changes[0]?.text).toContain("apf.kubernetes.io/autoupdate-spec: 'false'")
    expect(shares?.evidence[0]).toBe(
      'Demand was up to 280 seats during 95 % of the time, over 6 min 40 s since 2026-11-21 07:30:00 UTC; the level owns 245.',
    )
    expect(advice.summary).toContain('Requests of workload-low wait or are rejected.')
  })

  it('makes it a precaution where another level would own less than it needs', () => {
    const advice = adviceOf({
      'workload-low': { demand: 290, rejected: { 'time-out': 1 } },
      'workload-high': { demand: 97, rejected: {} },
    })
    const [shares] = of(advice, 'shares')
    expect(shares?.verdict).toBe('precaution')
    expect(shares?.evidence.join(' ')).toContain('workload-high would own')
  })

  it('gives no level a seat that other advice takes away', () => {
    const names = ['workload-low', 'workload-high', 'leader-election', 'global-default', 'system', 'node-high']
    const need = fc.record({ demand: fc.integer({ min: 1, max: 290 }), needs: fc.boolean() })
    fc.assert(
      fc.property(fc.tuple(...names.map(() => need)), (needs) => {
        const wishes = needs.map(({ demand, needs: isNeedy }, i) => [
          names[i] ?? '',
          { demand, ...(isNeedy && { rejected: { 'time-out': 1 } }) },
        ])
        const edits = adviceOf(Object.fromEntries(wishes)).suggestions.filter(({ verdict }) => verdict === 'edit')
        const gains = new Set(edits.flatMap(({ impact, level }) => (impact.length > 0 ? [level] : [])))
        for (const { impact, level, title } of edits) {
          const losers = impact.filter((one) => one.level !== level && gains.has(one.level) && one.after < one.before)
          expect(losers, title).toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  })

  it('does not advise shares to a level that is served', () => {
    expect(of(adviceOf({ 'workload-low': { demand: 280 } }), 'shares')).toEqual([])
    expect(adviceOf({ 'workload-low': { demand: 280 } }).suggestions.map(({ kind }) => kind)).toContain('nothing')
  })

  it('sees need in long waits without a rejection', () => {
    const advice = adviceOf({ 'workload-low': { demand: 280, waited: 3 } })
    expect(of(advice, 'shares')[0]?.threshold).toEqual({ seats: 280, label: '95 % of the time at most 280' })
    expect(of(advice, 'shares')[0]?.evidence[1]).toContain('One request in 100 waited more than 1.00 s')
  })

  it('advises longer queues only where full ones would drain in a moment and requests do not time out in them', () => {
    const queuing = { queues: 4, handSize: 2, queueLengthLimit: 2 }
    const short: ObjectSet = {
      ...OBJECTS,
      levels: OBJECTS.levels.map((level) =>
        level.metadata.name === 'workload-low' && level.spec.limited !== undefined
          ? {
              ...level,
              spec: { ...level.spec, limited: { ...level.spec.limited, limitResponse: { type: 'Queue', queuing } } },
            }
          : level,
      ),
    }
    const queueFull = { 'workload-low': { demand: 200, rejected: { 'queue-full': 2 } } }
    const [bursts] = of(adviceOf(queueFull, { objects: short }), 'queues')
    expect(bursts).toMatchObject({ verdict: 'edit' })
    expect(bursts?.changes).toHaveLength(1)
    // A flow that fills its hand of long queues is the business of the verdict.
    expect(of(adviceOf(queueFull), 'queues')).toEqual([])
    const both = { 'workload-low': { demand: 200, rejected: { 'queue-full': 2, 'time-out': 2 } } }
    expect(of(adviceOf(both, { objects: short }), 'queues')).toEqual([])
  })

  it('lets levels lend what they never use, keeping twice the peak', () => {
    const [lending] = of(adviceOf({ system: { demand: 1, peak: 6 } }), 'lending').filter(
      ({ level }) => level === 'system',
    )
    // 74 nominal seats: 12 stay.
    expect(lending).toMatchObject({ verdict: 'precaution', title: 'Let system lend 83 % of its seats' })
    expect(lending?.evidence[0]).toContain('Its peak demand was 6 seats')
    expect(lending?.threshold).toEqual({ seats: 18.5, label: '25 % of nominal: 18.5' })
  })

  it('says which flags hold all demand where the server has too few seats, and else that more would not help', () => {
    const many = adviceOf({
      'workload-low': { demand: 400, rejected: { 'time-out': 1 } },
      'global-default': { demand: 290 },
    })
    expect(of(many, 'flags')[0]).toMatchObject({
      verdict: 'edit',
      snippet: '--max-requests-inflight=500\n--max-mutating-requests-inflight=250\n',
    })
    const few = adviceOf({ 'workload-low': { demand: 280, rejected: { 'time-out': 1 } } })
    expect(of(few, 'flags')[0]).toMatchObject({ verdict: 'rejected' })
    expect(few.summary).toContain('More seats for the server would not help.')
  })

  it('asks for no seats for the demand of a cause that may have lasted as long as the samples', () => {
    const wishes = { 'workload-low': { demand: 400, rejected: { 'time-out': 1 } }, 'global-default': { demand: 290 } }
    const pagesOver = (seconds: number) => Array.from({ length: 81 }, (_, i) => page((seconds / 80) * i, wishes))
    const pages = pagesOver(400)
    const known = diagnose({ servers: [{ frames: pages, dumps: [] }], health: [], objects: OBJECTS, asOf: undefined })
    const findings = known.findings.map((one) => ({
      ...one,
      group: 'traffic' as const,
      place: { level: 'workload-low' },
    }))
    const flagsOver = (verdictMs: number, seconds: number): number => {
      const tally = createUsageTally()
      for (const frame of pagesOver(seconds)) tally.take({ kind: 'frame', frame })
      const verdict = { ...known, findings, from: known.to - verdictMs }
      return of(advise(tally.read(), { verdict }), 'flags').length
    }
    expect(flagsOver(4_000_000, 4_000)).toBe(0)
    expect(flagsOver(60_000, 4_000)).toBe(1)
    expect(flagsOver(60_000, 400)).toBe(0)
  })

  it('compares the flags with what is usual for the nodes of the cluster', () => {
    expect(of(adviceOf({}, { nodes: 2_000 }), 'flags')[0]?.snippet).toContain('--max-requests-inflight=1500')
    expect(of(adviceOf({}, { nodes: 20 }), 'flags')).toEqual([])
  })

  it('names flow schemas of the cluster that no request matched, and no built-in ones', () => {
    const [first] = OBJECTS.schemas
    if (first === undefined) throw new Error('no schema')
    const own = { ...first, metadata: { name: 'forgotten' } }
    const advice = adviceOf({}, { objects: { ...OBJECTS, schemas: [...OBJECTS.schemas, own] } })
    expect(of(advice, 'schema').map(({ changes }) => changes)).toEqual([
      [{ kind: 'FlowSchema', name: 'forgotten', text: null }],
    ])
  })

  it('says that samples are too few, and that objects are not known', () => {
    const early = adviceOf({ 'workload-low': { demand: 280, rejected: { 'time-out': 1 } } }, { seconds: 60 })
    expect(early.summary).toBe('Samples cover 1 min. Advice on limits takes at least 5 min.')
    expect(early.suggestions).toEqual([])
    const blind = adviceOf({ 'workload-low': { demand: 280, rejected: { 'time-out': 1 } } }, { objects: null })
    expect(of(blind, 'shares')[0]).toMatchObject({ title: 'Let workload-low own 280 seats', changes: [], impact: [] })
    expect(
      advise({ servers: [], objects: undefined, callers: [], flows: [], withoutNamespace: [] }).suggestions,
    ).toEqual([])
  })

  it('states nothing that a filtered page does not show', () => {
    const lacks = [FAMILY.rejected, FAMILY.wait, FAMILY.executingSeats, FAMILY.queuedSeats]
    const tally = createUsageTally()
    for (let second = 0; second <= 400; second += 5)
      tally.take({ kind: 'frame', frame: filteredFrame(page(second, {}), lacks) })
    const advice = advise(tally.read())
    expect(advice.summary).toBe(
      `Whether requests wait or are rejected is unknown: the pages lack ${FAMILY.rejected} and ${FAMILY.wait}.`,
    )
    expect(advice.enough).toEqual([])
    expect(advice.suggestions.filter(({ kind }) => kind !== 'scrape')).toEqual([])
    expect(advice.limits.join(' ')).toContain('so demand is unknown')
  })

  it('counts requests anew after a change of limits, and keeps the demand', () => {
    const tally = createUsageTally()
    const wishes = { 'workload-low': { demand: 280, rejected: { 'time-out': 1 } } }
    for (let second = 0; second <= 400; second += 5) tally.take({ kind: 'frame', frame: page(second, wishes) })
    const changed = page(405, wishes)
    const levels = changed.levels.map((level) => ({ ...level, limits: { ...level.limits, nominal: 300 } }))
    tally.take({ kind: 'frame', frame: { ...changed, levels } })
    const [server] = tally.read().servers
    const low = server?.levels.find(({ name }) => name === 'workload-low')
    expect(low?.rejected['time-out']).toBe(0)
    expect(server?.coveredMs).toBe(405_000)
    expect(low && seatsFor(0.95, low.demand)).toBe(280)
  })

  it('writes everything for a terminal', () => {
    const text = adviceLines(adviceOf({ 'workload-low': { demand: 280, rejected: { 'queue-full': 1 } } })).join('\n')
    expect(text).toMatch(/^Requests of workload-low .*\n.*\n\n1\. .* \(suggested\)/)
    expect(text).toContain('Nominal seats: ')
    expect(text).toContain('--draft 1')
  })
})

describe('seats for a share of the time', () => {
  it('is the least number that was not exceeded for so long', () => {
    const times = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.9, 0.95, 1), (pairs, share) => {
        const spent = new Map<number, number>()
        for (const [seats, ms] of pairs) spent.set(seats, (spent.get(seats) ?? 0) + ms)
        const total = [...spent.values()].reduce((sum, ms) => sum + ms, 0)
        const upTo = (seats: number): number => [...spent].reduce((sum, [at, ms]) => sum + (at <= seats ? ms : 0), 0)
        const found = seatsFor(share, spent) ?? -1
        expect(upTo(found)).toBeGreaterThanOrEqual(share * total - 1e-3)
        expect(upTo(found - 1)).toBeLessThan(share * total + 1e-3)
      }),
    )
  })
})

describe('the cost of a scrape', () => {
  it('counts the series of each family and drops only what nothing queries', () => {
    const cost = new Map(
      scrapeCost(page(10, { 'workload-low': { demand: 1, waited: 1 } })).map((one) => [one.family, one]),
    )
    expect(cost.get('apiserver_flowcontrol_nominal_limit_seats')).toEqual({
      family: 'apiserver_flowcontrol_nominal_limit_seats',
      series: OBJECTS.levels.length,
    })
    // Three bounds, +Inf, sum and count.
    expect(cost.get('apiserver_flowcontrol_request_wait_duration_seconds')).toMatchObject({ series: 6 })
    expect(
      [...cost.values()].filter(({ droppable }) => droppable !== undefined).map(({ family }) => family),
    ).not.toContain('apiserver_flowcontrol_request_wait_duration_seconds')
  })
})

it('gives no advice on a level that was deleted and that the server still exports', () => {
  const tally = createUsageTally()
  const known = ObjectSetSchema.parse(structuredClone(OBJECTS))
  tally.take({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects: known } })
  for (let second = 0; second <= 400; second += 5) {
    const now = page(second, {})
    const rest = levelFrame(
      'burst',
      [schemaFrame('burst', { dispatched: 10, rejected: { ...NONE, 'queue-full': 900 } })],
      {
        limits: { nominal: 20, lower: 20, upper: 20, current: 20 },
        seats: { executing: 0, queued: 0 },
        requests: { executing: 0, queued: 0 },
        demand: { highWatermark: 2, average: 2, stdev: 0, smoothed: 2, target: 2 },
      },
    )
    tally.take({ kind: 'frame', frame: { ...now, levels: [...now.levels, rest] } })
  }
  expect(advise(tally.read()).suggestions.filter(({ level }) => level === 'burst')).toEqual([])
})

const NONE = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 } as const
