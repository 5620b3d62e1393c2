import { describe, expect, it } from 'vitest'
import { createDeriver } from '../../../core/frame/derive.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { levelFrame, schemaFrame, serverFrame } from '../../../test/fixtures/frames.ts'
import { heard } from '../../../test/harness/heard.ts'
import { CadenceSchema } from '../../../core/contract/source.ts'
import { standingClock } from '../../../test/harness/standingClock.ts'
import { startPlayer } from './player.ts'
import type { Recording } from './recording.ts'
import { createTimeline } from './timeline.ts'

const T0 = 1_000_000
const LAP_SECONDS = 10

/** A server that dispatches ten requests each second. */
function recording(): Recording {
  const frame = (second: number): ServerFrame => {
    const totals = { dispatched: 500 + 10 * second, seats: { executing: second, queued: 0 } }
    const level = levelFrame('l', [schemaFrame('f', totals)], { ...totals, virtualTime: { currentR: 7 + second } })
    return { ...serverFrame(second, [level]), startedAt: 900 }
  }
  const dump = (second: number): DumpFrame => ({
    server: 'demo',
    at: new Date(T0 + second * 1_000 + 100).toISOString(),
    costMs: 2,
    bytes: 3,
    levels: [{ ...IDLE, name: 'l', executing: 1, dispatched: 500 + 10 * second }],
    errors: [],
  })
  const seconds = Array.from({ length: LAP_SECONDS + 1 }, (_, second) => second)
  return {
    frames: seconds.map((second) => ({ at: T0 + second * 1_000, frame: frame(second) })),
    dumps: seconds
      .filter((second) => second % 5 === 0)
      .map((second) => ({ at: T0 + second * 1_000 + 100, dump: () => dump(second) })),
  }
}

const IDLE = {
  activeQueues: 0,
  idle: false,
  quiescing: false,
  waiting: 0,
  rejected: 0,
  timedOut: 0,
  cancelled: 0,
}

function play(start = 5_000_000) {
  const clock = standingClock(start)
  const { emit, frames, dumps: heardDumps } = heard()
  const end = new AbortController()
  const timeline = createTimeline(recording())
  const player = startPlayer(timeline, clock.environment, CadenceSchema.parse({}), end.signal, emit)
  const dumps = (): string[] => heardDumps.map(({ at, levels }) => `${at} ${levels?.[0]?.dispatched}`)
  return { ...clock, frames, dumps, end, player }
}

const dispatched = (frame: ServerFrame | undefined): number | undefined => frame?.levels[0]?.dispatched

describe('the demo', () => {
  it('has ten minutes at once and then a page each second', () => {
    const { frames, advance } = play()
    expect(frames).toHaveLength(601)
    expect(frames.at(-1)?.at).toBe(new Date(5_000_000).toISOString())
    advance(3_000)
    expect(frames).toHaveLength(604)
    expect(frames.at(-1)?.at).toBe(new Date(5_003_000).toISOString())
  })

  it('shows no seam: rates stay the same from lap to lap', () => {
    const { frames, advance } = play()
    advance(2 * LAP_SECONDS * 1_000)
    const derive = createDeriver('demo')
    const [first, ...derived] = frames.map(derive)
    expect(first?.noRates).toBe('first-sample')
    expect(new Set(derived.map(({ noRates }) => noRates))).toEqual(new Set([undefined]))
    expect(new Set(derived.map(({ levels }) => levels[0]?.dispatchedPerSecond))).toEqual(new Set([10]))
    expect(new Set(frames.map(({ startedAt }) => startedAt)).size).toBe(1)
  })

  it('lets virtual time grow and leaves other gauges as recorded', () => {
    const { frames } = play()
    const times = frames.map((frame) => frame.levels[0]?.virtualTime?.currentR ?? 0)
    expect(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === 1)).toBe(true)
    expect(new Set(frames.map((frame) => frame.levels[0]?.seats.executing))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    )
  })

  it('goes on from the present after the machine slept', () => {
    const { frames, advance, sleep } = play()
    const before = dispatched(frames.at(-1)) ?? 0
    sleep(3_600_000)
    advance(1_000)
    expect(frames.length).toBeLessThanOrEqual(603)
    expect(frames.at(-1)?.at).toBe(new Date(5_000_000 + 3_601_000).toISOString())
    expect(dispatched(frames.at(-1))).toBe(before + 36_010)
  })

  it('keeps the interval that is set, and ends with its signal', () => {
    const { frames, advance, player, end, timers } = play()
    player.setCadence({ intervalMs: 5_000, dumpsEveryMs: null })
    const before = frames.length
    advance(20_000)
    expect(frames.length - before).toBe(4)
    end.abort()
    expect(timers()).toBe(0)
    player.setCadence({ intervalMs: 1_000, dumpsEveryMs: 5_000 })
    expect(timers()).toBe(0)
  })

  it('moves dumps to the present, their totals grown by the laps before', () => {
    const { dumps, advance } = play()
    advance(10_000)
    expect(dumps()).toHaveLength(3)
    const totals = dumps().map((dump) => Number(dump.split(' ')[1]))
    expect(totals.map((total) => total - (totals[0] ?? 0))).toEqual([0, 50, 100])
  })
})
