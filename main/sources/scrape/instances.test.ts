import { describe, expect, test } from 'vitest'
import { createInstanceTracker } from './instances.ts'

function judge(starts: readonly (number | undefined)[]) {
  const tracker = createInstanceTracker()
  const followed = starts.filter((start) => tracker.judge(start) === 'follow')
  return { followed, count: tracker.count() }
}

describe('pages of one address', () => {
  test('of one process are followed, though its start time moves by a second', () => {
    expect(judge([100, 101, 99.5, 100])).toEqual({ followed: [100, 101, 99.5, 100], count: 1 })
  })

  test('without a start time are followed', () => {
    expect(judge([undefined, 100, undefined])).toEqual({ followed: [undefined, 100, undefined], count: 1 })
  })

  test('of restarts are followed', () => {
    expect(judge([100, 200, 200, 300])).toEqual({ followed: [100, 200, 200, 300], count: 1 })
  })

  test('of several processes are told apart as soon as the start time goes back', () => {
    expect(judge([100, 200, 100, 200, 100, 200])).toEqual({ followed: [100, 200, 200, 200], count: 2 })
    expect(judge([200, 100, 300, 200])).toEqual({ followed: [200, 200], count: 3 })
  })

  test('follow another one when the followed one is gone for long', () => {
    const others = Array.from({ length: 30 }, () => 100)
    const { followed, count } = judge([200, ...others])
    expect(followed).toEqual([200, ...others.slice(20)])
    expect(count).toBe(2)
  })
})
