import type { User } from '../../../core/request/match.ts'
import type { FlowSchema, PriorityLevelConfiguration, Queuing } from '../../../core/config/objects.ts'
import {
  type Answer,
  type ApfEngine,
  type ApfEngineOptions,
  type EngineConfiguration,
} from '../../../core/engine/apfEngine.ts'
import { createApfEngine } from '../../../core/engine/createEngine.ts'
import { AS_UPSTREAM, type Corrections, profileFor } from '../../../core/engine/profiles.ts'
import { readRequestLine } from '../../../core/request/requestInfo.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { EngineRequest, Ticket } from '../../../core/engine/ticket.ts'
import { DEFAULT_OBJECTS } from './requests.ts'

export const SECOND_NS = 1e9
export const START_UNIX_MS = 1_700_000_000_000

export interface Told {
  readonly name: string
  readonly retryAfter?: number
}

export interface TestEngine {
  readonly engine: ApfEngine<string>
  readonly events: EngineEvent<string>[]
  /** The calls of the callbacks, in order. */
  readonly told: Told[]
}

type Options = Partial<Omit<ApfEngineOptions<string>, 'corrections'>> & {
  readonly corrections?: Partial<Corrections>
  readonly configuration?: EngineConfiguration
}

/** An engine as of 1.36 with the default objects at 600 seats by default. */
export function testEngine({ corrections, configuration = DEFAULT_OBJECTS, ...options }: Options = {}): TestEngine {
  const told: Told[] = []
  const events: EngineEvent<string>[] = []
  const engine = createApfEngine<string>({
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor('v1.36.3'),
    corrections: { ...AS_UPSTREAM, ...corrections },
    startUnixMs: START_UNIX_MS,
    onDispatch: ({ payload }) => void told.push({ name: payload.payload }),
    onTimeOut: ({ payload }, retryAfter) => void told.push({ name: payload.payload, retryAfter }),
    ...options,
  })
  engine.subscribe((event) => void events.push(event))
  engine.configure(configuration)
  return { engine, events, told }
}

export const ALICE: User = { name: 'alice', groups: ['system:authenticated'] }
export const MASTER: User = { name: 'root', groups: ['system:masters', 'system:authenticated'] }

export function request(
  name: string,
  line = 'GET /api/v1/namespaces/default/pods/one',
  rest: Partial<EngineRequest<string>> = {},
): EngineRequest<string> {
  const [method = '', target = ''] = line.split(' ')
  const read = readRequestLine(method, target)
  if (!read.ok) throw new Error(read.problem)
  return { user: ALICE, info: read.info, query: read.query, payload: name, ...rest }
}

/** The ticket of an answer of this kind. */
export function ticketOf<T>(answer: Answer<T>, kind: 'executing' | 'waiting' | 'rejected'): Ticket<T> {
  if (answer.kind !== kind) throw new Error(`the answer is ${answer.kind} instead of ${kind}`)
  return answer.ticket
}

/** One queuing level. Every request of `everythingTo` goes there. */
export const queueingLevel = (
  name: string,
  nominalConcurrencyShares: number,
  queuing: Queuing,
  rest: { readonly lendablePercent?: number; readonly borrowingLimitPercent?: number } = {},
): PriorityLevelConfiguration => ({
  metadata: { name, uid: `uid-of-${name}` },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares, limitResponse: { type: 'Queue', queuing }, ...rest },
  },
})

/** A schema that takes every request to this level, before all others. */
export const everythingTo = (level: string, name = `to-${level}`, matchingPrecedence = 2): FlowSchema => ({
  metadata: { name, uid: `uid-of-${name}` },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: '*' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
})
