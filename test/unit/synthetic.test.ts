import { describe, expect, it } from 'vitest'
import { DerivedServerSchema } from '../../core/frame/derived.ts'
import { DumpFrameSchema } from '../../core/frame/dump.ts'
import { FrameSchema } from '../../core/frame/frame.ts'
import { isExempt } from '../../core/frame/reading.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'

describe('the synthetic story', () => {
  const moments = [...syntheticStory({ levels: 12, servers: 2, seconds: 240 })]

  it('is made of frames, derived servers and dumps as the contract has them', () => {
    for (const moment of [moments[0], moments[10], moments.at(-1)]) {
      expect(FrameSchema.safeParse(moment?.frame).error).toBeUndefined()
      for (const derived of moment?.derived ?? []) expect(DerivedServerSchema.safeParse(derived).error).toBeUndefined()
    }
    const dump = moments[160]?.dump('apiserver-b:6443', 'workload-low')
    expect(DumpFrameSchema.safeParse(dump).error).toBeUndefined()
    expect(dump?.requests?.every(({ level }) => level === 'workload-low')).toBe(true)
  })

  it('keeps every limit between its bounds and shares out no more than there is', () => {
    for (const { frame } of moments) {
      for (const { levels } of frame.servers) {
        const limited = levels.filter((level) => !isExempt(level))
        let [nominals, currents] = [0, 0]
        for (const { limits, seats } of limited) {
          const { nominal = 0, lower = 0, upper = 0, current = 0 } = limits
          expect(current).toBeGreaterThanOrEqual(lower)
          expect(current).toBeLessThanOrEqual(upper)
          expect(seats.executing ?? 0).toBeLessThanOrEqual(current)
          nominals += nominal
          currents += current
        }
        // Each limit is rounded.
        expect(currents).toBeLessThanOrEqual(nominals + limited.length / 2)
      }
    }
  })

  it('has a calm, a flood and a recovery, the same every time', () => {
    const rejectedAt = (second: number): number =>
      moments[second]?.derived[0]?.levels.find(({ name }) => name === 'workload-low')?.rejectedPerSecond?.[
        'queue-full'
      ] ?? 0
    expect(rejectedAt(60)).toBe(0)
    expect(rejectedAt(160)).toBeGreaterThan(0)
    expect(rejectedAt(235)).toBe(0)
    const again = [...syntheticStory({ levels: 12, servers: 2, seconds: 3 })]
    expect(again.map(({ frame }) => frame)).toEqual(moments.slice(0, 3).map(({ frame }) => frame))
  })

  it('never counts backwards', () => {
    const dispatched = moments.map(({ frame }) => frame.servers[0]?.levels.map((level) => level.dispatched ?? 0) ?? [])
    for (const [index, now] of dispatched.entries()) {
      for (const [level, count] of (dispatched[index - 1] ?? []).entries())
        expect(now[level]).toBeGreaterThanOrEqual(count)
    }
  })
})
