import { describe, expect, it } from 'vitest'
import { createDeriver } from '../../../core/frame/derive.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { heard } from '../../../test/harness/heard.ts'
import { CadenceSchema } from '../../../core/contract/source.ts'
import { DUMP_LEVEL_COLUMNS } from '../../../core/metrics/dumpText.ts'
import { createParser } from '../../../core/metrics/parse.ts'
import { standingClock } from '../../../test/harness/standingClock.ts'
import { startPlayer } from './player.ts'
import type { Recording } from './recording.ts'
import { createTimeline } from './timeline.ts'

const T0 = 1_000_000
const LAP_SECONDS = 10

/** A server that dispatches ten requests each second. */
function recording(): Recording {
  const parser = createParser()
  const page = (second: number): string => `# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="f",priority_level="l"} ${500 + 10 * second}
# TYPE apiserver_flowcontrol_current_executing_seats gauge
apiserver_flowcontrol_current_executing_seats{flow_schema="f",priority_level="l"} ${second}
# TYPE apiserver_flowcontrol_current_r gauge
apiserver_flowcontrol_current_r{priority_level="l"} ${7 + second}
# TYPE process_start_time_seconds gauge
process_start_time_seconds 900
`
  const dump = (second: number): string => {
    const cells = ['l', '0', 'false', 'false', '0', '1', String(500 + 10 * second), '0', '0', '0']
    const widths = DUMP_LEVEL_COLUMNS.map((column) => column.length + 2)
    const row = (texts: readonly string[]): string =>
      texts.map((text, index) => (index < texts.length - 1 ? `${text},`.padEnd(widths[index] ?? 0) : text)).join('')
    return `${row(DUMP_LEVEL_COLUMNS)}\n${row(cells)}\n`
  }
  const seconds = Array.from({ length: LAP_SECONDS + 1 }, (_, second) => second)
  return {
    pages: seconds.map((second) => ({
      t: T0 + second * 1_000,
      page: parser.parse(new TextEncoder().encode(page(second))),
      fetchMs: 5,
      bytes: 1,
    })),
    dumps: seconds
      .filter((second) => second % 5 === 0)
      .map((second) => ({
        t: T0 + second * 1_000 + 100,
        lines: [{ t: T0, path: 'dump_priority_levels', ms: 2, bytes: 3, body: dump(second) }],
      })),
  }
}

function play(start = 5_000_000) {
  const clock = standingClock(start)
  const { emit, frames, dumps: heardDumps } = heard()
  const end = new AbortController()
  const timeline = createTimeline('demo', recording())
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
