import { describe, expect, it } from 'vitest'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { CadenceSchema, type RecentSource, type SourceSpec, type Target } from '../../core/contract/source.ts'
import { isRememberable, publicSpec, remember } from './recent.ts'

const scrape = (target: Target, intervalMs = 1_000): SourceSpec => ({
  kind: 'scrape',
  target,
  cadence: CadenceSchema.parse({ intervalMs }),
})
const urls = (...list: string[]): Target => ({ kind: 'urls', urls: list })
const recent = (at: string, spec: SourceSpec): RecentSource => ({ at, name: at, spec })

describe('isRememberable', () => {
  it.each<[boolean, SourceSpec]>([
    [true, scrape({ kind: 'kubeconfig' })],
    [true, scrape(urls('https://a/metrics'))],
    [false, scrape(urls('https://a/metrics', 'https://user:secret@b/metrics'))],
    [false, scrape(urls('https://a/metrics?token=secret'))],
    [false, scrape({ kind: 'kubeconfig', servers: ['https://secret@a'] })],
    [true, SimulationSpecSchema.parse({ kind: 'simulation', seed: 7 })],
    [false, { kind: 'demo' }],
    [false, { kind: 'files', files: [{ name: 'a', text: 'b' }] }],
  ])('is %s for %j', (expected, spec) => {
    expect(isRememberable(spec)).toBe(expected)
  })
})

describe('remember', () => {
  it('moves a target to the front, whatever its interval was', () => {
    const [a, b] = [scrape(urls('https://a/metrics')), scrape(urls('https://b/metrics'))]
    const again = recent('3', scrape(urls('https://a/metrics'), 5_000))
    expect(remember([recent('2', b), recent('1', a)], again)).toEqual([again, recent('2', b)])
  })
  it('keeps ten', () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      recent(String(index), scrape(urls(`https://a${index}/metrics`))),
    )
    const kept = many.reduce<RecentSource[]>((known, added) => remember(known, added), [])
    expect(kept.map(({ at }) => at)).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2'])
  })
})

describe('publicSpec', () => {
  it('tells no text of files and no credentials', () => {
    expect(publicSpec({ kind: 'files', files: [{ name: 'a', text: 'long' }] })).toEqual({
      kind: 'files',
      files: [{ name: 'a', text: '' }],
    })
    expect(JSON.stringify(publicSpec(scrape(urls('https://user:secret@a/metrics'))))).not.toContain('secret')
    expect(
      JSON.stringify(publicSpec(scrape({ kind: 'kubeconfig', servers: ['https://user:secret@a'] }))),
    ).not.toContain('secret')
  })
})
