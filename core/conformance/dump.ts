import type { z } from 'zod'
import { Clock } from '../engine/clock.ts'
import { dumpPriorityLevels, dumpQueues, dumpRequests, type DumpedRequest } from '../engine/debugDumps.ts'
import { dumpedLevels, dumpedQueues, placedRequests } from '../engine/dump.ts'
import { SeatRequest } from '../engine/queue.ts'
import { hashFromBigInt } from '../request/flow.ts'
import { level, levelObject } from './level.ts'
import { controller } from './levels.ts'
import { QuestionError, instant, int, int64, list, record, signedCount, text, uint64 } from './question.ts'
import { digestOf, sentRequestFields } from './requests.ts'

export const dumpQuestion = record({
  serverConcurrencyLimit: int,
  startUnixNano: int64,
  priorityLevels: list(level),
  starts: list(
    record({
      at: instant,
      priorityLevel: text,
      flowSchema: text,
      distinguisher: text,
      hash: uint64,
      ...sentRequestFields,
      initialSeats: int,
      finalSeats: int,
      additionalLatency: signedCount,
    }),
  ),
})

/** Requests that start and never finish, and the texts of the three debug endpoints then (specification 12). */
export function answerDump({
  serverConcurrencyLimit,
  startUnixNano,
  priorityLevels,
  starts,
}: z.output<typeof dumpQuestion>) {
  const clock = new Clock()
  const { levels } = controller<DumpedRequest>(clock, serverConcurrencyLimit)
  levels.digest(priorityLevels.map(levelObject))
  for (const start of starts) {
    clock.moveToExact(start.at)
    const { flowSchema, distinguisher, priorityLevel } = start
    const { user, info } = digestOf(start)
    const request = new SeatRequest({ flowSchema, distinguisher, user: user.name, info }, start)
    const kept = levels.get(priorityLevel)
    if (kept === undefined) throw new QuestionError(`priorityLevel ${JSON.stringify(priorityLevel)} is no level.`)
    kept.queueSet.arrive(request, hashFromBigInt(start.hash))
  }
  const all = levels.all()
  const requests = (details: boolean): string =>
    dumpRequests(placedRequests(all), { describe: ({ payload }) => payload, startUnixNs: startUnixNano, details })
  return {
    dump_priority_levels: dumpPriorityLevels(dumpedLevels(all, () => 0)),
    dump_queues: dumpQueues(dumpedQueues(all)),
    dump_requests: requests(false),
    dump_requests_details: requests(true),
  }
}
