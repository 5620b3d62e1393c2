import type { DumpQueue, DumpRequest } from '../../../core/frame/dump.ts'
import type { DerivedLevel } from '../../../core/frame/derived.ts'
import type { LevelFrame, SchemaFrame, ServerFrame } from '../../../core/frame/frame.ts'

/** Test data: a schema, a level, a server, a request, a queue; every call names only what it is about. */
export const schemaOf = (name: string, change: Partial<SchemaFrame> = {}): SchemaFrame => ({
  name,
  dispatched: undefined,
  seats: { executing: undefined, queued: undefined },
  requests: { executing: undefined, queued: undefined },
  noAccommodation: undefined,
  ...change,
})

export const levelOf = (name: string, change: Partial<LevelFrame> = {}): LevelFrame => ({
  name,
  limits: { nominal: 245, lower: 24, upper: 845, current: 307 },
  seats: { executing: 0, queued: 0 },
  requests: { executing: 0, queued: 0 },
  demand: { highWatermark: 0, average: 0, stdev: 0, smoothed: 0, target: 0 },
  dispatched: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
  noAccommodation: 0,
  schemas: [],
  ...change,
})

export const serverOf = (levels: LevelFrame[], change: Partial<ServerFrame> = {}): ServerFrame => ({
  id: 'a:6443',
  at: '2026-11-21T03:12:43.000Z',
  startedAt: undefined,
  seatFairFrac: 0.3229,
  levels,
  missing: [],
  ...change,
})

export const derivedOf = (name: string, change: Partial<DerivedLevel> = {}): DerivedLevel => ({
  name,
  schemas: [],
  ...change,
})

/** The instant of the dump in tests. */
export const AT = 1_000_000

export const requestOf = (change: Partial<DumpRequest> = {}): DumpRequest => ({
  level: 'workload-low',
  schema: 'service-accounts',
  queue: 3,
  position: 0,
  flow: 'system:serviceaccount:inventory:scanner',
  arrivedAt: AT - 2_000,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
  user: 'system:serviceaccount:inventory:scanner',
  verb: 'list',
  path: '/api/v1/namespaces/tenant-1/pods',
  namespace: 'tenant-1',
  resource: 'pods',
  ...change,
})

export const queueOf = (index: number, change: Partial<DumpQueue> = {}): DumpQueue => ({
  level: 'workload-low',
  index,
  pending: 0,
  executing: 0,
  seatsInUse: 0,
  nextDispatchR: 0,
  initialSeats: 0,
  maxSeats: 0,
  totalWork: 0,
  ...change,
})
