import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { difference } from '../oracle/difference.ts'
import { isCertain } from '../oracle/oracle.ts'
import { shrink } from '../oracle/shrink.ts'

describe('difference', () => {
  it('is told by its place', () => {
    const upstreams = { outcomes: [['executed', 1, '5']], final: { R: '7' } }
    expect(difference('queueset', { outcomes: [['executed', 1, '5']], final: { R: '7' } }, upstreams)).toBeUndefined()
    expect(difference('queueset', { outcomes: [['executed', 2, '5']], final: { R: '8' } }, upstreams)).toEqual({
      where: 'outcomes[0][1]',
      ours: 2,
      upstreams: 1,
    })
    expect(difference('queueset', { outcomes: [['executed', 1, '5'], []], final: { R: '7' } }, upstreams)).toEqual({
      where: 'outcomes[1]',
      ours: [],
      upstreams: undefined,
    })
    expect(difference('queueset', { ...upstreams, ties: 1 }, upstreams)?.where).toBe('ties')
    expect(difference('queueset', { final: { R: '7' } }, upstreams)?.where).toBe('outcomes')
  })

  it('takes no type for another', () => {
    for (const [ours, upstreams] of [
      ['5', 5],
      [null, 0],
      [[], {}],
      [false, 0],
      [Number.NaN, 0],
    ]) {
      expect(difference('shard', { x: ours }, { x: upstreams })?.where).toBe('x')
    }
  })

  it('accepts what is stated, where it is stated, and no more', () => {
    const near = { levels: [{ allocByName: 1 + 5e-10, current: 1 }], fairFrac: 1 }
    const wanted = { levels: [{ allocByName: 1, current: 1 }], fairFrac: 1 }
    expect(difference('limits', near, wanted)).toBeUndefined()
    expect(difference('dump', near, wanted)?.where).toBe('levels[0].allocByName')
    expect(difference('limits', { ...near, fairFrac: 1 + 2e-9 }, wanted)?.where).toBe('fairFrac')
    expect(difference('limits', { ...near, levels: [{ allocByName: 1, current: 1 + 5e-10 }] }, wanted)?.where).toBe(
      'levels[0].current',
    )
    expect(difference('solver', { allocs: [2], fairProp: 0 }, { allocs: [2 + 1e-9], fairProp: 0 })).toBeUndefined()
    expect(difference('solver', { allocs: [2], fairProp: 1e-12 }, { allocs: [2], fairProp: 0 })?.where).toBe('fairProp')
    expect(difference('timing', { sum: 1 + 5e-10 }, { sum: 1 })?.where).toBe('sum')
    expect(difference('solver', { error: 'no', fairProp: 0 }, { error: 'other', fairProp: 0 })).toBeUndefined()
    expect(difference('solver', { fairProp: 0 }, { error: 'other', fairProp: 0 })?.where).toBe('error')
  })

  it('finds any change of one value', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), fc.nat(), (numbers, at) => {
        const changed = numbers.with(at % numbers.length, -1)
        expect(difference('shard', { cards: changed }, { cards: numbers })?.where).toBe(`cards[${at % numbers.length}]`)
      }),
    )
  })
})

describe('shrink', () => {
  it('leaves what is needed, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(300), { minLength: 1 }), fc.array(fc.nat()), async (arrivals, places) => {
        const needed = [...new Set(places.map((place) => arrivals[place % arrivals.length]))]
        const question = { arrivals, samples: [1, 2], config: { queues: 1 } }
        const differs = (candidate: Readonly<Record<string, unknown>>) =>
          Promise.resolve(needed.every((one) => (candidate['arrivals'] as unknown[]).includes(one)))
        expect(await shrink('queueset', question, differs)).toEqual({
          arrivals: arrivals.filter((one) => needed.includes(one)),
          samples: [],
          config: { queues: 1 },
        })
      }),
    )
  })

  it('comes back to a list when another one has become shorter', async () => {
    const question = { steps: [1, 2, 3, 4], priorityLevels: ['a', 'b'] }
    const differs = (candidate: Readonly<Record<string, unknown>>) => {
      const [steps, levels] = [candidate['steps'] as unknown[], candidate['priorityLevels'] as unknown[]]
      return Promise.resolve(steps.length >= (levels.length === 2 ? 3 : 1))
    }
    expect(await shrink('borrow', question, differs)).toEqual({ steps: [1], priorityLevels: [] })
  })
})

describe('isCertain', () => {
  it('leaves out what upstream can answer in more than one way', () => {
    expect(isCertain('queueset', { outcomes: [] })).toBe(true)
    expect(isCertain('queueset', { outcomes: [], ties: 1 })).toBe(false)
    expect(isCertain('queueset', { outcomes: [], staleRemovals: 1 })).toBe(false)
    expect(isCertain('borrow', { reports: [], unstable: true })).toBe(false)
    expect(isCertain('limits', { levels: [{ allocByName: 3.25 }, {}] })).toBe(true)
    expect(isCertain('limits', { levels: [{ allocByName: 3.5 }] })).toBe(false)
  })
})
