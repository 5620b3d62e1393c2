import { describe, expect, it } from 'vitest'
import { metricsPages, readCapture, readFixture } from '../../test/fixtures/load.ts'
import { NEEDED_FAMILIES } from './catalogue.ts'
import type { Page, Series } from './page.ts'
import { createParser } from './parse.ts'

interface Sample extends Series {
  readonly value: number
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"/g

/** Reads a page in the simplest possible way, which is enough for the pages of API servers. */
function readPlainly(text: string): { types: Map<string, string>; samples: Sample[] } {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, , family = '', type = ''] = line.startsWith('# TYPE ') ? line.split(' ') : []
    if (family !== '') types.set(family, type)
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    samples.push({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(LABEL)].map(([, label = '', raw = '']) => [label, raw.replaceAll(/\\(.)/g, '$1')]),
      ),
      value: value === '+Inf' ? Infinity : Number(value),
    })
  }
  return { types, samples }
}

const samplesOf = (page: Page): Sample[] =>
  [...page.families.values()].flatMap((family) =>
    family.series.map(({ name, labels }, i) => ({ name, labels, value: family.values[i] ?? Number.NaN })),
  )

/** The whole page as one text: comparing 14,000 samples as objects would take seconds. */
const printed = (page: Page): string => JSON.stringify([page.problem ?? null, page.samples, [...page.families]])

const seriesOf = (page: Page): Series[] => [...page.families.values()].flatMap((family) => family.series)

describe.each(metricsPages)('%s', (path) => {
  const bytes = readFixture(path)
  const page = createParser().parse(bytes)

  it('is read as the plainest reader reads it', () => {
    const plain = readPlainly(bytes.toString('utf8'))
    expect(page.problem).toBeUndefined()
    expect(samplesOf(page)).toEqual(plain.samples)
    expect(page.samples).toBe(plain.samples.length)
    expect([...page.families.values()].map(({ name, type }) => [name, type])).toEqual([...plain.types])
  })

  it('reads the same in chunks', () => {
    const stream = createParser().begin()
    for (let at = 0; at < bytes.length; at += 16_384) stream.push(bytes.subarray(at, at + 16_384))
    expect(printed(stream.end())).toBe(printed(page))
  })

  it('keeps the needed families', () => {
    const some = createParser({ keep: NEEDED_FAMILIES }).parse(bytes)
    const families = [...page.families].filter(([name]) => NEEDED_FAMILIES.has(name))
    expect(families.length).toBeGreaterThan(10)
    const samples = families.reduce((sum, [, family]) => sum + family.series.length, 0)
    expect(printed(some)).toBe(printed({ families: new Map(families), samples }))
  })
})

describe('pages of one server, one after the other', () => {
  it.each(['captures/v1.36.3/elephants-and-mice.metrics.ndjson.gz', 'captures/v1.36.3/waves.metrics.ndjson.gz'])(
    'are read the same with memory as without: %s',
    (path) => {
      const parser = createParser()
      const scrapes = readCapture(path)
      expect(scrapes.length).toBeGreaterThan(20)
      for (const { body } of scrapes) {
        const bytes = Buffer.from(body)
        expect(printed(parser.parse(bytes))).toBe(printed(createParser().parse(bytes)))
      }
    },
  )

  it('keep their series objects', () => {
    const parser = createParser()
    const [first = [], second = []] = [1, 2].map((i) =>
      seriesOf(parser.parse(readFixture(`captures/v1.36.3/elephants-and-mice-${i}.metrics.txt.gz`))),
    )
    const keys = new Set(first.map((series) => JSON.stringify(series)))
    const objects = new Set(first)
    const common = second.filter((series) => keys.has(JSON.stringify(series)))
    expect(common.length).toBeGreaterThan(10_000)
    expect(common.every((series) => objects.has(series))).toBe(true)
  })

  it('reads the pages of different servers with one parser', () => {
    const parser = createParser()
    for (const path of metricsPages) {
      const bytes = readFixture(path)
      expect(printed(parser.parse(bytes))).toBe(printed(createParser().parse(bytes)))
    }
  })
})
