import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAnswerReader, readAnswer as readText } from './answer.ts'

const readAnswer = (json: unknown) => readText(JSON.stringify(json))
const matrix = (...result: unknown[]) => ({ status: 'success', data: { resultType: 'matrix', result } })

describe('an answer', () => {
  test('of a matrix and of a vector', () => {
    expect(
      readAnswer(
        matrix({
          metric: { __name__: 'up' },
          values: [
            [1.5, '1'],
            [2.5, '+Inf'],
            [3.5, '2e3'],
          ],
        }),
      ),
    ).toEqual({
      kind: 'series',
      series: [{ labels: { __name__: 'up' }, times: [1_500, 3_500], samples: [1, 2_000] }],
      warnings: [],
    })
    expect(
      readAnswer({ status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [1, '0.5'] }] } }),
    ).toMatchObject({ series: [{ labels: {}, times: [1_000], samples: [0.5] }] })
  })

  test('puts times in order, each once, and leaves out what is no number', () => {
    const answer = readAnswer(
      matrix(
        {
          metric: {},
          values: [
            [3, '3'],
            [1, '1'],
            [1, '9'],
            [2, 'NaN'],
          ],
        },
        { metric: { a: 'b' }, values: [[1, 'NaN']] },
      ),
    )
    expect(answer).toMatchObject({ series: [{ times: [1_000, 3_000], samples: [1, 3] }] })
    expect(answer.kind === 'series' && answer.series).toHaveLength(1)
  })

  test('of native histograms', () => {
    const histogram = {
      count: '3',
      sum: '4.5',
      buckets: [
        [0, '1', '2', '2'],
        [0, '2', '4', '1'],
      ],
    }
    expect(readAnswer(matrix({ metric: {}, histograms: [[7, histogram]] }))).toMatchObject({
      series: [
        {
          times: [7_000],
          samples: [
            {
              count: 3,
              sum: 4.5,
              buckets: [
                { left: 1, right: 2, count: 2 },
                { left: 2, right: 4, count: 1 },
              ],
            },
          ],
        },
      ],
    })
  })

  test('with warnings, of a cluster of VictoriaMetrics too', () => {
    const answer = { ...matrix(), warnings: ['store 10.0.0.1 unavailable', 7], isPartial: true }
    expect(readAnswer(answer)).toMatchObject({
      kind: 'series',
      warnings: ['store 10.0.0.1 unavailable', expect.stringContaining('isPartial')],
    })
  })

  test('in parts of any size is the same, wherever its members are', () => {
    const name = fc.string({ unit: 'grapheme' })
    const one = fc.record({
      metric: fc.dictionary(name, name),
      values: fc.array(fc.tuple(fc.nat(), fc.nat().map(String))),
    })
    const data = fc.array(one).chain((result) =>
      fc.shuffledSubarray(['resultType', 'result', 'warnings', 'stats'], { minLength: 4 }).map((members) => {
        const all: Record<string, unknown> = {
          resultType: 'matrix',
          result,
          warnings: ['"result":['],
          stats: { result: [1] },
        }
        return Object.fromEntries(members.map((member) => [member, all[member]]))
      }),
    )
    fc.assert(
      fc.property(
        data,
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (found, late, sizes) => {
          const text = JSON.stringify(
            late ? { data: found, status: 'success' } : { status: 'success', data: found },
            null,
            1,
          )
          const reader = createAnswerReader()
          let at = 0
          for (let part = 0; at < text.length; part++) {
            const size = sizes[part % sizes.length] ?? 1
            expect(reader.add(text.slice(at, at + size))).toBeUndefined()
            at += size
          }
          const series = (found['result'] as { metric: object; values: unknown[] }[]).filter(
            ({ values }) => values.length > 0,
          )
          const answer = reader.end()
          expect(answer).toMatchObject({ kind: 'series', warnings: ['"result":['] })
          expect(answer.kind === 'series' && answer.series.map(({ labels }) => ({ ...labels }))).toEqual(
            series.map(({ metric }) => ({ ...metric })),
          )
          expect(answer).toEqual(readText(text))
        },
      ),
    )
  })

  test.each([
    ['many series', '{"metric":{},"values":[[1,"1"]]},', 500_000],
    ['a series of lists', `{"metric":{},"values":[${'[],'.repeat(2_000)}`, 1_000],
    ['a long label', `{"metric":{"a":"${'b'.repeat(1e5)}`, 1_000],
    ['a long member', `{"a":"${'b'.repeat(1e5)}`, 10, '{"status":"success","data":{"a":['],
  ])('of %s ends before it fills the memory', (_, part, parts, head = '{"status":"success","data":{"result":[') => {
    const reader = createAnswerReader()
    reader.add(head)
    let added = 0
    while (added < parts && reader.add(part) === undefined) added++
    expect(added).toBeLessThan(parts)
    expect(reader.end()).toEqual({ kind: 'too-large' })
  })

  test.each([
    '"a"',
    '{"metric":{}}{"metric":{}}',
    '1,{"metric":{}}',
    ',{"metric":{}}',
    '{"metric":{}},',
    '{"metric":{}},,{"metric":{}}',
  ])('with %s for its series is foreign', (result) => {
    expect(readText(`{"status":"success","data":{"resultType":"matrix","result":[${result}]}}`).kind).toBe('foreign')
  })

  test('that refuses the query', () => {
    expect(readAnswer({ status: 'error', errorType: 'execution', error: 'too many samples' })).toEqual({
      kind: 'refused',
      type: 'execution',
      words: 'too many samples',
    })
  })

  test.each([
    [null],
    ['text'],
    [{}],
    [{ status: 'success', data: { resultType: 'scalar', result: [1, '2'] } }],
    [matrix({ values: [] })],
    [matrix({ metric: { a: 1 }, values: [] })],
    [matrix({ metric: {}, values: [[1, 2]] })],
    [matrix({ metric: {}, values: [['1', '2']] })],
    [matrix({ metric: {}, values: [[1e300, '2']] })],
    [matrix({ metric: {}, values: [[1, '0x10']] })],
    [matrix({ metric: {}, values: {} })],
    [matrix({ metric: {}, histograms: [[1, { count: '1', sum: '1', buckets: [[0, '2', '1', '1']] }]] })],
  ])('that is damaged is foreign as a whole: %j', (json) => {
    expect(readAnswer(json).kind).toBe('foreign')
  })

  test('of anything at all is read without throwing, in ascending order', () => {
    const pair = fc.tuple(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double().map(String))
    const series = fc.record({
      metric: fc.dictionary(fc.string(), fc.string()),
      values: fc.array(pair),
    })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json().map((text) => JSON.parse(text) as unknown),
          fc.array(series).map((all) => matrix(...all)),
        ),
        (json) => {
          const answer = readAnswer(JSON.parse(JSON.stringify(json)))
          for (const { times, samples } of answer.kind === 'series' ? answer.series : []) {
            expect(times.length).toBe(samples.length)
            for (const [i, at] of times.entries()) expect(at).toBeGreaterThan(times[i - 1] ?? Number.NEGATIVE_INFINITY)
          }
        },
      ),
    )
  })

  test('reads back every number that Go writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const answer = readAnswer(matrix({ metric: {}, values: [[1, String(value)]] }))
        expect(answer).toMatchObject({ series: [{ samples: [value === 0 ? expect.closeTo(0) : value] }] })
      }),
    )
  })
})
