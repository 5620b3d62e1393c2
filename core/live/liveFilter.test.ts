import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../contract/live.ts'
import { compileFilter, parseFilter } from '../filter/filter.ts'
import { agrees, draftDiffers, LIVE_VOCABULARY } from './liveFilter.ts'

const row: LiveRequest = {
  seq: 1,
  at: 0,
  user: 'system:serviceaccount:inventory:scanner',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  verb: 'list',
  url: '/api/v1/namespaces/tenant-1/pods?limit=500',
  resource: 'pods',
  namespace: 'tenant-1',
  name: '',
  state: 'served',
  level: 'workload-low',
  schema: 'service-accounts',
  flow: 'system:serviceaccount:inventory:scanner',
  queue: 14,
  seats: { initial: 5, final: 0 },
  waitMs: 1_500,
  runMs: 200,
  status: 200,
  server: { level: 'workload-low', schema: 'service-accounts', initialSeats: 2 },
}
const passes = (text: string, change: Partial<LiveRequest> = {}): boolean =>
  compileFilter(parseFilter(text, LIVE_VOCABULARY), LIVE_VOCABULARY)({ ...row, ...change })

describe('the filter of single requests', () => {
  it.each([
    ['pl:workload-low verb:list user:system:* wait>1s', true],
    ['level:workload-low,exempt', true],
    ['fs:service-accounts', true],
    ['flow:inventory:scanner', true],
    ['group:system:authenticated', true],
    ['verb:lis', false],
    ['-ns:kube-system', true],
    ['path:limit', false],
    ['path:/api/v1/*/pods', true],
    ['status:200', true],
    ['status:20', false],
    ['status:4*', false],
    ['reason:queue-full', false],
    ['queue:14', true],
    ['queue:1', false],
    ['state:served', true],
    ['run>1s', false],
    ['seats>=2', true],
    ['seats>5', false],
    ['real<5', true],
    ['agree:no', true],
    ['agree:yes', false],
    ['differs:width', true],
    ['differs:"width 5, server 2"', true],
    ['draft:same', false],
    ['limit=500', true],
  ])('%s: %s', (text, expected) => expect(passes(text)).toBe(expected))

  it('finds no agreement where the server reported nothing', () => {
    const { server: _said, ...silent } = row
    expect(agrees(silent)).toBeUndefined()
    expect(agrees({ ...silent, server: { waitMs: 900 } })).toBeUndefined()
    expect(compileFilter(parseFilter('agree:no', LIVE_VOCABULARY), LIVE_VOCABULARY)(silent)).toBe(false)
  })

  it('finds what the draft decides differently', () => {
    expect(draftDiffers(row)).toBeUndefined()
    const same = { level: 'workload-low', schema: 'service-accounts', state: 'waiting' } as const
    expect(draftDiffers({ ...row, candidate: same })).toBe(false)
    expect(draftDiffers({ ...row, candidate: { ...same, state: 'rejected' } })).toBe(true)
    expect(passes('draft:different', { candidate: { ...same, level: 'batch' } })).toBe(true)
  })
})
