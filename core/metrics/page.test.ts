import { describe, expect, it } from 'vitest'
import type { Page } from './page.ts'
import { createParser } from './parse.ts'

const parse = (text: string): Page => createParser({ format: 'openmetrics' }).parse(new TextEncoder().encode(text))

describe('OpenMetrics', () => {
  it('cuts off the fractions of a millisecond, as Prometheus does', () => {
    const page = parse(
      '# TYPE m counter\nm_total 1 1520879607.9678 # {id="a"} 1 1520879607.9678\nm_total{a="b"} 1 -1.9999\n# EOF\n',
    )
    const m = page.families.get('m')
    expect(m?.timestampsMs).toEqual(
      new Map([
        [0, 1520879607967],
        [1, -1999],
      ]),
    )
    expect(m?.exemplars?.get(0)?.timestampMs).toBe(1520879607967)
  })
  it('reads units, exemplars, timestamps in seconds and all suffixes', () => {
    const page = parse(`# TYPE wait_seconds histogram
# UNIT wait_seconds seconds
# HELP wait_seconds Said \\"so\\".
wait_seconds_bucket{le="1"} 3 1795246127.5 # {trace_id="a\\"b"} 0.25 1795246126.75
wait_seconds_bucket{le="+Inf"} 4 # {} 7
wait_seconds_sum 9.5
wait_seconds_count 4
wait_seconds_created 1795240000
# TYPE requests counter
requests_total{code="200"} 5 1795246127
requests_created{code="200"} 1
# TYPE build info
build_info{version="1"} 1
# TYPE mode stateset
mode{mode="on"} 1
# TYPE size gaugehistogram
size_bucket{le="+Inf"} 1
size_gsum 3
size_gcount 1
# TYPE thing unknown
thing 1
# EOF
`)
    expect(page.problem).toBeUndefined()
    expect(page.samples).toBe(13)
    const wait = page.families.get('wait_seconds')
    expect(wait).toMatchObject({ type: 'histogram', unit: 'seconds', help: 'Said "so".' })
    expect(wait?.values).toEqual(Float64Array.from([3, 4, 9.5, 4, 1795240000]))
    expect(wait?.timestampsMs).toEqual(new Map([[0, 1795246127500]]))
    expect(wait?.exemplars).toEqual(
      new Map([
        [0, { labels: { trace_id: 'a"b' }, value: 0.25, timestampMs: 1795246126750 }],
        [1, { labels: {}, value: 7 }],
      ]),
    )
    const shape = [...page.families.values()].map((each) => [each.name, each.type, each.series.length])
    expect(shape).toEqual([
      ['wait_seconds', 'histogram', 5],
      ['requests', 'counter', 2],
      ['build', 'info', 1],
      ['mode', 'stateset', 1],
      ['size', 'gaugehistogram', 3],
      ['thing', 'untyped', 1],
    ])
  })

  it('ends with # EOF, with or without a line feed', () => {
    for (const end of ['# EOF\n', '# EOF', '# EOF\r\n']) expect(parse(`a 1\n${end}`).problem).toBeUndefined()
  })

  it.each([
    ['a 1\n', 2, 1, 'Expected # EOF, found the end of the page.'],
    ['', 1, 1, 'Expected # EOF, found the end of the page.'],
    ['# EOF\na 1\n', 2, 1, 'Expected nothing after # EOF.'],
    ['# EOF\n\n', 2, 1, 'Expected nothing after # EOF.'],
    ['# EOF\na', 2, 1, 'Expected nothing after # EOF.'],
    ['# UNIT a_bytes seconds\n# EOF\n', 1, 16, 'Expected a unit with which the name a_bytes ends.'],
    ['a{b="c" d="e"} 1\n# EOF\n', 1, 9, "Expected , or } after the label value, found 'd'."],
    ['a 1 # {b="c"}\n# EOF\n', 1, 14, 'Expected the value of an exemplar, found the end of the line.'],
    ['a 1 # b\n# EOF\n', 1, 7, "Expected { of an exemplar after #, found 'b'."],
    ['a 1 NaN\n# EOF\n', 1, 5, "Expected a timestamp in seconds, an exemplar or the end of the line, found 'N'."],
    ['a 1 # {"b"} 1\n# EOF\n', 1, 11, "Expected = after the label name, found '}'."],
  ])('says where %j is wrong', (text, line, column, message) => {
    expect(parse(text).problem).toEqual({ line, column, message })
  })

  it('keeps what came before a missing # EOF', () => {
    expect(parse('a 1\nb 2\n').samples).toBe(2)
  })

  it('remembers no end of page', () => {
    const parser = createParser({ format: 'openmetrics' })
    const bytes = new TextEncoder().encode('a 1\n# EOF\n')
    const first = parser.parse(bytes)
    const second = parser.parse(bytes)
    expect(second).toEqual(first)
    expect(second.families.get('a')?.series[0]).toBe(first.families.get('a')?.series[0])
  })
})
