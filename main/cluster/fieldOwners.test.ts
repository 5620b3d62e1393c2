import { describe, expect, it } from 'vitest'
import { ownersOfLeftovers } from './fieldOwners.ts'

const managed = (manager: string, fieldsV1: object, subresource?: string) => ({
  manager,
  fieldsV1,
  ...(subresource !== undefined && { subresource }),
})
const present = {
  metadata: {
    labels: { of: 'kubectl' },
    managedFields: [
      managed('kubectl', {
        'f:metadata': { 'f:labels': { '.': {}, 'f:of': {} } },
        'f:spec': { 'f:limited': { 'f:borrowingLimitPercent': {} } },
      }),
      managed('other', {
        'f:spec': { 'f:limited': { 'f:lendablePercent': {}, 'f:limitResponse': { 'f:queuing': { 'f:queues': {} } } } },
      }),
      managed('apf-console', { 'f:spec': { 'f:limited': { 'f:borrowingLimitPercent': {} } } }),
      managed('status-writer', { 'f:spec': { 'f:limited': { 'f:borrowingLimitPercent': {} } } }, 'status'),
    ],
  },
  spec: {
    limited: {
      nominalConcurrencyShares: 5,
      lendablePercent: 40,
      borrowingLimitPercent: 10,
      limitResponse: { type: 'Queue', queuing: { queues: 4 } },
    },
  },
}
const owners = (wish: object, wanted: object): string[] =>
  ownersOfLeftovers({ present, wanted: { ...wanted }, wish: { ...wish } }, 'apf-console').map(
    ({ manager, field }) => `${manager} ${field}`,
  )

describe('owners of what a wish leaves over', () => {
  it('are named where a field is to go or to fall back to its default', () => {
    const wish = { metadata: {}, spec: { limited: { nominalConcurrencyShares: 9, limitResponse: { type: 'Reject' } } } }
    const wanted = { metadata: {}, spec: { limited: { ...wish.spec.limited, lendablePercent: 0 } } }
    expect(owners(wish, wanted).toSorted()).toEqual([
      'kubectl metadata.labels',
      'kubectl spec.limited.borrowingLimitPercent',
      'other spec.limited.lendablePercent',
      'other spec.limited.limitResponse.queuing',
    ])
  })

  it('are none where the wish names the field or nothing changes', () => {
    const spec = { limited: { ...present.spec.limited, lendablePercent: 1 } }
    expect(owners({ metadata: present.metadata, spec }, { metadata: present.metadata, spec })).toEqual([])
    // Absent in the wish, and the default equals the present value.
    const { lendablePercent: _same, ...rest } = present.spec.limited
    expect(owners({ metadata: present.metadata, spec: { limited: rest } }, present)).toEqual([])
  })
})
