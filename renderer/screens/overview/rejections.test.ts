import { describe, expect, test } from 'vitest'
import { level, rejected, schema, server } from './levels.fixture.ts'
import { pushFrame, pushFrames, recentRejections, rejectionsOfLastSample, type FrameWindow } from './rejections.ts'

const at = (second: number, count: number | undefined, startedAt = 1) => {
  const counters = count === undefined ? undefined : rejected({ 'queue-full': count })
  const one = level({ name: 'a', schemas: [schema('s', { rejected: counters })] })
  return server({
    at: new Date(second * 1_000).toISOString(),
    startedAt,
    levels: [{ ...one, rejected: counters }],
  })
}
const windowOf = (...frames: Parameters<typeof at>[]): FrameWindow =>
  frames.reduce<FrameWindow>((window, frame) => pushFrame(window, at(...frame)), [])

describe('rejections of the last ten seconds', () => {
  test('count between the two ends of the window', () => {
    const window = windowOf([0, 100], [5, 130], [10, 218])
    expect(recentRejections(window)).toEqual({
      seconds: 10,
      rows: [{ server: 'apiserver-a', level: 'a', schema: 's', reason: 'queue-full', count: 118, perSecond: 11.8 }],
    })
  })

  test('the window reaches back ten seconds and no further', () => {
    const window = windowOf([0, 0], [4, 0], [9, 50], [15, 60], [20, 61])
    expect(window).toHaveLength(3)
    expect(recentRejections(window)).toMatchObject({ seconds: 11, rows: [{ count: 11 }] })
  })

  test('one frame, or unknown counters, say nothing', () => {
    expect(recentRejections(windowOf([0, 5]))).toBeUndefined()
    expect(recentRejections([])).toBeUndefined()
    expect(recentRejections(windowOf([0, undefined], [1, undefined]))).toBeUndefined()
  })

  test('before that, the rates of the last sample tell', () => {
    const rates = (rejectedPerSecond: ReturnType<typeof rejected> | undefined) => ({
      id: 'apiserver-a',
      intervalSeconds: 2,
      torn: false,
      levels: [{ name: 'a', schemas: [{ name: 's', rejectedPerSecond }] }],
    })
    expect(rejectionsOfLastSample(rates(rejected({ 'time-out': 1.5 })))).toEqual({
      seconds: 2,
      rows: [{ server: 'apiserver-a', level: 'a', schema: 's', reason: 'time-out', count: 3, perSecond: 1.5 }],
    })
    expect(rejectionsOfLastSample(rates(rejected({})))).toEqual({ seconds: 2, rows: [] })
    expect(rejectionsOfLastSample(rates(undefined))).toBeUndefined()
  })

  test('a restart or a step back starts anew; the same frame changes nothing', () => {
    expect(windowOf([0, 5], [1, 6], [2, 0, 2])).toHaveLength(1)
    expect(windowOf([5, 5], [3, 6])).toHaveLength(1)
    const window = windowOf([0, 5])
    expect(pushFrame(window, at(0, 5))).toBe(window)
  })

  test('a counter that fell counts from zero, a schema that appeared too', () => {
    expect(recentRejections(windowOf([0, 50], [1, 3]))?.rows[0]?.count).toBe(3)
    const empty = server({ at: new Date(0).toISOString(), startedAt: 1, levels: [level({ name: 'a', schemas: [] })] })
    expect(recentRejections(pushFrame([empty], at(1, 4)))?.rows[0]?.count).toBe(4)
  })

  test('windows of several servers keep their identity when nothing is new', () => {
    const frames = [at(0, 1), { ...at(0, 1), id: 'b' }]
    const windows = pushFrames({}, frames)
    expect(pushFrames(windows, frames)).toBe(windows)
    expect(Object.keys(pushFrames(windows, [at(0, 1)]))).toEqual(['apiserver-a'])
  })
})
