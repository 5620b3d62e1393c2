import { describe, expect, it } from 'vitest'
import type { Capability, CapabilityResult, PermissionReport } from '../../../core/contract/source.ts'
import { canConnect, capabilityRows, consequences, countOf, distinct } from './permissions.data.ts'

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
