import { expect, it } from 'vitest'
import { shaped } from '../run/run.fixture.ts'
import { whatIf } from './whatif.ts'
import { arrivalsOf, variantOf } from './whatif.fixture.ts'

const given = arrivalsOf(
  Array.from({ length: 400 }, (_, index) => ({
    user: `user-${index % 5}`,
    atMs: index * 25,
    lastsMs: 300,
  })),
  20_000,
)
const objects = shaped(4, 3, 2)
const baseline = variantOf('one', { objects })
const candidates = [
  variantOf('two', { objects, servers: 2 }),
  variantOf('filter', { objects, algorithm: 'max-in-flight' }),
]

it('shows the limits, seats and rejections of a level each second, all servers together', () => {
  const result = whatIf(given, baseline, candidates, () => true, { charted: true })
  const [one, two, filter] = [result?.baseline, ...(result?.candidates ?? []).map((each) => each.result)]
  const level = (of: typeof one) => of?.series?.levels.find(({ name }) => name === 'global-default')?.columns
  expect(one?.series?.times).toHaveLength(21)
  expect(level(one)?.nominal.at(-1)).toBeGreaterThan(0)
  expect(level(two)?.nominal.at(-1)).toBe(2 * (level(one)?.nominal.at(-1) ?? 0))
  const rejected = level(one)?.queueFullRate.reduce<number>((sum, rate) => sum + (rate ?? 0), 0)
  expect(rejected).toBeCloseTo(one?.total.rejected['queue-full'] ?? 0, 3)
  expect(rejected).toBeGreaterThan(0)
  expect(filter?.series).toBeUndefined()
})

it('changes nothing of what is counted', () => {
  const plain = whatIf(given, baseline, candidates)
  const charted = whatIf(given, baseline, candidates, () => true, { charted: true })
  expect(charted?.candidates.map(({ decisions }) => decisions)).toEqual(
    plain?.candidates.map(({ decisions }) => decisions),
  )
  expect(plain?.baseline.series).toBeUndefined()
  expect(charted?.baseline.total).toEqual(plain?.baseline.total)
})
