import type { DerivedLevel, DerivedServer } from '../frame/derived.ts'
import { LevelSeriesSchema, type LevelSeries } from '../history/series.ts'
import { type LevelColumn, LEVEL_COLUMNS } from '../history/columns.ts'
import type { Frame, LevelFrame, Rejected, SchemaFrame, ServerFrame } from '../frame/frame.ts'

/** Small frames for the tests of this screen: a test only specifies the values that it is about. */
export interface LevelWish {
  name: string
  executing?: number
  queued?: number
  queuedRequests?: number
  nominal?: number
  current?: number
  lower?: number
  upper?: number
  smoothed?: number
  schemas?: readonly SchemaFrame[]
}

export const rejected = (wish: Partial<Rejected> = {}): Rejected => ({
  'queue-full': 0,
  'concurrency-limit': 0,
  'time-out': 0,
  ...wish,
})

export const schema = (name: string, wish: Partial<SchemaFrame> = {}): SchemaFrame => ({
  name,
  dispatched: 0,
  rejected: rejected(),
  seats: { executing: 0, queued: 0 },
  requests: { executing: 0, queued: 0 },
  noAccommodation: 0,
  ...wish,
})

export function level(wish: LevelWish): LevelFrame {
  const { name, executing = 0, queued = 0, queuedRequests = queued, nominal = 50, current = nominal } = wish
  return {
    name,
    limits: { nominal, current, lower: wish.lower ?? 0, upper: wish.upper ?? nominal + 600 },
    seats: { executing, queued },
    requests: { executing, queued: queuedRequests },
    demand: { highWatermark: executing, average: executing, stdev: 0, smoothed: wish.smoothed ?? executing, target: 1 },
    dispatched: 0,
    rejected: rejected(),
    noAccommodation: 0,
    schemas: [...(wish.schemas ?? [schema(name)])],
  }
}

export const server = (wish: Partial<ServerFrame> & { levels: LevelFrame[] }): ServerFrame => ({
  id: 'apiserver-a',
  at: '2026-11-21T03:12:43.000Z',
  version: 'v1.36.3',
  startedAt: 1_700_000_000,
  seatFairFrac: 0.3229,
  missing: [],
  ...wish,
})

export const frameOf = (...servers: ServerFrame[]): Frame => ({
  formatVersion: 1,
  at: servers[0]?.at ?? '2026-11-21T03:12:43.000Z',
  source: { kind: 'scrape', name: 'prod-eu-1', via: '/metrics direct' },
  servers,
})

/** Rates apply to the last sample and to the window of the present alike. */
export function derivedLevel(name: string, wish: Partial<DerivedLevel> = {}): DerivedLevel {
  const derived: DerivedLevel = {
    name,
    dispatchedPerSecond: 0,
    rejectedPerSecond: rejected(),
    schemas: [],
    ...wish,
  }
  const { rejectedPerSecond: rates, dispatchedPerSecond = 0 } = derived
  const counts = rates && {
    'queue-full': rates['queue-full'] * SECONDS,
    'concurrency-limit': rates['concurrency-limit'] * SECONDS,
    'time-out': rates['time-out'] * SECONDS,
  }
  return { recent: { seconds: SECONDS, dispatched: dispatchedPerSecond * SECONDS, rejected: counts }, ...derived }
}

const SECONDS = 10

export const derivedServer = (of: ServerFrame, levels: DerivedLevel[] = []): DerivedServer => ({
  id: of.id,
  intervalSeconds: 1,
  torn: false,
  levels: of.levels.map(({ name }) => levels.find((candidate) => candidate.name === name) ?? derivedLevel(name)),
})

/** The story of the mock-ups at 03:12:43: limits, floors and p come from the specification's arithmetic. */
export const scannerFlood = (): ServerFrame =>
  server({
    levels: [
      level({ name: 'exempt', executing: 3, nominal: 0, current: 5, upper: 600 }),
      level({ name: 'node-high', executing: 21, nominal: 98, current: 73, lower: 73 }),
      level({ name: 'system', executing: 36, nominal: 74, current: 50, lower: 50 }),
      level({ name: 'leader-election', executing: 2, nominal: 25, current: 25, lower: 25 }),
      level({ name: 'workload-high', executing: 64, nominal: 98, current: 75, lower: 49 }),
      level({
        name: 'workload-low',
        executing: 307,
        queued: 587,
        queuedRequests: 338,
        nominal: 245,
        current: 307,
        lower: 24,
        smoothed: 950.9,
      }),
      level({
        name: 'global-default',
        executing: 58,
        queued: 112,
        queuedRequests: 61,
        nominal: 49,
        current: 59,
        lower: 24,
      }),
      level({ name: 'catch-all', executing: 0, nominal: 13, current: 13, lower: 13 }),
    ],
  })

/** Columns of one level; those not given are empty. */
export function history(
  name: string,
  points: number,
  columns: Partial<Record<LevelColumn, (number | null)[]>>,
): LevelSeries {
  const blank = Array.from({ length: points }, () => null)
  return LevelSeriesSchema.parse({
    name,
    columns: Object.fromEntries(LEVEL_COLUMNS.map((key) => [key, columns[key] ?? blank])),
  })
}
