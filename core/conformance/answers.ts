import type { z } from 'zod'
import { answerBootstrap } from './bootstrap.ts'
import { answerDump, dumpQuestion } from './dump.ts'
import { answerEstimate, estimateQuestion } from './estimate.ts'
import {
  answerFlowHash,
  answerSeatSeconds,
  answerShard,
  flowHashQuestion,
  seatSecondsQuestion,
  shardQuestion,
} from './hashing.ts'
import { answerBorrow, answerLimits, borrowQuestion, limitsQuestion } from './levels.ts'
import { answerMatch, matchQuestion } from './match.ts'
import { readQuestion } from './question.ts'
import { answerQueueSet } from './queueSet.ts'
import { queueSetQuestion } from './queueSetQuestion.ts'
import { answerRequestInfo, answerWatches, requestQuestion, watchesQuestion } from './requests.ts'
import { answerSolver, solverQuestion } from './solver.ts'
import {
  answerIntegrator,
  answerRetryAfter,
  answerTiming,
  integratorQuestion,
  retryAfterQuestion,
  timingQuestion,
} from './statistics.ts'

/** What this engine is a model of, as the oracle tells what it is built from. */
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
  ['watches', on('watches that hear of a change', watchesQuestion, answerWatches)],
  ['match', on('flow schema, level and flow of requests', matchQuestion, answerMatch)],
  ['requestinfo', on('what method and address say', requestQuestion, answerRequestInfo)],
  ['retryafter', on('Retry-After as requests are dropped', retryAfterQuestion, answerRetryAfter)],
  ['timing', on('a time-weighted histogram', timingQuestion, answerTiming)],
  ['dump', on('the texts of the debug endpoints', dumpQuestion, answerDump)],
  ['bootstrap', unasked('the built-in objects', answerBootstrap)],
  ['version', unasked('what the answers are a model of', answerVersion)],
])

/** Answers one question, as JSON. Throws a QuestionError when it cannot be answered. */
export function answer(subcommand: string, question: unknown): unknown {
  const known = SUBCOMMANDS.get(subcommand)
  if (known === undefined) throw new Error(`there is no subcommand ${subcommand}`)
  return known.answer(question)
}
