import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../contract/live.ts'
import { AgreementMeter } from './agreement.ts'

const request = (server: LiveRequest['server']): LiveRequest => ({
  seq: 0,
  at: 0,
  user: 'alice',
  groups: [],
  verb: 'list',
  url: '/api/v1/pods',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'served',
  level: 'global-default',
  schema: 'global-default',
  flow: 'alice',
  seats: { initial: 5, final: 0 },
  ...(server === undefined ? {} : { server }),
})
const same = { level: 'global-default', schema: 'global-default' }

describe('agreement', () => {
  it('counts only what the server reported', () => {
    const meter = new AgreementMeter()
    meter.note(request(undefined), 0)
    meter.note(request({ initialSeats: 5 }), 0)
    meter.note(request(same), 0)
    meter.note(request({ ...same, initialSeats: 5, finalSeats: 0 }), 0)
    expect(meter.read(0)).toEqual({ compared: 2, schemaAndLevel: 2, widthCompared: 1, width: 1, differences: [] })
  })

  it('lists the differences, most frequent first', () => {
    const meter = new AgreementMeter()
    for (let i = 0; i < 3; i++) meter.note(request({ ...same, initialSeats: 2 }), 0)
    meter.note(request({ ...same, schema: 'service-accounts' }), 0)
    const { differences, ...counts } = meter.read(0)
    expect(counts).toEqual({ compared: 4, schemaAndLevel: 3, widthCompared: 3, width: 0 })
    expect(differences.map(({ what, count }) => [what, count])).toEqual([
      ['width 5, server 2', 3],
      ['schema global-default, server service-accounts', 1],
    ])
    expect(differences.every(({ likely }) => likely !== '')).toBe(true)
  })

  it('recognizes that a freshly started server puts everything into catch-all', () => {
    const meter = new AgreementMeter()
    meter.note(request({ level: 'catch-all', schema: 'catch-all' }), 0)
    expect(meter.read(0).differences[0]?.likely).toMatch(/just started/)
  })

  it('reports a request that the server placed and the engine did not', () => {
    const meter = new AgreementMeter()
    meter.note({ ...request(same), state: 'bypassed', level: '', schema: '' }, 0)
    expect(meter.read(0).differences).toMatchObject([{ what: 'schema none, server global-default', count: 1 }])
  })

  it('covers the last five minutes', () => {
    const meter = new AgreementMeter()
    meter.note(request({ ...same, initialSeats: 2 }), 0)
    meter.note(request(same), 200_000)
    expect(meter.read(299_000).compared).toBe(2)
    expect(meter.read(306_000)).toMatchObject({ compared: 1, differences: [] })
    expect(meter.read(1_000_000).compared).toBe(0)
  })
})
