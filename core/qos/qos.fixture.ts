import fc from 'fast-check'
import {
  type Limiter,
  type QosClass,
  type QosConfiguration,
  type QosRule,
  type Subject,
  DEFAULT_SETTINGS,
} from './configuration.ts'
import { CONDITION_KINDS, COSTS, OPS } from './operations.ts'
import { keyOperation } from './record.ts'
import type { QosRequest, RangeOptions } from './request.ts'

// Rules, classes and requests of the tests of this folder.

export const aClass = (name: string, limiter: Limiter, given: Partial<QosClass> = {}): QosClass => ({
  name,
  limiter,
  overflow: { action: 'reject' },
  cost: 'requests',
  groupBy: { by: 'none' },
  maxGroups: 1_000,
  ...given,
})

export const aRule = (name: string, given: Partial<QosRule> = {}): QosRule => ({
  name,
  qClassName: 'c',
  priority: 10,
  enabled: true,
  subjects: [],
  prefixPaths: [],
  ranges: [],
  keyMatch: 'overlap',
  ops: [],
  methods: [],
  minRetry: 0,
  conditions: [],
  scope: 'class',
  ...given,
})

export const aConfiguration = (
  classes: readonly QosClass[],
  rules: readonly QosRule[],
  settings: Partial<QosConfiguration['settings']> = {},
): QosConfiguration => ({ classes, rules, settings: { ...DEFAULT_SETTINGS, ...settings } })

const CALLER = { user: '', clientIP: '' }

export const range = (
  key: string,
  reach?: 'prefix' | { readonly end: string },
  options?: RangeOptions,
): QosRequest => ({ method: 'KV/Range', body: keyOperation('Range', key, reach, options), ...CALLER })

export const put = (key: string): QosRequest => ({ method: 'KV/Put', body: { op: 'Put', key }, ...CALLER })

export const deletePrefix = (key: string): QosRequest => ({
  method: 'KV/DeleteRange',
  body: keyOperation('DeleteRange', key, 'prefix'),
  ...CALLER,
})

export const txn = (success: readonly QosRequest[], failure: readonly QosRequest[] = []): QosRequest => {
  const elements = (requests: readonly QosRequest[]) => requests.flatMap(({ body }) => (body ? [body] : []))
  return { method: 'KV/Txn', body: { op: 'Txn', success: elements(success), failure: elements(failure) }, ...CALLER }
}

export const authenticate = (name: string): QosRequest => ({ method: 'Auth/Authenticate', name, ...CALLER })
export const watch: QosRequest = { method: 'Watch/Watch', ...CALLER }

// Few letters, so that keys, callers and rules often coincide.

const LETTERS = ['a', 'b', '/', '\0', '\xff']
export const aKey = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 4 })
const aPath = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 3 })
const aUser = fc.constantFrom('', 'alice', 'alan', 'bob')
const anAddress = fc.constantFrom('', '10.0.0.1', '10.1.0.1', '192.168.0.7', 'fd00::1', 'no address')

const anElement = fc.oneof(
  fc.record({ op: fc.constant('Put' as const), key: aKey }),
  fc
    .record({
      op: fc.constantFrom('Range' as const, 'DeleteRange' as const),
      key: aKey,
      reach: fc.oneof(
        fc.constant(undefined),
        fc.constant('prefix' as const),
        fc.record({ end: aKey }),
        fc.constant({ end: '\0' }),
      ),
    })
    .map(({ op, key, reach }) => keyOperation(op, key, reach)),
)

const caller = { user: aUser, clientIP: anAddress }
const sizes = { requestBytes: fc.nat(50), previousAttempts: fc.nat(3) }

export const aRequest: fc.Arbitrary<QosRequest> = fc.oneof(
  fc
    .record({ body: anElement, ...caller, ...sizes })
    .map((request): QosRequest => ({ ...request, method: `KV/${request.body.op}` })),
  fc.record({
    method: fc.constant('KV/Txn'),
    body: fc.record({
      op: fc.constant('Txn' as const),
      success: fc.array(anElement, { maxLength: 3 }),
      failure: fc.array(anElement, { maxLength: 2 }),
    }),
    ...caller,
    ...sizes,
  }),
  fc.record({
    method: fc.constantFrom('KV/Compact', 'Lease/LeaseGrant', 'Cluster/MemberList', 'Watch/Watch', 'Auth/Authenticate'),
    ...caller,
    ...sizes,
  }),
)

const aSubject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ user: fc.constantFrom('alice', 'al*', '*', 'bob', 'a*') }),
  fc.record({ clientIP: fc.constantFrom('10.0.0.0/8', '10.0.0.1', '192.168.0.0/16', 'fd00::/8') }),
  fc.record({ user: fc.constantFrom('alice', 'al*'), clientIP: fc.constantFrom('10.0.0.0/8', '10.0.0.1') }),
)

const some = <T>(one: fc.Arbitrary<T>, maxLength = 2): fc.Arbitrary<readonly T[]> =>
  fc.oneof(fc.constant<readonly T[]>([]), fc.array(one, { maxLength }))

export const ruleNamed = (name: string): fc.Arbitrary<QosRule> =>
  fc.record({
    name: fc.constant(name),
    qClassName: fc.constant('c'),
    priority: fc.integer({ min: 1, max: 3 }),
    enabled: fc.boolean(),
    subjects: some(aSubject),
    prefixPaths: some(aPath),
    ranges: some(
      fc
        .record({ key: aPath, rangeEnd: fc.constantFrom('b', 'b/', String.raw`\x00`, '') })
        .filter(({ key, rangeEnd }) => rangeEnd === '' || rangeEnd.startsWith('\\') || rangeEnd > key),
    ),
    keyMatch: fc.constantFrom('overlap' as const, 'within' as const),
    ops: some(fc.constantFrom(...OPS.filter((op) => op !== 'Watch')), 3),
    methods: some(fc.constantFrom('KV/Range', 'KV/Put', 'KV/Txn', 'Cluster/MemberList', 'KV/DeleteRange'), 3),
    minRetry: fc.constantFrom(0, 0, 0, 2),
    conditions: some(
      fc.record({ kind: fc.constantFrom(...CONDITION_KINDS), threshold: fc.constantFrom(0, 0.5, 10, 30) }),
    ),
    scope: fc.constantFrom('class' as const, 'rule' as const),
  })

export const someRules: fc.Arbitrary<readonly QosRule[]> = fc
  .nat({ max: 8 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => ruleNamed(`r${index}`))))

export const aLimiter: fc.Arbitrary<Limiter> = fc.oneof(
  fc.record({
    qdisc: fc.constant('tbf' as const),
    qps: fc.constantFrom(0.3, 1, 7, 100),
    burst: fc.constantFrom(1, 2.5, 10),
  }),
  fc.record({ qdisc: fc.constant('lbf' as const), qps: fc.constantFrom(0.3, 1, 7, 100) }),
  fc.record({ qdisc: fc.constant('maxinflight' as const), num: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    qdisc: fc.constant('window' as const),
    limit: fc.integer({ min: 1, max: 10 }),
    windowMs: fc.constantFrom(100, 1_000, 5_000),
  }),
)

export const classNamed = (name: string): fc.Arbitrary<QosClass> =>
  fc
    .record({
      name: fc.constant(name),
      limiter: aLimiter,
      overflow: fc.oneof(
        fc.constant({ action: 'reject' as const }),
        fc.record({
          action: fc.constant('delay' as const),
          maxDelayMs: fc.constantFrom(50, 1_000, 60_000),
          maxWaiting: fc.integer({ min: 1, max: 3 }),
        }),
      ),
      cost: fc.constantFrom(...COSTS),
      groupBy: fc.oneof(
        fc.record({ by: fc.constantFrom('none' as const, 'user' as const, 'clientIP' as const) }),
        fc.record({ by: fc.constant('prefix' as const), segments: fc.integer({ min: 1, max: 2 }) }),
      ),
      maxGroups: fc.constantFrom(1, 2, 1_000),
    })
    // Validation rejects this combination.
    .map((one) =>
      one.limiter.qdisc === 'maxinflight' && one.cost === 'failedRequests'
        ? { ...one, cost: 'requests' as const }
        : one,
    )
