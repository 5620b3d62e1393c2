import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { LevelFrame, ServerFrame } from '../../../core/frame/frame.ts'
import { NEEDED_FAMILIES } from '../../../core/metrics/catalogue.ts'

/** Unix milliseconds of the latest event in a reading: about when it was taken; `undefined` without any request. */
export function latestEvent({ requests }: DumpFrame): number | undefined {
  const times = requests?.flatMap(({ arrivedAt, startedAt }) => [arrivedAt, startedAt ?? arrivedAt]) ?? []
  return times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : undefined
}

/**
 * As much of a frame as debug dumps tell: numbers of requests, and seats where the queues were dumped too. The level
 * named exempt has no queues, so its seats stay unknown.
 */
export function frameFromDump(dump: DumpFrame): ServerFrame {
  const names = new Set([
    ...(dump.levels ?? []).map(({ name }) => name),
    ...(dump.queues ?? []).map(({ level }) => level),
    ...(dump.requests ?? []).map(({ level }) => level),
  ])
  const note = 'Only debug dumps were opened; open the /metrics text of the same server to see it.'
  return {
    id: dump.server,
    at: dump.at,
    levels: [...names].toSorted().map((name) => levelFromDump(dump, name)),
    missing: [...NEEDED_FAMILIES].toSorted().map((family) => ({ family, reason: 'not-exposed', note })),
  }
}

function levelFromDump(dump: DumpFrame, name: string): LevelFrame {
  const level = dump.levels?.find((row) => row.name === name)
  const queues = dump.queues?.filter((row) => row.level === name) ?? []
  const requests = dump.requests?.filter((row) => row.level === name)
  const waiting = requests?.filter(({ startedAt }) => startedAt === undefined).length
  const sum = (of: (queue: (typeof queues)[number]) => number): number | undefined =>
    queues.length > 0 ? queues.reduce((total, queue) => total + of(queue), 0) : undefined
  return {
    name,
    limits: {},
    seats: { executing: sum(({ seatsInUse }) => seatsInUse), queued: sum(({ maxSeats }) => maxSeats) },
    requests: {
      executing: level?.executing ?? (requests && waiting !== undefined ? requests.length - waiting : undefined),
      queued: level?.waiting ?? waiting,
    },
    demand: {},
    dispatched: level?.dispatched,
    schemas: [],
  }
}
