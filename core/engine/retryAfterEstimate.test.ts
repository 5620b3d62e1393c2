import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DroppedRequests } from './reporter.ts'
import { estimatedRetryAfter, type RejectionPoint } from './retryAfterEstimate.ts'

const START = 1_790_000_000

describe('the estimate of Retry-After', () => {
  it('equals the server’s Retry-After when samples are one second apart and show whole rejections', () => {
    const rates = fc.array(fc.nat(40), { minLength: 100, maxLength: 200 })
    fc.assert(
      fc.property(rates, (perSecond) => {
        const server = new DroppedRequests()
        const points = perSecond.map((count, i): RejectionPoint => {
          for (let n = 0; n < count; n += 1) server.record('a', START + i)
          return { at: START + i, perSecond: count }
        })
        fc.pre(perSecond.some((count) => count > 0))
        expect(estimatedRetryAfter(points)).toBe(server.retryAfter('a'))
      }),
    )
  })

  it('spreads rejections evenly between samples', () => {
    const points = Array.from({ length: 20 }, (_, i): RejectionPoint => ({ at: START + 10 * i, perSecond: 100 }))
    expect(estimatedRetryAfter(points)).toBe(32)
  })

  it('is unknown without rejections, after a gap, and from a short past', () => {
    const at = (rates: readonly (number | undefined)[]): readonly RejectionPoint[] =>
      rates.map((perSecond, i) => ({ at: START + i, perSecond }))
    expect(estimatedRetryAfter([])).toBeUndefined()
    expect(estimatedRetryAfter(at(Array.from({ length: 200 }, () => 0)))).toBeUndefined()
    expect(estimatedRetryAfter(at(Array.from({ length: 30 }, () => 5)))).toBeUndefined()
    expect(estimatedRetryAfter(at([...Array.from({ length: 100 }, () => 5), undefined, 5, 5]))).toBeUndefined()
  })
})
