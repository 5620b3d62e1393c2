import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { createDeriver } from '../frame/derive.ts'
import { createHistory } from './history.ts'
import { rangeFacts } from './range.ts'

/** The facts of a history of a level whose samples contain these increases of rejections, one sample per second. */
function factsOf(increases: readonly number[]) {
  const derive = createDeriver('api')
  const history = createHistory()
  let total = 7
  increases.forEach((increase, second) => {
    total += increase
    const rejected = { 'queue-full': total, 'concurrency-limit': 0, 'time-out': 0 }
    const frame = serverFrame(second, [levelFrame('low', [schemaFrame('s', { rejected })], { rejected })])
    history.append(frame, derive(frame), undefined)
  })
  return rangeFacts(history.series({ from: START_MS, to: START_MS + 1e6, maxPoints: 620 }))
}

describe('what a range saw', () => {
  it('counts every rejection between two samples, and says when the last was', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 2, maxLength: 60 }), (increases) => {
        const [low] = factsOf(increases)?.levels ?? []
        const counted = increases.slice(1)
        expect(low?.rejected).toBe(counted.reduce((a, b) => a + b, 0))
        const last = counted.findLastIndex((n) => n > 0)
        expect(low?.lastRejectedAt).toBe(last < 0 ? undefined : START_MS + (last + 1) * 1_000)
      }),
    )
  })

  it('knows nothing of one sample', () => {
    expect(factsOf([3])).toBeUndefined()
  })
})
