import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { builtInObjects } from '../config/builtInByVersion.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { withoutDeleted } from './deletedLevels.ts'
import { nominalSurplus } from './serverLimit.ts'

const OBJECTS: ObjectSet = builtInObjects('v1.36.3')
const extra = (shares: number): PriorityLevelConfiguration => ({
  metadata: { name: 'batch' },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 4, queueLengthLimit: 10 } },
    },
  },
})
const withBatch = (shares: number): ObjectSet => ({ ...OBJECTS, levels: [...OBJECTS.levels, extra(shares)] })

/** What a server with these objects reports. */
function pageOf(objects: ObjectSet, serverLimit = 120): ServerFrame {
  const { levels } = classifyingConfiguration(objects, serverLimit)
  return serverFrame(
    0,
    [...levels].map(([name, { limits }]) =>
      levelFrame(name, [], {
        limits: { nominal: limits.nominal, lower: limits.min, upper: limits.max, current: limits.nominal },
        seats: { executing: 0, queued: 0 },
        requests: { executing: 0, queued: 0 },
      }),
    ),
  )
}
const levelOf = (frame: ServerFrame, name: string) => frame.levels.filter((level) => level.name === name)
const names = (frame: ServerFrame) => frame.levels.map(({ name }) => name)

/** The page of a server whose level `batch` was deleted and removed: its last series stay. */
function pageAfterDeletion(shares: number): ServerFrame {
  const now = pageOf(OBJECTS)
  return { ...now, levels: [...now.levels, ...levelOf(pageOf(withBatch(shares)), 'batch')] }
}

describe('a level whose object was deleted', () => {
  it('is counted nowhere, once the server has given its seats to the others', () => {
    const page = pageAfterDeletion(50)
    expect(nominalSurplus(page)).toBeGreaterThan(0)
    const shown = withoutDeleted(page, OBJECTS)
    expect(names(shown)).toEqual(names(pageOf(OBJECTS)))
    expect(shown.deleted).toEqual(['batch'])
    expect(nominalSurplus(shown)).toBe(0)
  })

  it('counts while it drains: its requests still run, and its shares still count', () => {
    const page = pageAfterDeletion(50)
    const busy = (seats: number): ServerFrame => ({
      ...page,
      levels: page.levels.map((level) =>
        level.name === 'batch' ? { ...level, seats: { executing: seats, queued: 0 } } : level,
      ),
    })
    expect(withoutDeleted(busy(3), OBJECTS).deleted).toBeUndefined()
    expect(withoutDeleted(busy(0), OBJECTS).deleted).toEqual(['batch'])
    const draining = pageOf(withBatch(50))
    expect(withoutDeleted(draining, OBJECTS)).toBe(draining)
  })

  it('is not mistaken for one that was created before its object was heard of, whatever its shares', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 500 }), fc.integer({ min: 100, max: 1_000 }), (shares, serverLimit) => {
        const page = pageOf(withBatch(shares), serverLimit)
        expect(withoutDeleted(page, OBJECTS)).toBe(page)
        expect(withoutDeleted(page, withBatch(shares))).toBe(page)
        expect(nominalSurplus(page)).toBe(0)
      }),
    )
  })

  it('stays where the server does not show what proves it', () => {
    const page = pageAfterDeletion(50)
    const blind = { ...page, levels: page.levels.map((level) => ({ ...level, limits: {} })) }
    expect(withoutDeleted(blind, OBJECTS)).toBe(blind)
    expect(nominalSurplus(blind)).toBe(0)
    expect(withoutDeleted(page, { levels: [], schemas: [] })).toBe(page)
  })
})
