import { describe, expect, it } from 'vitest'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { CadenceSchema, type SourceSpec, type Target } from '../../core/contract/source.ts'
import { isRememberable, publicSpec } from './recent.ts'

const scrape = (target: Target, intervalMs = 1_000): SourceSpec => ({
  kind: 'scrape',
  target,
  cadence: CadenceSchema.parse({ intervalMs }),
})
const urls = (...list: string[]): Target => ({ kind: 'urls', urls: list })

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

describe('publicSpec', () => {
  it('tells of a Prometheus neither what was typed nor its headers', () => {
    const spec = PrometheusSpecSchema.parse({
      kind: 'prometheus',
      url: 'https://user:secret@prometheus/prefix',
      tenant: 'team-a',
      headers: [{ name: 'X-Key', value: 'secret' }],
      credentials: { token: 'secret', certificateAuthority: '/ca.pem' },
      cluster: 'prod',
    })
    expect(publicSpec(spec)).toMatchObject({
      url: 'https://prometheus/prefix',
      tenant: 'team-a',
      cluster: 'prod',
      credentials: { certificateAuthority: '/ca.pem' },
    })
    expect(JSON.stringify(publicSpec(spec))).not.toMatch(/secret|X-Key/)
    expect(
      [spec, { ...spec, url: 'https://prometheus' }, { ...spec, url: 'https://prometheus?key=x' }].map(isRememberable),
    ).toEqual([false, true, false])
  })

  it('tells of a Prometheus that the past is read from as little as of any', () => {
    const past = { url: 'https://user:secret@prometheus', pastMs: 1, headers: [{ name: 'X-Key', value: 'secret' }] }
    const spec: SourceSpec = {
      kind: 'scrape',
      target: urls('https://a/metrics'),
      cadence: CadenceSchema.parse({}),
      past: { ...past, credentials: { token: 'secret' } },
    }
    expect(publicSpec(spec)).toMatchObject({ past: { url: 'https://prometheus/', pastMs: 1 } })
    expect(JSON.stringify(publicSpec(spec))).not.toMatch(/secret|X-Key/)
    expect(isRememberable(spec)).toBe(false)
  })

  it('tells no text of files and no credentials', () => {
    expect(publicSpec({ kind: 'files', files: [{ name: 'a', text: 'long' }] })).toEqual({
      kind: 'files',
      files: [{ name: 'a', text: '' }],
    })
    expect(JSON.stringify(publicSpec(scrape(urls('https://user:secret@a/metrics'))))).not.toContain('secret')
    const credentials = { token: 'secret', username: 'jo', password: 'secret', certificateAuthority: '/ca.pem' }
    expect(publicSpec(scrape({ kind: 'urls', urls: ['https://a/metrics'], credentials }))).toMatchObject({
      target: { credentials: { username: 'jo', certificateAuthority: '/ca.pem' } },
    })
    expect(
      JSON.stringify(publicSpec(scrape({ kind: 'urls', urls: ['https://a/metrics'], credentials }))),
    ).not.toContain('secret')
    expect(
      JSON.stringify(publicSpec(scrape({ kind: 'kubeconfig', servers: ['https://user:secret@a'] }))),
    ).not.toContain('secret')
  })
})
