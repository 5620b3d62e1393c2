import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format, Family, Page } from './page.ts'
import { createParser, type Parser } from './parse.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const fresh = (bytes: Uint8Array, format: Format, keep?: ReadonlySet<string>): Page =>
  createParser({ format, ...(keep && { keep }) }).parse(bytes)
const format = fc.constantFrom<Format>('text', 'openmetrics')

/** Few names, so that families, suffixes and series collide. */
const name = fc.constantFrom(
  'a',
  'a_count',
  'a_sum',
  'a_bucket',
  'a_total',
  'a_sum_count',
  'b',
  'b:c_9',
  'apiserver_long_name',
)
const label = fc.constantFrom('le', 'level', '_x9', 'constructor', '__proto__')
const text = fc.string({
  unit: fc.constantFrom('"', '\\', '\n', 'n', '{', '}', ',', '#', ' ', 'é', '🚦', '\0', 'x'),
  maxLength: 6,
})
const value = fc.oneof(
  fc.integer(),
  fc.double({ min: -1e300, max: 1e300 }),
  fc.constantFrom(Infinity, -Infinity, Number.NaN),
)

const escaped = (raw: string): string => raw.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
const escapedHelp = (raw: string): string => raw.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const printed = (number: number): string => {
  if (Number.isNaN(number)) return 'NaN'
  return Number.isFinite(number) ? String(number) : `${number > 0 ? '+' : '-'}Inf`
}

/** Variations in how a sample is written that do not change its meaning. */
interface Style {
  readonly blank: string
  readonly equals: string
  readonly comma: string
  readonly last: string
  /** Position among the labels of a name inside the braces. */
  readonly nameAt: number | undefined
}
const style: fc.Arbitrary<Style> = fc.record({
  blank: fc.constantFrom('', '', ' ', '\t '),
  equals: fc.constantFrom('=', '=', '= ', ' ='),
  comma: fc.constantFrom(',', ',', ', ', ' ,', ' ', ''),
  last: fc.constantFrom('', ','),
  nameAt: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 6 }),
})

interface ModelSample {
  readonly style: Style
  readonly labels: readonly (readonly [string, string])[]
  readonly value: number
  readonly timestampMs: number | undefined
}
interface ModelFamily {
  readonly name: string
  readonly help: string | undefined
  readonly isGauge: boolean
  readonly samples: readonly ModelSample[]
}

const modelSample: fc.Arbitrary<ModelSample> = fc.record({
  style,
  labels: fc.uniqueArray(fc.tuple(label, text), { selector: ([key]) => key, maxLength: 4 }),
  value: value.map((number) => (number === 0 ? 0 : number)),
  timestampMs: fc.option(fc.integer(), { nil: undefined }),
})
const model: fc.Arbitrary<readonly ModelFamily[]> = fc.uniqueArray(
  fc.record({
    name,
    help: fc.option(text, { nil: undefined }),
    isGauge: fc.boolean(),
    samples: fc.array(modelSample, { minLength: 1, maxLength: 5 }),
  }),
  { selector: (family) => family.name, maxLength: 5 },
)

function printSample(family: string, { style: how, labels, value: number, timestampMs }: ModelSample): string {
  const { blank, equals, comma, last, nameAt } = how
  const inside = labels.map(([key, raw]) => `${key}${equals}"${escaped(raw)}"`)
  // A comma must follow a name in quotes, or it would be a label name.
  if (nameAt !== undefined) inside.splice(nameAt, 0, `"${family}"${nameAt < inside.length ? ',' : ''}`)
  const separated = inside
    .map((item, i) => (i + 1 < inside.length && !item.endsWith(',') ? item + comma : item))
    .join('')
  const braces = inside.length === 0 ? '' : `{${blank}${separated}${last}${blank}}`
  const front = nameAt === undefined ? blank + family : blank
  return `${front}${braces} ${blank}${printed(number)}${timestampMs === undefined ? '' : ` ${timestampMs}`}${blank}\n`
}

const printFamily = (family: ModelFamily): string =>
  [
    family.help === undefined ? '' : `# HELP ${family.name} ${escapedHelp(family.help)}\n`,
    family.isGauge ? `# TYPE ${family.name} gauge\n` : '',
    ...family.samples.map((sample) => printSample(family.name, sample)),
  ].join('')

const familyOf = ({ name: family, help, isGauge, samples }: ModelFamily): Family => {
  const timed = samples.flatMap(({ timestampMs }, i) => (timestampMs === undefined ? [] : [[i, timestampMs] as const]))
  return {
    name: family,
    type: isGauge ? 'gauge' : 'untyped',
    ...(help !== undefined && { help }),
    series: samples.map(({ labels }) => ({ name: family, labels: Object.fromEntries(labels) })),
    values: Float64Array.from(samples, (sample) => sample.value),
    ...(timed.length > 0 && { timestampsMs: new Map(timed) }),
  }
}

/** Lines that are often correct, in any order. */
const line = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(name, modelSample).map(([family, sample]) => printSample(family, sample)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, fc.constantFrom('counter', 'gauge', 'histogram', 'summary'))
      .map(([family, type]) => `# TYPE ${family} ${type}\n`),
  },
  { weight: 1, arbitrary: fc.tuple(name, text).map(([family, help]) => `# HELP ${family} ${escapedHelp(help)}\n`) },
  { weight: 1, arbitrary: fc.constantFrom('\n', '# remark\n', '  \n', '# EOF\n', 'a{le="1"} 2 # {x="y"} 3 4\n') },
)
const lines = fc.array(line, { maxLength: 14 })

/** Pieces of lines in any order: mostly wrong, wherever a parser may fail. */
const PIECES = [
  'a',
  'a_sum',
  'le',
  '{',
  '}',
  '="',
  '"',
  '\\',
  ',',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '1',
  '-',
  '.5',
  'e3',
  'Inf',
  '# ',
  'HELP ',
  'TYPE ',
  'EOF',
  'gauge',
  '#',
  '<',
  'é',
  '\0',
]
const rubble = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''))
const page = fc.oneof(
  lines.map((all) => all.join('')),
  fc.tuple(lines, rubble, lines).map(([before, middle, after]) => [...before, middle, ...after].join('')),
  rubble,
)

interface Edit {
  readonly kind: 'delete' | 'insert' | 'repeat' | 'swap' | 'byte' | 'cut' | 'values'
  readonly at: number
  readonly to: number
  readonly line: string
  readonly byte: number
}
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'repeat', 'swap', 'byte', 'cut', 'values'),
  at: fc.nat(),
  to: fc.nat(),
  line,
  byte: fc.integer({ min: 0, max: 255 }),
})

function applyEdit(bytes: Uint8Array, { kind, at, to, line: added, byte }: Edit): Uint8Array {
  if (kind === 'cut') return bytes.slice(0, at % (bytes.length + 1))
  if (kind === 'byte') return bytes.length === 0 ? bytes : bytes.with(at % bytes.length, byte)
  const all = new TextDecoder().decode(bytes).split(/(?<=\n)/)
  const i = at % all.length
  const j = to % all.length
  if (kind === 'values') return bytesOf(all.map((each) => each.replace(/\d+$/m, String(byte))).join(''))
  if (kind === 'delete') all.splice(i, 1)
  if (kind === 'insert') all.splice(i, 0, added)
  if (kind === 'repeat') all.splice(j, 0, all[i] ?? '')
  if (kind === 'swap') [all[i], all[j]] = [all[j] ?? '', all[i] ?? '']
  return bytesOf(all.join(''))
}

function parseInChunks(parser: Parser, bytes: Uint8Array, cuts: readonly number[]): Page {
  const stream = parser.begin()
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
  let from = 0
  for (const to of [...places, bytes.length]) {
    // Each piece is overwritten after use, like a reused buffer.
    const piece = bytes.slice(from, to)
    stream.push(piece)
    piece.fill(0x7b)
    from = to
  }
  return stream.end()
}

describe('parsing', () => {
  it('reads back what was printed', () => {
    fc.assert(
      fc.property(model, (families) => {
        const parsed = fresh(bytesOf(families.map(printFamily).join('')), 'text')
        expect(parsed.problem).toBeUndefined()
        expect([...parsed.families.values()]).toEqual(families.map(familyOf))
        expect(parsed.samples).toBe(families.reduce((sum, { samples }) => sum + samples.length, 0))
      }),
      { numRuns: 1000 },
    )
  })

  it('does not depend on how the page was cut into chunks', () => {
    fc.assert(
      fc.property(page, format, fc.array(fc.nat(), { maxLength: 12 }), (content, as, cuts) => {
        const bytes = bytesOf(content)
        const parser = createParser({ format: as })
        const expected = fresh(bytes, as)
        expect(parseInChunks(parser, bytes, cuts)).toEqual(expected)
        expect(parseInChunks(parser, bytes, cuts.toReversed())).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('does not depend on the pages before', () => {
    const keep = fc.option(fc.uniqueArray(name, { maxLength: 4 }), { nil: undefined })
    fc.assert(
      fc.property(page, fc.array(edit, { minLength: 1, maxLength: 8 }), format, keep, (first, edits, as, kept) => {
        const families = kept && new Set(kept)
        const parser = createParser({ format: as, ...(families && { keep: families }) })
        let bytes = bytesOf(first)
        parser.parse(bytes)
        for (const each of edits) {
          bytes = applyEdit(bytes, each)
          expect(parser.parse(bytes)).toEqual(fresh(bytes, as, families))
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('keeps of a page without a problem exactly the families asked for', () => {
    fc.assert(
      fc.property(lines, fc.uniqueArray(name, { maxLength: 4 }), (all, kept) => {
        const bytes = bytesOf(all.join(''))
        const whole = fresh(bytes, 'text')
        fc.pre(whole.problem === undefined)
        const keep = new Set<string>(kept)
        const some = fresh(bytes, 'text', keep)
        const expected = [...whole.families.values()].filter((family) => keep.has(family.name))
        expect([...some.families.values()]).toEqual(expected)
        expect(some.samples).toBe(expected.reduce((sum, family) => sum + family.series.length, 0))
      }),
      { numRuns: 2000 },
    )
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), page.map(bytesOf)), format, (bytes, as) => {
        const parsed = fresh(bytes, as)
        const { problem } = parsed
        if (problem !== undefined) {
          const all = new TextDecoder('latin1').decode(bytes).split('\n')
          expect(problem.line).toBeGreaterThanOrEqual(1)
          expect(problem.line).toBeLessThanOrEqual(all.length)
          expect(problem.column).toBeGreaterThanOrEqual(1)
          expect(problem.column).toBeLessThanOrEqual((all[problem.line - 1] ?? '').length + 1)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('keeps of a cut page all samples of its whole lines', () => {
    fc.assert(
      fc.property(model, fc.nat(), (families, cut) => {
        const bytes = bytesOf(families.map(printFamily).join(''))
        const part = bytes.slice(0, cut % (bytes.length + 1))
        const parsed = fresh(part, 'text')
        const wholeLines = part.subarray(0, part.lastIndexOf(0x0a) + 1)
        const { problem: _, ...kept } = parsed
        expect(kept).toEqual(fresh(wholeLines, 'text'))
        const rest = new TextDecoder().decode(part.subarray(wholeLines.length))
        expect(parsed.problem === undefined).toBe(rest.trim() === '')
      }),
      { numRuns: 1000 },
    )
  })
})
