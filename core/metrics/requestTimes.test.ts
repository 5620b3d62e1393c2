import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDeriver } from '../frame/derive.ts'
import { createFrameBuilder } from './buildFrame.ts'
import { createParser } from './parse.ts'
import { createRequestTimesReader } from './requestTimes.ts'

interface Row {
  readonly labels: string
  /** Requests up to 0.1 s, up to 1 s, and longer. */
  readonly counts: readonly [number, number, number]
  readonly sum: number
}

const family = (name: string, rows: readonly Row[]): string =>
  [
    `# TYPE ${name} histogram`,
    ...rows.flatMap(({ labels, counts: [fast, slow, slower], sum }) => [
      `${name}_bucket{${labels},le="0.1"} ${fast}`,
      `${name}_bucket{${labels},le="1"} ${fast + slow}`,
      `${name}_bucket{${labels},le="+Inf"} ${fast + slow + slower}`,
      `${name}_sum{${labels}} ${sum}`,
      `${name}_count{${labels}} ${fast + slow + slower}`,
    ]),
    '',
  ].join('\n')
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (text: string) => createRequestTimesReader()(createParser().parse(bytes(text)))

const DURATION = 'apiserver_request_duration_seconds'
const GET = 'verb="GET",resource="pods",subresource=""'
const LIST = 'verb="LIST",resource="pods",subresource=""'

describe('the times of requests', () => {
  test('are those of all label sets but of what lasts as long as its client wants', () => {
    const long = ['verb="WATCH",subresource=""', 'verb="CONNECT",subresource="exec"', 'verb="GET",subresource="log"']
    const rows = [
      { labels: GET, counts: [3, 1, 0], sum: 0.5 },
      { labels: LIST, counts: [0, 2, 4], sum: 20 },
      ...long.map((labels) => ({ labels, counts: [0, 0, 9], sum: 9_000 }) as const),
    ] as const
    expect(read(family(DURATION, rows))).toEqual({
      duration: { bounds: [0.1, 1], counts: [3, 6, 10], sum: 20.5, count: 10 },
      verbs: {
        get: { bounds: [0.1, 1], counts: [3, 4, 4], sum: 0.5, count: 4 },
        list: { bounds: [0.1, 1], counts: [0, 2, 6], sum: 20, count: 6 },
      },
    })
  })

  test('are told apart by verb: all that change objects together, and none of other methods', () => {
    const verbs = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION', 'OPTIONS', 'other']
    const rows = verbs.map(
      (verb) => ({ labels: `verb="${verb}",subresource=""`, counts: [1, 0, 0], sum: 0.05 }) as const,
    )
    const times = read(family(DURATION, rows))
    expect(times?.duration.count).toBe(8)
    expect(times?.verbs).toEqual({ write: { bounds: [0.1, 1], counts: [6, 6, 6], sum: expect.closeTo(0.3), count: 6 } })
  })

  test.each(['apiserver_request_sli_duration_seconds', 'apiserver_request_slo_duration_seconds'])(
    'have their own part under the name %s',
    (name) => {
      const whole = family(DURATION, [{ labels: GET, counts: [1, 1, 0], sum: 1 }])
      expect(read(whole + family(name, [{ labels: GET, counts: [2, 0, 0], sum: 0.1 }]))?.own?.sum).toBe(0.1)
    },
  )

  test('are unknown where the page has none, half of them or no numbers', () => {
    expect(read('up 1\n')).toBeUndefined()
    const whole = family(DURATION, [
      { labels: GET, counts: [1, 0, 0], sum: 1 },
      { labels: LIST, counts: [1, 0, 0], sum: 1 },
    ])
    for (const line of whole.split('\n').filter((one) => one.includes('LIST'))) {
      expect(read(whole.replace(`${line}\n`, '')), line).toBeUndefined()
    }
    expect(read(whole.replace(/_sum\{([^}]*LIST[^}]*)\} 1/, '_sum{$1} NaN'))).toBeUndefined()
  })

  test('add up, whatever the label sets are and whichever come and go', () => {
    const count = fc.nat({ max: 1_000 })
    const rows = fc.array(fc.tuple(count, count, count, fc.nat({ max: 1_000 })), { minLength: 1, maxLength: 8 })
    const reader = createRequestTimesReader()
    const parser = createParser()
    fc.assert(
      fc.property(rows, (sets) => {
        const text = family(
          DURATION,
          sets.map(([a, b, c, sum], i) => ({ labels: `verb="GET",resource="r${i}"`, counts: [a, b, c], sum })),
        )
        const duration = reader(parser.parse(bytes(text)))?.duration
        const total = (of: (set: (typeof sets)[number]) => number): number =>
          sets.reduce((sum, set) => sum + of(set), 0)
        expect(duration?.count).toBe(total(([a, b, c]) => a + b + c))
        expect(duration?.sum).toBe(total(([, , , sum]) => sum))
        expect(duration?.counts[0]).toBe(total(([a]) => a))
      }),
    )
  })

  describe('of the last half minute', () => {
    const frames = () => {
      const [build, derive, parser] = [createFrameBuilder({ id: 'a' }), createDeriver('a'), createParser()]
      return (seconds: number, ...rows: readonly Row[]) =>
        derive(build(parser.parse(bytes(family(DURATION, rows))), { at: new Date(seconds * 1_000).toISOString() }))
          .requests
    }
    const get = (counts: Row['counts'], sum: number): Row => ({ labels: GET, counts, sum })
    const list = (counts: Row['counts'], sum: number): Row => ({ labels: LIST, counts, sum })

    test('are a mean and quantiles, with what they cover', () => {
      const at = frames()
      expect(at(0, get([10, 0, 0], 0.5))).toBeUndefined()
      const requests = at(5, get([20, 10, 0], 6.5))
      expect(requests).toMatchObject({ overSeconds: 5, mean: expect.closeTo(0.3), p99: { atLeast: false } })
      expect(requests?.p99?.seconds).toBeGreaterThan(0.1)
      expect(requests?.meanOwn).toBeUndefined()
      expect(requests?.verbs).toEqual({ get: { count: 20, p50: requests?.p50, p99: requests?.p99 } })
      // No request has ended since.
      expect(at(40, get([20, 10, 0], 6.5))).toBeUndefined()
    })

    test('are those of each verb of which a request ended, from 0 where it is the first', () => {
      const at = frames()
      at(0, get([10, 0, 0], 0.5))
      const verbs = at(5, get([10, 0, 0], 0.5), list([0, 4, 0], 2))?.verbs
      expect(Object.keys(verbs ?? {})).toEqual(['list'])
      expect(verbs?.list?.count).toBe(4)
    })

    test('are at least the last bound where they lie beyond', () => {
      const at = frames()
      at(0, list([10, 0, 0], 0.5))
      expect(at(5, list([13, 0, 5], 100.5))?.verbs.list).toMatchObject({
        count: 8,
        p50: { seconds: 1, atLeast: true },
        p99: { seconds: 1, atLeast: true },
      })
    })

    test('are unknown by verb where the earlier reading does not tell verbs apart', () => {
      const [build, derive, parser] = [createFrameBuilder({ id: 'a' }), createDeriver('a'), createParser()]
      const frame = (seconds: number, row: Row) =>
        build(parser.parse(bytes(family(DURATION, [row]))), { at: new Date(seconds * 1_000).toISOString() })
      const { requests: earlier, ...rest } = frame(0, get([10, 0, 0], 0.5))
      derive({ ...rest, ...(earlier && { requests: { duration: earlier.duration } }) })
      expect(derive(frame(5, get([20, 0, 0], 1))).requests).toMatchObject({ mean: expect.closeTo(0.05), verbs: {} })
    })
  })
})
