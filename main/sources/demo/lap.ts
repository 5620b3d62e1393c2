import type { DumpFrame, DumpLevel } from '../../../core/frame/dump.ts'
import {
  SCHEMA_HISTOGRAMS,
  VirtualTimeSchema,
  type Histogram,
  type LevelFrame,
  type SchemaFrame,
  type ServerFrame,
  type VirtualTime,
} from '../../../core/frame/frame.ts'
import { recordOf, REJECT_REASONS } from '../../../core/frame/reading.ts'
import { flowKey, indexFrame, type FrameIndex } from '../../../core/frame/rates.ts'
import { unixMsOf } from '../../../core/units.ts'

/**
 * The first and the last moment of the recording. Each further lap starts where the one before ended: whatever only
 * grows is as recorded plus the increases of all previous laps, so that no rate shows the seam.
 */
export interface Lap {
  readonly first: Moment
  readonly last: Moment
}

export interface Moment extends FrameIndex {
  /** Levels of the dump at that time, by name. */
  readonly dumped: ReadonlyMap<string, DumpLevel>
}

export const momentOf = (frame: ServerFrame, dump: DumpFrame | undefined): Moment => ({
  ...indexFrame(frame),
  dumped: new Map(dump?.levels?.map((level) => [level.name, level])),
})

/** The frame after this many laps, for a server that started `movedMs` later than the recorded one. */
export function frameInLap(frame: ServerFrame, laps: number, { first, last }: Lap, movedMs: number): ServerFrame {
  const grow = growth(laps)
  const schemaInLap = (level: string, schema: SchemaFrame): SchemaFrame => {
    const key = flowKey(level, schema.name)
    const [from, to] = [first.schemas.get(key), last.schemas.get(key)]
    return {
      ...schema,
      ...grow.totals(schema, from, to),
      ...recordOf(SCHEMA_HISTOGRAMS, (name) => grow.histogram(schema[name], from?.[name], to?.[name])),
    }
  }
  const levelInLap = (level: LevelFrame): LevelFrame => {
    const [from, to] = [first.levels.get(level.name), last.levels.get(level.name)]
    return {
      ...level,
      ...grow.totals(level, from, to),
      ...recordOf(LEVEL_HISTOGRAMS, (name) => grow.histogram(level[name], from?.[name], to?.[name])),
      virtualTime: grow.virtualTime(level.virtualTime, from?.virtualTime, to?.virtualTime),
      schemas: level.schemas.map((schema) => schemaInLap(level.name, schema)),
    }
  }
  return {
    ...frame,
    ...(frame.startedAt !== undefined && { startedAt: frame.startedAt + movedMs / 1_000 }),
    levels: laps === 0 ? frame.levels : frame.levels.map(levelInLap),
  }
}

const LEVEL_HISTOGRAMS = ['seatUtilization', 'demandRatio', 'executingUtilization', 'waitingUtilization'] as const

type Totals = Pick<SchemaFrame, 'dispatched' | 'rejected' | 'noAccommodation'>

/**
 * Computes values after this many laps from the current value and its values at both ends of a lap. A value that was
 * absent at the beginning counts from 0; one that is absent now stays absent.
 */
function growth(laps: number) {
  const grown = (now: number, first = 0, last = 0): number => now + laps * (last - first)
  const number = (now: number | undefined, first: number | undefined, last: number | undefined): number | undefined =>
    now === undefined ? undefined : grown(now, first, last)
  return {
    totals: (now: Totals, first: Totals | undefined, last: Totals | undefined): Totals => ({
      dispatched: number(now.dispatched, first?.dispatched, last?.dispatched),
      noAccommodation: number(now.noAccommodation, first?.noAccommodation, last?.noAccommodation),
      rejected:
        now.rejected &&
        recordOf(REJECT_REASONS, (reason) =>
          grown(now.rejected?.[reason] ?? 0, first?.rejected?.[reason], last?.rejected?.[reason]),
        ),
    }),
    histogram: (
      now: Histogram | undefined,
      first: Histogram | undefined,
      last: Histogram | undefined,
    ): Histogram | undefined =>
      now && {
        bounds: now.bounds,
        counts: now.counts.map((count, i) => grown(count, first?.counts[i], last?.counts[i])),
        sum: grown(now.sum, first?.sum, last?.sum),
        count: grown(now.count, first?.count, last?.count),
      },
    virtualTime: (
      now: VirtualTime | undefined,
      first: VirtualTime | undefined,
      last: VirtualTime | undefined,
    ): VirtualTime | undefined =>
      now && recordOf(VIRTUAL_TIMES, (name) => number(now[name], first?.[name], last?.[name])),
  }
}

const VIRTUAL_TIMES = VirtualTimeSchema.keyof().options

/** The dump after this many laps, everything in it `movedMs` later. */
export function dumpInLap(dump: DumpFrame, laps: number, { first, last }: Lap, movedMs: number): DumpFrame {
  const grown = (level: DumpLevel): Pick<DumpLevel, 'dispatched' | 'rejected' | 'timedOut' | 'cancelled'> =>
    recordOf(['dispatched', 'rejected', 'timedOut', 'cancelled'], (key) => {
      const [from = 0, to = 0] = [first, last].map(({ dumped }) => dumped.get(level.name)?.[key])
      return (level[key] ?? 0) + laps * (to - from)
    })
  const virtualTime = (name: string): number => {
    const [from, to] = [first, last].map(({ levels }) => levels.get(name)?.virtualTime?.currentR)
    return laps * ((to ?? 0) - (from ?? 0))
  }
  return {
    ...dump,
    at: new Date(unixMsOf(dump.at) + movedMs).toISOString(),
    ...(dump.levels && {
      levels: dump.levels.map((level) => ({ ...level, ...grown(level) })),
    }),
    ...(dump.queues && {
      queues: dump.queues.map((queue) => ({
        ...queue,
        nextDispatchR: (queue.nextDispatchR ?? 0) + virtualTime(queue.level),
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
