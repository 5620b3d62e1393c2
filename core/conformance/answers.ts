import type { z } from 'zod'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import { solve } from '../engine/solver.ts'
import { flowHash, hashFromBigInt, hashToBigInt } from '../request/match.ts'
import { FixedSeatSeconds, durationPerSeat, seatsTimesDuration } from '../engine/seatSeconds.ts'
import { deal } from '../engine/dealer.ts'
import { isLegalDealer, requiredEntropyBits } from '../config/shape.ts'
import { Clock } from '../engine/clock.ts'
import {
  dumpPriorityLevels,
  dumpQueues,
  dumpRequests,
  type DumpedRequest,
  dumpedLevels,
  dumpedQueues,
  placedRequests,
} from '../engine/dump.ts'
import { SeatRequest } from '../engine/queue.ts'
import {
  answerEstimate,
  estimateQuestion,
  answerMatch,
  matchQuestion,
  answerRequestInfo,
  answerWatches,
  requestQuestion,
  watchesQuestion,
  digestOf,
  sentRequestFields,
} from './requests.ts'
import { answerBorrow, answerLimits, borrowQuestion, limitsQuestion, level, levelObject, controller } from './levels.ts'
import {
  readQuestion,
  double,
  int,
  list,
  record,
  row,
  QuestionError,
  int64,
  oneOf,
  text,
  uint64,
  instant,
  signedCount,
} from './question.ts'
import { answerQueueSet, queueSetQuestion } from './queueSet.ts'
import {
  answerIntegrator,
  answerRetryAfter,
  answerTiming,
  integratorQuestion,
  retryAfterQuestion,
  timingQuestion,
} from './statistics.ts'

const withStatus = (objects: readonly object[]) => objects.map((object) => ({ ...object, status: {} }))

/** The built-in objects (specification 10), in upstream's order. */
const answerBootstrap = () => ({
  mandatoryPriorityLevelConfigurations: withStatus(mandatoryLevels),
  mandatoryFlowSchemas: withStatus(mandatorySchemas),
  suggestedPriorityLevelConfigurations: withStatus(suggestedLevels),
  suggestedFlowSchemas: withStatus(suggestedSchemas),
})

const solverQuestion = record({
  required: int,
  items: list(row({ lower: double, upper: double, target: double })),
})

/** One problem of distributing seats (specification 6.5). */
function answerSolver({ required, items }: z.output<typeof solverQuestion>) {
  const solution = solve(required, items)
  if (!solution.ok) return { fairProp: 0, error: solution.problem }
  const { allocations, fairFrac } = solution
  return { ...(allocations.length > 0 ? { allocs: allocations } : {}), fairProp: fairFrac }
}

const shardQuestion = record({ deck: int, hand: int, hash: uint64 })

/**
 * The result of upstream's conversion on amd64 for values outside the integer range, such as the bits for an empty
 * deck.
 */
const NO_INTEGER = -(2 ** 63)

/** One deal (specification 3.1, 3.2). */
function answerShard({ deck, hand, hash }: z.output<typeof shardQuestion>) {
  const bits = requiredEntropyBits(deck, hand)
  const entropyBits = Number.isFinite(bits) ? bits : NO_INTEGER
  if (!isLegalDealer(deck, hand)) return { entropyBits, legal: false, cards: null }
  const cards = new Int32Array(hand)
  deal(hashFromBigInt(hash), deck, hand, cards)
  return { entropyBits, legal: true, cards: [...cards] }
}

const flowHashQuestion = record({ flowSchema: text, distinguisher: text })

/** The hash of one flow (specification 2.7). */
const answerFlowHash = ({ flowSchema, distinguisher }: z.output<typeof flowHashQuestion>) => ({
  hash: String(hashToBigInt(flowHash(flowSchema, distinguisher))),
})

const seatSecondsQuestion = record({
  op: oneOf('times', 'perSeat', 'text', 'float'),
  seats: double,
  ns: int64,
  raw: uint64,
})

/** Arithmetic and text of seat-seconds (specification 0.3). */
function answerSeatSeconds({ op, seats, ns, raw }: z.output<typeof seatSecondsQuestion>) {
  const amount = FixedSeatSeconds.fromBigInt(raw)
  switch (op) {
    case 'times': {
      const product = new FixedSeatSeconds()
      product.addUnits(within64Bits(seatsTimesDuration(seats, Number(ns))))
      return { raw: String(product.toBigInt()) }
    }
    case 'perSeat':
      return { ns: String(BigInt(within64Bits(durationPerSeat(Number(raw), seats)))) }
    case 'text':
      return { text: amount.toString() }
    case 'float':
      return { float: amount.toSeconds() }
  }
}

function within64Bits(value: number): number {
  if (Math.abs(value) < 2 ** 63) return value
  throw new QuestionError('seats leads to a result of more than 64 bits, which is different on every processor.')
}

const dumpQuestion = record({
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

/** Requests that start and never finish, and the resulting texts of the three debug endpoints (specification 12). */
function answerDump({ serverConcurrencyLimit, startUnixNano, priorityLevels, starts }: z.output<typeof dumpQuestion>) {
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

/** What this engine models, corresponding to the oracle's report of its build. */
const answerVersion = () => ({
  seed: 0,
  generator: 'apf-console engine',
  modules: { 'k8s.io/apiserver': 'v0.37.2' },
})

interface Subcommand {
  readonly summary: string
  /** Whether it answers once, without a question. */
  readonly unasked: boolean
  readonly answer: (question: unknown) => unknown
}

const on = <S extends z.ZodType>(
  summary: string,
  schema: S,
  reply: (question: z.output<S>) => unknown,
): Subcommand => ({ summary, unasked: false, answer: (question) => reply(readQuestion(schema, question)) })

const unasked = (summary: string, reply: () => unknown): Subcommand => ({ summary, unasked: true, answer: reply })

const limits = on('limits of priority levels after one digest', limitsQuestion, answerLimits)

/** The questions that the oracle answers (test/oracle/README.md), answered by this engine. */
export const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map([
  ['shard', on('a hand of queues', shardQuestion, answerShard)],
  ['flowhash', on('the hash of a flow', flowHashQuestion, answerFlowHash)],
  ['seatseconds', on('arithmetic and text of seat-seconds', seatSecondsQuestion, answerSeatSeconds)],
  ['queueset', on('fair queuing of scripted arrivals in one level', queueSetQuestion, answerQueueSet)],
  ['solver', on('one distribution of seats', solverQuestion, answerSolver)],
  ['integrator', on('seat-demand statistics', integratorQuestion, answerIntegrator)],
  ['limits', limits],
  ['maxseats', { ...limits, summary: 'the same as limits' }],
  ['borrow', on('limits under demand over time', borrowQuestion, answerBorrow)],
  ['estimate', on('the work estimate of a request', estimateQuestion, answerEstimate)],
  ['watches', on('watches that receive a change', watchesQuestion, answerWatches)],
  ['match', on('flow schema, level and flow of requests', matchQuestion, answerMatch)],
  ['requestinfo', on('what method and address determine', requestQuestion, answerRequestInfo)],
  ['retryafter', on('Retry-After as requests are dropped', retryAfterQuestion, answerRetryAfter)],
  ['timing', on('a time-weighted histogram', timingQuestion, answerTiming)],
  ['dump', on('the texts of the debug endpoints', dumpQuestion, answerDump)],
  ['bootstrap', unasked('the built-in objects', answerBootstrap)],
  ['version', unasked('what the answers model', answerVersion)],
])

/** Answers one question, as JSON. Throws a QuestionError when it cannot be answered. */
export function answer(subcommand: string, question: unknown): unknown {
  const known = SUBCOMMANDS.get(subcommand)
  if (known === undefined) throw new Error(`there is no subcommand ${subcommand}`)
  return known.answer(question)
}
