import { describe, expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { createDeriver } from './derive.ts'
import { levelStates, troubleOf } from './recent.ts'

/** States of a level over samples with these total rejections and dispatches, one per second. */
function statesOver(samples: readonly (readonly [at: number, rejected: number, dispatched: number])[]) {
  const derive = createDeriver('api')
  return samples.map(([at, rejected, dispatched]) => {
    const counts = { 'queue-full': rejected, 'concurrency-limit': 0, 'time-out': 0 }
    const level = levelFrame('low', [schemaFrame('s', { rejected: counts, dispatched })])
    return levelStates(level, derive(serverFrame(at, [level])).levels[0])
  })
}

describe('the state of a level', () => {
  it('is rejecting for ten seconds after the last rejection, not for one sample', () => {
    const samples = [0, 1, 2, 5, 10, 11, 12].map((at) => [at, at >= 1 ? 5 : 0, 0] as const)
    expect(statesOver(samples).map(([first]) => first)).toEqual([
      'idle',
      'rejecting',
      'rejecting',
      'rejecting',
      'rejecting',
      'idle',
      'idle',
    ])
  })

  it('covers at least one interval, however far apart samples are', () => {
    expect(
      statesOver([
        [0, 0, 0],
        [60, 3, 0],
        [120, 3, 0],
      ]).map(([first]) => first),
    ).toEqual(['idle', 'rejecting', 'idle'])
  })

  it('flows when requests were dispatched, though none executes in the sample', () => {
    expect(
      statesOver([
        [0, 0, 5],
        [1, 0, 9],
      ]).at(-1),
    ).toEqual(['flowing'])
  })

  it('is unknown where seats are not reported, and queueing beside rejecting', () => {
    expect(levelStates(levelFrame('low', [], { seats: {}, requests: {} }), undefined)).toEqual(['unknown'])
    const recent = { seconds: 10, rejected: { 'queue-full': 1, 'concurrency-limit': 0, 'time-out': 0 } }
    const both = levelStates(levelFrame('low', [], { requests: { executing: 1, queued: 2 } }), { recent })
    expect(both).toEqual(['rejecting', 'queueing'])
    expect(troubleOf(both)).toBe('rejecting')
    expect(troubleOf(['no-limit'])).toBeUndefined()
  })
})
