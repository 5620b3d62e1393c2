import type { DumpFrame } from '../../../core/frame/dump.ts'
import { FAMILY } from '../../../core/metrics/familyNames.ts'
import type { Family, Page, Series } from '../../../core/metrics/page.ts'
import { unixMsOf } from '../../../core/units.ts'

/**
 * What a lap of the recording adds to everything that only grows. Each further lap starts where the one before ended:
 * its counters are the recorded ones plus the increases of all laps before, so that no rate shows the seam.
 */
export interface LapIncrease {
  readonly series: ReadonlyMap<Series, number>
  /** By level: what its dump counters grow by, and its virtual time in seat-seconds. */
  readonly levels: ReadonlyMap<string, LevelIncrease>
}

interface LevelIncrease {
  readonly dispatched: number
  readonly rejected: number
  readonly timedOut: number
  readonly cancelled: number
  readonly virtualTime: number
}

/** Gauges that only grow: virtual time of the fair queuing (specification 8.1). */
const GROWING_GAUGES: ReadonlySet<string> = new Set([
  FAMILY.currentR,
  FAMILY.dispatchR,
  FAMILY.latestS,
  FAMILY.nextS,
  FAMILY.nextDiscountedS,
])

const grows = ({ name, type }: Family): boolean =>
  type === 'counter' || type === 'histogram' || GROWING_GAUGES.has(name)

/** Increases from the first page of the lap to the last; a series that appeared meanwhile counts from 0. */
export function lapIncrease(first: Page, last: Page, firstDump?: DumpFrame, lastDump?: DumpFrame): LapIncrease {
  const series = new Map<Series, number>()
  const virtualTime = new Map<string, number>()
  for (const family of last.families.values()) {
    if (!grows(family)) continue
    const before = valuesBySeries(first.families.get(family.name))
    family.series.forEach((one, index) => {
      const increase = (family.values[index] ?? 0) - (before.get(one) ?? 0)
      series.set(one, increase)
      if (family.name === FAMILY.currentR) virtualTime.set(one.labels['priority_level'] ?? '', increase)
    })
  }
  const dumped = new Map(firstDump?.levels?.map((level) => [level.name, level]))
  const levels = new Map(
    lastDump?.levels?.map((level) => {
      const before = dumped.get(level.name)
      return [
        level.name,
        {
          dispatched: level.dispatched - (before?.dispatched ?? 0),
          rejected: level.rejected - (before?.rejected ?? 0),
          timedOut: level.timedOut - (before?.timedOut ?? 0),
          cancelled: level.cancelled - (before?.cancelled ?? 0),
          virtualTime: virtualTime.get(level.name) ?? 0,
        },
      ]
    }),
  )
  return { series, levels }
}

function valuesBySeries(family: Family | undefined): Map<Series, number> {
  return new Map(family?.series.map((series, index) => [series, family.values[index] ?? 0]))
}

/** The page as it would be after so many laps, of a server that started `movedMs` later than the recorded one. */
export function pageInLap(page: Page, laps: number, increase: LapIncrease, movedMs: number): Page {
  const families = new Map<string, Family>()
  for (const [name, family] of page.families) {
    if (name === FAMILY.startedAt) {
      families.set(name, { ...family, values: Array.from(family.values, (value) => value + movedMs / 1_000) })
    } else if (laps > 0 && grows(family)) {
      const values = family.series.map(
        (series, index) => (family.values[index] ?? 0) + laps * (increase.series.get(series) ?? 0),
      )
      families.set(name, { ...family, values })
    } else {
      families.set(name, family)
    }
  }
  return { ...page, families }
}

/** The dump as it would be after so many laps, everything in it `movedMs` later. */
export function dumpInLap(dump: DumpFrame, laps: number, increase: LapIncrease, movedMs: number): DumpFrame {
  const grown = (name: string, key: keyof LevelIncrease): number => laps * (increase.levels.get(name)?.[key] ?? 0)
  return {
    ...dump,
    at: new Date(unixMsOf(dump.at) + movedMs).toISOString(),
    ...(dump.levels && {
      levels: dump.levels.map((level) => ({
        ...level,
        dispatched: level.dispatched + grown(level.name, 'dispatched'),
        rejected: level.rejected + grown(level.name, 'rejected'),
        timedOut: level.timedOut + grown(level.name, 'timedOut'),
        cancelled: level.cancelled + grown(level.name, 'cancelled'),
      })),
    }),
    ...(dump.queues && {
      queues: dump.queues.map((queue) => ({
        ...queue,
        nextDispatchR: queue.nextDispatchR + grown(queue.level, 'virtualTime'),
      })),
    }),
    ...(dump.requests && {
      requests: dump.requests.map((request) => ({
        ...request,
        arrivedAt: request.arrivedAt + movedMs,
        ...(request.startedAt !== undefined && { startedAt: request.startedAt + movedMs }),
      })),
    }),
  }
}
