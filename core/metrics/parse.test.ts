import { describe, expect, it } from 'vitest'
import type { Family, Page } from './page.ts'
import { createParser, type ParserOptions, MAX_LINE_BYTES } from './parse.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string, options?: ParserOptions): Page => createParser(options).parse(bytesOf(text))

function family(page: Page, name: string): Family {
  const found = page.families.get(name)
  if (found === undefined) throw new Error(`${name} is not among ${[...page.families.keys()].join(', ')}`)
  return found
}

/** The samples of a page, by family, as short texts. */
const samples = (page: Page): Record<string, string[]> =>
  Object.fromEntries(
    [...page.families.values()].map((each) => [
      each.name,
      each.series.map(({ name, labels }, i) => `${name}${JSON.stringify(labels)} ${each.values[i]}`),
    ]),
  )

const PAGE = `# HELP queue_length Requests in a "queue" with \\\\ and\\nline
# TYPE queue_length gauge
queue_length{level="system",schema="a\\"b\\\\c\\nd"} 12
queue_length{level="catch-all",} 0.5 1795246127092

# a remark
# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1"} 1
wait_seconds_bucket{le="+Inf"} 2
wait_seconds_sum 1.5
wait_seconds_count 2
up 1
`

describe('the text format', () => {
  it('reads families, labels, values and timestamps', () => {
    const page = parse(PAGE)
    expect(page.problem).toBeUndefined()
    expect(page.samples).toBe(7)
    expect(family(page, 'queue_length')).toEqual({
      name: 'queue_length',
      type: 'gauge',
      help: 'Requests in a "queue" with \\ and\nline',
      series: [
        { name: 'queue_length', labels: { level: 'system', schema: 'a"b\\c\nd' } },
        { name: 'queue_length', labels: { level: 'catch-all' } },
      ],
      values: Float64Array.of(12, 0.5),
      timestampsMs: new Map([[1, 1795246127092]]),
    })
    expect(family(page, 'wait_seconds').series.map(({ name }) => name)).toEqual([
      'wait_seconds_bucket',
      'wait_seconds_bucket',
      'wait_seconds_sum',
      'wait_seconds_count',
    ])
    expect(family(page, 'up')).toMatchObject({ type: 'untyped', values: Float64Array.of(1) })
  })

  it.each([
    ['CR LF', PAGE.replaceAll('\n', '\r\n')],
    ['leading blanks', PAGE.replaceAll(/^(?=.)/gm, ' \t')],
    ['blank lines', PAGE.replaceAll('\n', '\n\n \t\n')],
    ['blanks between everything', PAGE.replaceAll(/(?<==)(?=")|(?<=")(?=[,}])|(?<=[{,])(?=\w)/g, '\t ')],
  ])('reads the same with %s', (_, text) => {
    expect(parse(text)).toEqual(parse(PAGE))
  })

  it('reads every spelling of numbers', () => {
    const page = parse('a 1e3\na -2.5E-3\na NaN\na nan\na +Inf\na -Inf\na inf\na Infinity\na 0x\n')
    expect(Array.from(family(page, 'a').values)).toEqual([
      1000,
      -0.0025,
      Number.NaN,
      Number.NaN,
      Infinity,
      -Infinity,
      Infinity,
      Infinity,
    ])
    expect(page.problem).toEqual({ line: 9, column: 3, message: "Expected a number, found '0'." })
  })

  it('reads a line the same after any other that is nearly the same', () => {
    const spellings = ['', ' ', ',', ', ', ' ,'].flatMap((comma) =>
      ['=', '= ', ' ='].flatMap((equals) =>
        ['1', '12'].flatMap((first) =>
          ['1', '2'].flatMap((second) =>
            ['', ','].map((last) => ({
              text: `a{b${equals}"${first}"${comma}c${equals.trimStart()}"${second}"${last}} 1\n`,
              labels: { b: first, c: second },
            })),
          ),
        ),
      ),
    )
    const pairs = spellings.flatMap((one) => spellings.flatMap((other) => [one, other]))
    const page = parse(pairs.map(({ text }) => text).join(''))
    expect(page.problem).toBeUndefined()
    const read = family(page, 'a').series.map(({ labels }) => labels)
    expect(JSON.stringify(read)).toBe(JSON.stringify(pairs.map(({ labels }) => labels)))
  })

  it('keeps UTF-8 in label values, label names and metric names', () => {
    const page = parse('{"größe.gesamt","ключ"="значение 🚦"} 1\nb{ü="1"} 2\n')
    expect(samples(page)).toEqual({ 'größe.gesamt': ['größe.gesamt{"ключ":"значение 🚦"} 1'] })
    expect(page.problem).toEqual({ line: 2, column: 3, message: 'Expected a label name or }, found byte 0xc3.' })
  })

  it('keeps labels whose names objects treat as special', () => {
    const { labels } = family(parse('a{__proto__="x",constructor="y",toString="z"} 1\n'), 'a').series[0]!
    expect(Object.entries(labels)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['toString', 'z'],
    ])
  })

  it('does not lose samples to repeated metadata, and believes the first', () => {
    const page = parse(
      '# HELP a first\n# TYPE a counter\na 1\n# HELP a second\n# TYPE a gauge\na 2\n# TYPE a counter\n',
    )
    expect(page.problem).toBeUndefined()
    expect(family(page, 'a')).toMatchObject({ type: 'counter', help: 'first', values: Float64Array.of(1, 2) })
  })

  it('gives a sample to the family that is declared under its own name first', () => {
    const page = parse('# TYPE a histogram\n# TYPE a_count gauge\na_count 1\na_sum 2\nb_sum 3\n')
    expect(samples(page)).toEqual({ a: ['a_sum{} 2'], a_count: ['a_count{} 1'], b_sum: ['b_sum{} 3'] })
  })

  it('gives samples only the suffixes of their type', () => {
    const page = parse('# TYPE a summary\na_bucket 1\na_sum 2\na{quantile="0.5"} 3\n# TYPE c counter\nc_total 4\n')
    expect(samples(page)).toEqual({
      a: ['a_sum{} 2', 'a{"quantile":"0.5"} 3'],
      a_bucket: ['a_bucket{} 1'],
      c: [],
      c_total: ['c_total{} 4'],
    })
  })

  it('gives samples to a family from its type on', () => {
    expect(samples(parse('a_sum 1\n# TYPE a summary\na_sum 2\n'))).toEqual({ a_sum: ['a_sum{} 1'], a: ['a_sum{} 2'] })
  })

  it('knows of families that are not kept what decides about those that are', () => {
    const text = '# TYPE a summary\n# TYPE a_sum gauge\na_sum 1\na_count 2\nb_sum 3\n'
    expect(samples(parse(text, { keep: new Set(['a']) }))).toEqual({ a: ['a_count{} 2'] })
    expect(samples(parse(text, { keep: new Set(['a_sum']) }))).toEqual({ a_sum: ['a_sum{} 1'] })
    expect(samples(parse(text, { keep: new Set(['a_count']) }))).toEqual({})
  })

  it('takes over no name from a line that was passed over', () => {
    const text = 'a{x="1",y="2"} 1\nb{x="1",y="2"} 2\na{x="1",y="2"} 3\nab 4\nb 5\n'
    expect(samples(parse(text, { keep: new Set(['a']) }))).toEqual({
      a: ['a{"x":"1","y":"2"} 1', 'a{"x":"1","y":"2"} 3'],
    })
  })

  it('reads timestamps up to the largest of 64 bits', () => {
    for (const timestamp of ['9223372036854775807', '0009223372036854775807', '-9223372036854775807']) {
      const page = parse(`a 1 ${timestamp}\n`)
      expect(page.problem).toBeUndefined()
      expect(family(page, 'a').timestampsMs).toEqual(new Map([[0, Number(timestamp)]]))
    }
  })

  it('keeps a series that is on the page twice', () => {
    expect(samples(parse('a{b="c"} 1\na{b="c"} 2\n'))).toEqual({ a: ['a{"b":"c"} 1', 'a{"b":"c"} 2'] })
  })

  it('takes #-lines that are no metadata for remarks', () => {
    const page = parse('#HELP a x\n#\n# HELP\n# HELPER a\n# UNIT a b\n# EOF\na 1\n')
    expect(page).toMatchObject({
      samples: 1,
      families: new Map([['a', { type: 'untyped', values: Float64Array.of(1) }]]),
    })
    expect(page.problem).toBeUndefined()
  })

  it.each([
    ['a', 1, 2, 'Expected a space or { after the metric name, found the end of the line.'],
    ['a b', 1, 3, "Expected a number, found 'b'."],
    ['a 1 x', 1, 5, "Expected a timestamp in milliseconds or the end of the line, found 'x'."],
    ['a 1 9223372036854775808', 1, 5, "Expected a timestamp in milliseconds or the end of the line, found '9'."],
    ['a 1 -9223372036854775808', 1, 5, "Expected a timestamp in milliseconds or the end of the line, found '-'."],
    ['a 1 1.5', 1, 5, "Expected a timestamp in milliseconds or the end of the line, found '1'."],
    ['a 1 2 3', 1, 7, "Expected the end of the line, found '3'."],
    ['a 1 # {b="c"} 1', 1, 5, "Expected the end of the line, found '#'."],
    ['a{b} 1', 1, 4, "Expected = after the label name, found '}'."],
    ['a{b=c} 1', 1, 5, "Expected a \" before the label value, found 'c'."],
    ['a{b="c', 1, 7, 'Expected a " after the label value, found the end of the line.'],
    ['a{b="c\\', 1, 8, 'Expected a " after the label value, found the end of the line.'],
    ['a{b="c",', 1, 9, 'Expected a label name or }, found the end of the line.'],
    ['a{b="c",,} 1', 1, 9, "Expected a label name or }, found ','."],
    ['a{b="c",b="d"} 1', 1, 9, "Expected a label other than b again, found 'b'."],
    ['{b="c"} 1', 1, 7, "Expected a metric name among the labels, found '}'."],
    ['ok 1\n\n  9a 1', 3, 3, "Expected a metric name, a comment or a blank line, found '9'."],
    ['# TYPE a curve', 1, 10, 'Expected one of the types counter, gauge, histogram, summary, untyped.'],
    ['# TYPE a', 1, 9, 'Expected one of the types counter, gauge, histogram, summary, untyped.'],
    ['# HELP 9a x', 1, 8, 'Expected a metric name after # HELP.'],
  ])('says where %j is wrong', (text, line, column, message) => {
    expect(parse(`${text}\n`).problem).toEqual({ line, column, message })
  })

  it('finds label values and help texts that are not UTF-8', () => {
    const broken = (text: string): Uint8Array => Uint8Array.from(bytesOf(text), (byte) => (byte === 0x7f ? 0xff : byte))
    expect(createParser().parse(broken('a{b="\x7f"} 1\n')).problem).toMatchObject({ line: 1, column: 6 })
    expect(createParser().parse(broken('# HELP a \x7f\n')).problem).toMatchObject({ line: 1, column: 10 })
  })

  it('keeps everything before a problem', () => {
    const page = parse('a 1\nb 2\nc{ 3\nd 4\n')
    expect(samples(page)).toEqual({ a: ['a{} 1'], b: ['b{} 2'] })
    expect(page.problem?.line).toBe(3)
  })

  it('does not take a cut line for a whole one', () => {
    const page = parse('a 1\nb 23')
    expect(samples(page)).toEqual({ a: ['a{} 1'] })
    expect(page.problem).toEqual({
      line: 2,
      column: 5,
      message: 'Expected the end of the line, found the end of the page.',
    })
    expect(parse('a 1\n# HEL').problem).toMatchObject({ line: 2, column: 6 })
    expect(parse('a 1\n  \t').problem).toBeUndefined()
  })

  it('says when it is given HTML', () => {
    for (const text of ['<!DOCTYPE html>\n<html></html>\n', '\n  <html>']) {
      expect(parse(text).problem?.message).toContain('looks like HTML')
    }
  })

  it('reads an empty page', () => {
    expect(parse('')).toEqual({ families: new Map(), samples: 0 })
  })

  it('does not gather a line without end', () => {
    const stream = createParser().begin()
    const chunk = bytesOf('x'.repeat(MAX_LINE_BYTES / 4))
    stream.push(bytesOf('a 1\nb'))
    for (let i = 0; i < 9; i++) stream.push(chunk)
    expect(stream.end()).toMatchObject({
      samples: 1,
      problem: { line: 2, column: MAX_LINE_BYTES + 1, message: 'Expected the end of the line within 1048576 bytes.' },
    })
  })

  it('limits the length of a line whichever way it is read', () => {
    const fits = `a{b="${'x'.repeat(MAX_LINE_BYTES - 9)}"} 1`
    expect(fits).toHaveLength(MAX_LINE_BYTES)
    for (const options of [{}, { keep: new Set(['b']) }]) {
      const parser = createParser(options)
      for (let time = 0; time < 2; time++) {
        expect(parser.parse(bytesOf(`${fits}\n`)).problem).toBeUndefined()
        expect(parser.parse(bytesOf(`${fits}\n${fits}2\n`)).problem).toMatchObject({ line: 2 })
      }
    }
  })
})

describe('memory', () => {
  it('yields the very same series objects for the same lines', () => {
    const parser = createParser()
    const series = (text: string): string[] => {
      const page = parser.parse(bytesOf(text))
      return [...page.families.values()].flatMap((each) => each.series.map((one) => one.name + ids.of(one)))
    }
    const ids = { seen: [] as object[], of: (one: object) => ids.seen.indexOf(one) + 1 || ids.seen.push(one) }
    expect(series('a{x="1"} 1\na{x="2"} 2\nb 3\n')).toEqual(['a1', 'a2', 'b3'])
    expect(series('a{x="1"} 7\na{x="2"} 8\nb 9\n')).toEqual(['a1', 'a2', 'b3'])
    expect(series('a{x="1"} 7\na{x="1.5"} 1\na{x="2"} 8\nb 9\n')).toEqual(['a1', 'a4', 'a2', 'b3'])
    expect(series('a{x="1"} 7\na{x="1.5"} 1\na{x="2"} 8\nb 9\n')).toEqual(['a1', 'a4', 'a2', 'b3'])
    expect(series('b 9\na{x="2"} 8\n')).toEqual(['b3', 'a2'])
    expect(series('b 9\na{x="2"} 8\n')).toEqual(['b3', 'a2'])
  })

  it('survives a page with a problem', () => {
    const parser = createParser()
    const first = parser.parse(bytesOf('a 1\nb 2\n'))
    parser.parse(bytesOf('a 1\n<'))
    const third = parser.parse(bytesOf('a 3\nb 4\n'))
    expect(third.families.get('b')?.series[0]).toBe(first.families.get('b')?.series[0])
  })

  it('does not look into chunks after they were pushed', () => {
    const parser = createParser()
    const buffer = bytesOf('a{x="1"} 1\nlong_')
    const stream = parser.begin()
    stream.push(buffer)
    buffer.fill(0)
    stream.push(bytesOf('name 2\n'))
    expect(samples(stream.end())).toEqual({ a: ['a{"x":"1"} 1'], long_name: ['long_name{} 2'] })
    expect(samples(parser.parse(bytesOf('a{x="1"} 3\nlong_name 4\n')))).toEqual({
      a: ['a{"x":"1"} 3'],
      long_name: ['long_name{} 4'],
    })
  })

  it('reads two streams at once', () => {
    const parser = createParser()
    const [one, two] = [parser.begin(), parser.begin()]
    one.push(bytesOf('a{x="1"} 1\n'))
    two.push(bytesOf('b{x="1"} 2\n'))
    one.push(bytesOf('a{x="2"} 3\n'))
    expect(samples(one.end())).toEqual({ a: ['a{"x":"1"} 1', 'a{"x":"2"} 3'] })
    expect(samples(two.end())).toEqual({ b: ['b{"x":"1"} 2'] })
  })
})
