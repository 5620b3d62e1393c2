import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { metricsPages, readFixture } from '../../test/fixtures/load.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { configuredLimits } from '../engine/allocation.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { createParser } from '../metrics/parse.ts'
import { possibleServerLimits, serverLimitOf } from './serverLimit.ts'
import { nominalLimitsOf, reportedServerLimit } from './reportedLimit.ts'

const frameOf = (path: string): ServerFrame =>
  createFrameBuilder({ id: 'x' })(createParser().parse(readFixture(path)), { at: '2026-01-01T00:00:00Z' })

describe.each(metricsPages)('%s', (path) => {
  const expected = path === 'captures/v1.36.3/idle/metrics.txt.gz' ? 600 : 30
  const frame = frameOf(path)

  it('tells the seats of its server', () => {
    expect(reportedServerLimit(frame)).toBe(expected)
  })

  it('has nominal limits that follow from the built-in objects and these seats', () => {
    const range = possibleServerLimits(builtInObjects(frame.version ?? ''), nominalLimitsOf(frame))
    expect(range?.least).toBeLessThanOrEqual(expected)
    expect(range?.most).toBeGreaterThanOrEqual(expected)
  })
})

const level = (name: string, nominalConcurrencyShares: number) => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' } } },
})

describe('possibleServerLimits', () => {
  const shares = fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 6 })

  it('is exactly the limits that give these nominal limits', () => {
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 5_000 }), (list, serverLimit) => {
        const levels = [...list.map((one, index) => level(`l-${index}`, one)), level('catch-all', 5)]
        const plans = levels.map(({ metadata, spec }) => ({
          name: metadata.name,
          exempt: false,
          shares: spec.limited.nominalConcurrencyShares,
          lendablePercent: undefined,
          borrowingLimitPercent: undefined,
        }))
        const nominals = (seats: number): string =>
          configuredLimits(seats, plans)
            .map(({ nominal }) => nominal)
            .join(' ')
        const known = new Map(
          configuredLimits(serverLimit, plans).map(({ nominal }, index) => [plans[index]?.name ?? '', nominal]),
        )
        const range = possibleServerLimits({ levels, schemas: [] }, known)
        if (range === undefined) throw new Error('the true limit is not among the possible ones')
        expect(range.least).toBeLessThanOrEqual(serverLimit)
        expect(range.most).toBeGreaterThanOrEqual(serverLimit)
        expect([nominals(range.least), nominals(range.most)]).toEqual([nominals(serverLimit), nominals(serverLimit)])
        expect(nominals(range.least - 1)).not.toBe(nominals(serverLimit))
        expect(nominals(range.most + 1)).not.toBe(nominals(serverLimit))
      }),
    )
  })

  it('is none for objects that are not those of the server, or when no level is known', () => {
    const objects = { levels: [level('a', 10), level('b', 10)], schemas: [] }
    expect(
      possibleServerLimits(
        objects,
        new Map([
          ['a', 100],
          ['b', 200],
        ]),
      ),
    ).toBeUndefined()
    expect(possibleServerLimits(objects, new Map([['c', 100]]))).toBeUndefined()
    expect(possibleServerLimits({ levels: [level('a', 0)], schemas: [] }, new Map([['a', 0]]))).toBeUndefined()
  })
})

describe('the limit that seats are estimated by', () => {
  const objects = builtInObjects('v1.36.3')
  const server = serverFrame(0, [levelFrame('exempt', [], { limits: { nominal: 0, upper: 33 } })])

  it('is the one that a page reports although its objects are not known', () => {
    expect(serverLimitOf({ objects, server })).toEqual({ seats: 33, from: 'reported' })
    expect(serverLimitOf({ server })).toEqual({ seats: 33, from: 'reported' })
  })

  it('stays the reported one while a changed object has not reached the nominal limits yet', () => {
    const levels = [
      levelFrame('exempt', [], { limits: { nominal: 0, upper: 600 } }),
      levelFrame('low', [], { limits: { nominal: 245 } }),
    ]
    const changed = { levels: [level('low', 30), level('other', 145)], schemas: [] }
    expect(serverLimitOf({ objects: changed, server: serverFrame(0, levels) })).toEqual({
      seats: 600,
      from: 'reported',
    })
  })

  it('is the default where nothing is connected, unless the reader says otherwise', () => {
    expect(serverLimitOf({ objects })).toEqual({ seats: 600, from: 'assumed' })
    expect(serverLimitOf({ objects, server, own: 50 })).toEqual({ seats: 50, from: 'own' })
  })
})
