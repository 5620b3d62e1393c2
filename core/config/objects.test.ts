import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validFlowSchemaArbitrary, validLevelArbitrary } from '../../test/fixtures/configObjects.ts'
import { defaultFlowSchema, defaultLevel } from './objects.ts'

describe('defaulting', () => {
  it('is idempotent, and leaves its argument as it was', () => {
    fc.assert(
      fc.property(validLevelArbitrary, validFlowSchemaArbitrary, (level, schema) => {
        const before = structuredClone({ level, schema })
        const [once, onceSchema] = [defaultLevel(level), defaultFlowSchema(schema)]
        expect(defaultLevel(once)).toEqual(once)
        expect(defaultFlowSchema(onceSchema)).toEqual(onceSchema)
        expect({ level, schema }).toEqual(before)
      }),
    )
  })

  it('leaves nothing for the server to fill in', () => {
    fc.assert(
      fc.property(validLevelArbitrary, (level) => {
        const { limited } = defaultLevel(level).spec
        expect(limited).toMatchObject({
          nominalConcurrencyShares: expect.any(Number),
          lendablePercent: expect.any(Number),
        })
        for (const number of Object.values(limited?.limitResponse.queuing ?? {})) expect(number).toBeGreaterThan(0)
        expect(limited?.borrowingLimitPercent).toBe(level.spec.limited?.borrowingLimitPercent)
      }),
    )
  })

  it('never makes exempt, limited or queuing', () => {
    for (const spec of [{ type: 'Exempt' }, { type: 'Limited' }, { type: '' }])
      expect(defaultLevel({ metadata: { name: 'a' }, spec }).spec).toEqual(spec)
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } }
    expect(defaultLevel({ metadata: { name: 'a' }, spec }).spec).toEqual({
      type: 'Limited',
      limited: { nominalConcurrencyShares: 30, lendablePercent: 0, limitResponse: { type: 'Queue' } },
    })
  })

  it('keeps an explicit 0 of shares and fills in one of queues', () => {
    const limited = {
      nominalConcurrencyShares: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 0, handSize: 0, queueLengthLimit: 0 } },
    }
    expect(defaultLevel({ metadata: { name: 'a' }, spec: { type: 'Limited', limited } }).spec.limited).toEqual({
      nominalConcurrencyShares: 0,
      lendablePercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
    })
  })
})
