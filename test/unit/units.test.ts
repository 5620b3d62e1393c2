import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What belongs into core/units.ts, by its form. */
const FORMS = [
  /\bDate\.parse\b/,
  /\bnew Date\(['"`]/, // parses as well
  /\b(?:const|let) (?:NS|NANO\w*|US|MICRO\w*|MS|MILLI\w*)_PER_\w+ *=/i,
  /\b(?:const|let) \w*(?:_NS|NANOSECONDS?|[a-z]Ns) *= *[\d._]*[1-9][\d._]*(?:e\d+)?n?\b/,
  /[*/] *(?:1e-?[69]|1_?000_?000(?:_?000)?n?)\b/,
  /\b86_?400_?000n?\b/,
]

const conversionsIn = (text: string): string[] =>
  text.split('\n').filter((line) => FORMS.some((form) => form.test(line)))

test('units are converted and times are parsed in core/units.ts only', () => {
  const files = globSync('{core,main,renderer}/**/*.{ts,tsx,mjs}', { cwd: ROOT }).filter(
    (file) => !/\.(?:test|fixture)\.tsx?$|\.d\.ts$/.test(file),
  )
  expect(files.length).toBeGreaterThan(500)
  const found = files
    .filter((file) => file !== join('core', 'units.ts'))
    .flatMap((file) => conversionsIn(readFileSync(join(ROOT, file), 'utf8')).map((line) => `${file}: ${line.trim()}`))
  expect(found).toEqual([])
})

test('each form of a conversion is found, and other large numbers are not', () => {
  const conversions = [
    'const at = Date.parse(text)',
    'frames.map(Date.parse)',
    'const midnight = new Date(`${date}T00:00:00Z`)',
    'const NS_PER_MS = 1e6',
    'const MS_PER_SECOND = 1_000',
    'const NANOSECONDS_PER_SECOND = 1_000_000_000n',
    'const PERIOD_NS = 10e9',
    'export const WINDOW_NS = 300_000_000_000',
    'const ns = Math.round(ms * 1e6)',
    'return ns / 1_000_000',
    'const ms = ns * 1e-6',
    'const DAY = 86_400_000',
  ]
  expect(conversionsIn(conversions.join('\n'))).toEqual(conversions)
  const others = [
    'const MAX_CACHE_BYTES = 1_000_000',
    'const WATCHES_PER_SEAT = 10',
    'let fromNs = 0',
    'const PERIOD_NS = secondsToNs(10)',
    'const TOLERANCE = 1e-9',
    'new Date(at).toISOString()',
    'const seconds = ms / 1_000',
  ]
  expect(conversionsIn(others.join('\n'))).toEqual([])
})
