import { describe, expect, it } from 'vitest'
import { syntheticStory } from '../../../test/fixtures/synthetic.ts'
import type { ServerHealth, Capability, CapabilityResult, PermissionReport } from '../../../core/contract/source.ts'
import {
  backoffOf,
  healthFacts,
  imbalance,
  sourceFacts,
  canConnect,
  capabilityRows,
  consequences,
  countOf,
  distinct,
} from './reports.data.ts'

const health: ServerHealth = { id: 'apiserver-a:6443', status: 'ok', failures: [] }
const fact = (more: Partial<ServerHealth>, label: string) =>
  healthFacts({ ...health, ...more }, undefined).find((entry) => entry.label === label)

describe('health of a source', () => {
  it('names the page and its compressed size only when they differ', () => {
    expect(fact({ bytes: 1_800_000, wireBytes: 86_000 }, 'One /metrics page')?.value).toBe('1.8 MB, 86 kB compressed')
    expect(fact({ bytes: 1_800_000, wireBytes: 1_800_000 }, 'One /metrics page')?.value).toBe('1.8 MB')
    expect(fact({}, 'One /metrics page')?.value).toBe('–')
  })

  it('warns of clocks that differ', () => {
    expect(fact({ clockOffsetMs: 12 }, 'Server clock')).toEqual({ label: 'Server clock', value: 'within 1 s' })
    expect(fact({ clockOffsetMs: -5_000 }, 'Server clock')).toMatchObject({ value: '5.0 s behind', tone: 'warn' })
  })

  it('says why dumps are not read', () => {
    const label = 'One reading of the dumps'
    expect(fact({ dumps: { status: 'ok', costMs: 3.4, bytes: 64_000 } }, label)?.value).toBe('3.4 ms, 64 kB')
    expect(fact({ dumps: { status: 'forbidden' } }, label)).toMatchObject({ value: 'forbidden', tone: 'bad' })
  })

  it('compares servers when there are several', () => {
    const [one] = syntheticStory({ seconds: 1, servers: 1 })
    const three = [...syntheticStory({ seconds: 60, servers: 3 })].at(-1)
    expect(imbalance(one?.frame)).toBeUndefined()
    expect(imbalance(three?.frame)).toBeGreaterThan(1)
    expect(sourceFacts(one?.frame)).toEqual([])
    expect(sourceFacts(three?.frame)).toHaveLength(1)
  })
})

it('draws the waits between failed tries and until the next', () => {
  const at = (second: number): string => new Date(second * 1_000).toISOString()
  const failures = [0, 1, 3, 7].map((second) => ({
    at: at(second),
    problem: { code: 'unreachable' as const, message: 'refused' },
  }))
  expect(backoffOf({ ...health, failures, nextTryAt: at(15) }, 10_000)).toEqual({
    waits: [1, 2, 4, 8],
    nextInSeconds: 5,
  })
  expect(backoffOf({ ...health, failures }, 10_000)).toEqual({ waits: [1, 2, 4], nextInSeconds: undefined })
})

const result = (capability: Capability, status: CapabilityResult['status'], found = status): CapabilityResult => ({
  capability,
  label: capability,
  needs: `GET ${capability}`,
  status,
  found,
})
const report = (server: string, results: CapabilityResult[]): PermissionReport => ({
  server,
  checkedAt: '2026-01-01T00:00:00Z',
  results,
})

const reports = [
  report('a', [result('metrics', 'allowed'), result('dump-queues', 'allowed'), result('write', 'not-applicable')]),
  report('b', [result('metrics', 'allowed'), result('dump-queues', 'forbidden'), result('write', 'not-applicable')]),
]

describe('permissions of several servers', () => {
  it('show the worst finding, with the server it is from', () => {
    const rows = capabilityRows(reports)
    expect(rows.map(({ capability, status }) => [capability, status])).toEqual([
      ['metrics', 'allowed'],
      ['dump-queues', 'forbidden'],
      ['write', 'not-applicable'],
    ])
    expect(rows[1]?.found).toBe('forbidden (b)')
  })

  it('count what applies', () => {
    expect(countOf(capabilityRows(reports))).toEqual({ allowed: 1, of: 2 })
  })

  it('say what stays and what goes', () => {
    const fates = consequences(capabilityRows(reports))
    expect(fates.find(({ what }) => what.startsWith('Seats'))?.stays).toBe(true)
    expect(fates.find(({ what }) => what.startsWith('Queues'))?.stays).toBe(false)
  })

  it('allow connecting when metrics can be read anywhere', () => {
    expect(canConnect(reports)).toBe(true)
    expect(canConnect([report('a', [result('metrics', 'forbidden')])])).toBe(false)
  })

  it('show what servers agree on once', () => {
    expect(distinct(['x', undefined, 'x', 'y'])).toEqual(['x', 'y'])
  })
})
