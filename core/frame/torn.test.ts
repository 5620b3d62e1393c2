import { describe, expect, it } from 'vitest'
import { levelFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { readCapture } from '../../test/fixtures/load.ts'
import { createParser } from '../metrics/parse.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import { createDeriver } from './derive.ts'
import type { Demand, ServerFrame } from './frame.ts'
import { sameAdjustment } from './torn.ts'

const captured = ['elephants-and-mice', 'waves'].map((profile) => {
  const parser = createParser()
  const build = createFrameBuilder({ id: 'x' })
  const frames = readCapture(`captures/v1.36.3/${profile}.metrics.ndjson.gz`).map(({ t, body }) =>
    build(parser.parse(new TextEncoder().encode(body)), { at: new Date(t).toISOString(), version: 'v1.36.3' }),
  )
  return { profile, frames }
})

/** Which of these frames are judged torn, by index. */
const judge = (frames: readonly ServerFrame[]): number[] => {
  const derive = createDeriver('x')
  return frames.flatMap((frame, i) => (derive(frame).torn ? [i] : []))
}

/** `after` with some statistics as they were in `before`: what a page read during a recomputation looks like. */
const splice = (after: ServerFrame, before: ServerFrame, stale: readonly (keyof Demand)[]): ServerFrame => ({
  ...after,
  levels: after.levels.map((level, i) => {
    const old = before.levels[i]?.demand ?? {}
    return { ...level, demand: { ...level.demand, ...Object.fromEntries(stale.map((key) => [key, old[key]])) } }
  }),
})

describe.each(captured)('torn pages of $profile', ({ frames }) => {
  const adjusted = frames.flatMap((frame, i) => {
    const before = frames[i - 1]
    return before === undefined || sameAdjustment(frame, before) ? [] : [{ i, before, frame }]
  })

  it('are none in a series without tears, over several recomputations', () => {
    expect(adjusted.length).toBeGreaterThanOrEqual(3)
    expect(judge(frames)).toEqual([])
  })

  // Families are gathered one after the other, so a tear leaves any of these sets old.
  it.each<[keyof Demand, ...(keyof Demand)[]]>([
    ['smoothed'],
    ['smoothed', 'target'],
    ['average', 'stdev'],
    ['average'],
    ['target'],
    ['highWatermark', 'average', 'stdev'],
  ])('are found when %s (and %s) is still old', (...stale) => {
    for (const { i, before, frame } of adjusted) {
      const torn = frames.with(i, splice(frame, before, stale))
      expect(judge(torn)).toEqual([i])
    }
  })

  it('do not hide the adjustment that they belong to, nor count it twice', () => {
    for (const { i, before, frame } of adjusted.filter((adjustment) => adjustment.i + 1 < frames.length)) {
      const derive = createDeriver('x')
      const seen = frames
        .with(i, splice(frame, before, ['smoothed', 'target']))
        .map((each) => derive(each))
        .slice(i, i + 2)
      const at = Date.parse(frame.at)
      expect(seen.map(({ lastAdjustmentAt }) => lastAdjustmentAt)).toEqual(seen.map(() => at))
      expect(seen[0]?.levels.every(({ envelope }) => envelope === undefined)).toBe(true)
      expect(seen[1]?.levels.every(({ envelope }) => envelope !== undefined)).toBe(true)
    }
  })
})

describe('a page', () => {
  const page = (seconds: number, demand: Partial<Demand>, name = 'low') =>
    serverFrame(seconds, [
      levelFrame(name, [], {
        limits: { nominal: 10, lower: 5, upper: 40, current: 10 },
        demand: { highWatermark: 7, average: 4, stdev: 2, smoothed: 8, target: 8, ...demand },
      }),
    ])

  it('is torn by itself when smoothed demand lies below its envelope', () => {
    expect(judge([page(0, { average: 12 })])).toEqual([0])
  })

  it('is torn by itself when the target does not follow from what stands beside it', () => {
    expect(judge([page(0, { target: 9 })])).toEqual([0])
    expect(judge([page(0, { smoothed: 6, target: 7 })])).toEqual([])
  })

  it('may have any target at the exempt level, which shows that of another', () => {
    expect(judge([page(0, { target: 99 }, 'exempt')])).toEqual([])
  })

  it('is whole when it stays as it is, whatever it says', () => {
    expect(judge([page(0, { target: 9 }), page(1, { target: 9 }), page(2, { target: 9 })])).toEqual([0])
  })

  it('is not compared with one before the last recomputations', () => {
    expect(judge([page(0, {}), page(60, { smoothed: 7.5, target: 7.5 })])).toEqual([])
  })

  it('is whole when statistics are missing', () => {
    expect(judge([page(0, { average: undefined }), page(1, { average: undefined, smoothed: 9 })])).toEqual([])
    expect(judge([page(0, { target: undefined, average: undefined }), page(1, { target: undefined })])).toEqual([])
  })
})
