import { describe, expect, it } from 'vitest'
import { connectedTo, scrapeSpec } from '../../test/fixtures/sources.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'
import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import {
  announcementOf,
  badgeOf,
  rosterRows,
  samplelessBadge,
  sums,
  statusFacts,
  untilReallocation,
} from './shell.data.ts'

const moments = [...syntheticStory({ seconds: 200 })]
function at(second: number): { server: ServerFrame; derived: DerivedServer } {
  const [server] = moments[second]?.frame.servers ?? []
  const [derived] = moments[second]?.derived ?? []
  if (server === undefined || derived === undefined) throw new Error('The story is shorter than the test thinks.')
  return { server, derived }
}
const byName = (a: string, b: string): number => (a < b ? -1 : 1)

describe('the badge', () => {
  const { server } = at(100)
  const view = { server, ageMs: 800, buffered: 0 }

  it('differs by mode in word and detail', () => {
    expect(badgeOf({ ...view, mode: 'live' }, true)).toEqual({ tone: 'live', word: 'LIVE', detail: '0.8 s behind' })
    expect(badgeOf({ ...view, mode: 'live', enforces: true }, true)).toEqual({
      tone: 'enforcing',
      word: 'ENFORCING',
      detail: '0.8 s behind',
    })
    expect(badgeOf({ ...view, mode: 'paused', buffered: 1_204 }, true)).toEqual({
      tone: 'paused',
      word: 'PAUSED 03:01:40',
      detail: '+1\u202f204 samples buffered',
    })
    expect(badgeOf({ ...view, mode: 'paused', buffered: 1 }, true).detail).toBe('+1 sample buffered')
    expect(badgeOf({ ...view, mode: 'stale', ageMs: 7_900 }, true).word).toBe('STALE 7 s')
    expect(badgeOf({ ...view, mode: 'none', server: undefined }, true)).toEqual({ tone: 'none', word: 'NO SOURCE' })
  })

  it('names the algorithm where there is a name', () => {
    const live = { ...view, mode: 'live' } as const
    expect(badgeOf({ ...live, algorithm: 'CoDel' }, true).detail).toBe('CoDel, 0.8 s behind')
  })

  it('does not go on connecting after a failure', () => {
    const connecting = { mode: 'connecting', server: undefined, ageMs: 0, buffered: 0 } as const
    expect(badgeOf(connecting, true, undefined, [{ status: 'connecting' }]).word).toBe('CONNECTING')
    expect(badgeOf(connecting, true, undefined, [{ status: 'failing' }, { status: 'connecting' }]).word).toBe(
      'CONNECTING',
    )
    expect(badgeOf(connecting, true, undefined, [{ status: 'failing' }])).toMatchObject({
      tone: 'offline',
      word: 'NO RESPONSE',
    })
    expect(announcementOf('connecting', true, [{ status: 'failing' }])).toMatch(/^No response/)
  })

  it('does not say that there was none yet of what answered before', () => {
    const connecting = { mode: 'connecting', server: undefined, ageMs: 0, buffered: 0 } as const
    const lost = [{ status: 'failing', lastGoodAt: '2026-11-26T00:07:28.000Z' }] as const
    expect(badgeOf(connecting, true, undefined, lost).detail).toBe('lost; retrying')
    expect(announcementOf('connecting', true, lost)).toBe('No response; retrying.')
  })

  it('does not wait for samples of a source that reads all clusters', () => {
    const connection = connectedTo(PrometheusSpecSchema.parse({ kind: 'prometheus', url: 'http://p', fleet: true }))
    expect(samplelessBadge(connection, true, 'connecting')?.word).toBe('ALL CLUSTERS')
    const failing = { ...connection, servers: [{ id: 'p', status: 'failing' as const, failures: [] }] }
    expect(samplelessBadge(failing, true, 'connecting')).toBeUndefined()
    expect(samplelessBadge(connectedTo(scrapeSpec('prod')), true, 'connecting')).toBeUndefined()
  })

  it.each(['forbidden', 'unauthorized', 'credentials'] as const)('does not call %s no response', (code) => {
    const refused = { status: 'failing' as const, failures: [{ at: '', problem: { code, message: '' } }] }
    const connecting = { mode: 'connecting', server: undefined, ageMs: 0, buffered: 0 } as const
    expect(badgeOf(connecting, true, undefined, [refused])).toMatchObject({ tone: 'offline', word: 'NO ACCESS' })
    expect(badgeOf(connecting, true, undefined, [refused, { status: 'failing' }]).word).toBe('NO RESPONSE')
    expect(announcementOf('connecting', true, [refused])).toBe('No access yet; retrying.')
  })

  it('says how fast a simulation goes, whether it stands, and what the machine cannot follow', () => {
    const frame = { source: { kind: 'simulation', name: 'Simulated cluster', via: 'engine' } } as const
    const simulated = (change: Partial<SimulationState>) =>
      badgeOf({ ...view, mode: 'live', frame }, true, {
        speed: 1,
        paused: false,
        reachedSpeed: 1,
        at: '',
        elapsedSeconds: 0,
        ended: false,
        retryAfterSeconds: {},
        ...change,
      })
    expect(simulated({})).toEqual({ tone: 'simulated', word: 'SIMULATED ×1', detail: 'not your cluster' })
    expect(simulated({ paused: true }).word).toBe('SIMULATED, STOPPED')
    expect(simulated({ speed: 1_000, reachedSpeed: 612.3 }).detail).toBe('reaches ×612')
    expect(simulated({ speed: 0.1, reachedSpeed: 0.07 }).detail).toBe('not your cluster')
    expect(simulated({ ended: true }).detail).toBe('ended')
    const drr = { ...view, mode: 'live', algorithm: 'drr' } as const
    expect(badgeOf({ ...drr, frame }, true).detail).toBe('drr')
    expect(badgeOf(drr, true).detail).toBe('drr, 0.8 s behind')
    // The view's own pause is a separate state.
    expect(badgeOf({ ...view, mode: 'paused', frame }, true).tone).toBe('paused')
  })

  it('says at which instant of which run the screens stand', () => {
    const run = { name: 'half', ms: 12_345.4 }
    expect(badgeOf({ ...view, mode: 'past', run }, true)).toEqual({
      tone: 'simulated',
      word: 'SIMULATED, STOPPED at 12.345 s',
      detail: 'half',
    })
    expect(badgeOf({ ...view, mode: 'past', run }, false).word).toBe('NO LINK')
  })

  it('counts no age of a recording, which is over', () => {
    const past = { ...view, mode: 'past', instant: Date.UTC(2026, 10, 20, 3, 7, 20), ageMs: 3_360_000 } as const
    const frame = { source: { kind: 'recording', name: 'prod', via: 'recording' } } as const
    expect(badgeOf({ ...past, frame }, true)).toMatchObject({ word: 'PAST 03:07:20', detail: 'recording' })
    expect(badgeOf(past, true).detail).toBe('56 min ago')
  })

  it('says first of all that the console itself is away', () => {
    const demo = { source: { kind: 'demo', name: 'Demo', via: 'recording' } } as const
    expect(badgeOf({ ...view, mode: 'live', frame: demo }, true).word).toBe('REPLAY')
    expect(badgeOf({ ...view, mode: 'live' }, false).word).toBe('NO LINK')
  })
})

describe('the roster', () => {
  it('shows trouble, and no limit for exempt', () => {
    const { server, derived } = at(160)
    const rows = rosterRows(server, derived, byName)
    const row = (name: string) => rows.find((entry) => entry.name === name)
    expect(row('workload-low')).toMatchObject({ trouble: 'rejecting', share: 1 })
    expect(row('exempt')).toMatchObject({ limit: undefined, share: 0, trouble: undefined })
    expect(rosterRows(at(50).server, at(50).derived, byName).every(({ trouble }) => trouble === undefined)).toBe(true)
  })

  it('accounts for every seat: what is lent is borrowed', () => {
    const total = sums(at(160).server)
    expect(total?.seats).toBe(602)
    expect(total?.lent).toBeGreaterThan(0)
    expect(Math.abs((total?.lent ?? 0) - (total?.borrowed ?? 0))).toBeLessThanOrEqual(3)
  })

  it('lends nothing while seats are withheld', () => {
    expect(sums({ ...at(160).server, seatFairFrac: 0 })).toMatchObject({ lent: 0, borrowed: 0 })
  })

  it('knows nothing without limits', () => {
    const { server } = at(10)
    const levels = server.levels.map((level) => ({ ...level, limits: {} }))
    expect(sums({ ...server, levels })).toBeUndefined()
    expect(sums(undefined)).toBeUndefined()
  })
})

describe('the status bar', () => {
  it('counts to the next reallocation from the last one that was seen', () => {
    const { derived } = at(100)
    expect(untilReallocation({ ...derived, lastAdjustmentAt: 1_000 }, 4_000)).toBe(7_000)
    expect(untilReallocation({ ...derived, lastAdjustmentAt: 1_000 }, 34_000)).toBe(7_000)
    expect(untilReallocation({ ...derived, lastAdjustmentAt: undefined }, 4_000)).toBeUndefined()
  })

  it('says what is read and how often', () => {
    const { server, derived } = at(1)
    const connected: Connected = {
      id: 1,
      source: { kind: 'scrape', name: 'prod', via: '/metrics direct' },
      spec: { kind: 'demo' },
      cadence: { intervalMs: 500, dumpsEveryMs: 5_000 },
      servers: [{ id: server.id, status: 'ok', failures: [], dumps: { status: 'forbidden' } }],
      still: false,
    }
    const shown = { server, derivedServer: derived, health: connected.servers }
    expect(statusFacts(connected, { ...shown, mode: 'live' })).toEqual({
      good: true,
      cadence: 'scrape 500 ms',
      families: '31 families',
      version: 'v1.36.3',
      dumps: 'forbidden',
    })
    // No attempt has failed yet, but no sample arrives either.
    expect(statusFacts(connected, { ...shown, mode: 'stale' })?.good).toBe(false)
    expect(statusFacts(undefined, { ...shown, mode: 'none' })).toBeUndefined()
    // For the past, the recorded health, and nothing about how the source is read now.
    const health: ServerHealth[] = [{ id: server.id, status: 'failing', failures: [], dumps: { status: 'ok' } }]
    const then = { ...derived, intervalSeconds: 30 }
    const past = statusFacts(connected, { server, derivedServer: then, health, mode: 'past' })
    expect(past).toEqual({
      good: false,
      cadence: 'recorded every 30 s',
      families: '31 families',
      version: 'v1.36.3',
    })
    expect(statusFacts(connected, { ...shown, derivedServer: undefined, mode: 'past' })?.cadence).toBe('recorded')
  })
})
