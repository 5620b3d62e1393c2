import type { EtcdLevel } from '../contract/etcd.ts'
import { msToNs, type Nanoseconds, nsToMs } from '../units.ts'
import { sameJson, toJson } from '../manifest/json.ts'
import { actualOf, groupOf, unitsOf } from './charge.ts'
import type { QosClass, QosConfiguration } from './configuration.ts'
import type { Applied, Decided, Decision, LimitReason } from './decision.ts'
import { type Discipline, disciplineOf } from './discipline.ts'
import {
  type CompiledRule,
  compileRules,
  type Evidence,
  needsPrediction,
  ruleMatches,
  type Subjected,
  subjected,
} from './match.ts'
import { OPS, OTHER, PREDICTED_COSTS } from './operations.ts'
import { Hashes, type QosRequest } from './request.ts'
import {
  type Charge,
  countFailure,
  deadlineOf,
  expectedAt,
  failuresOf,
  type Group,
  groupIn,
  type InFlight,
  type Pool,
  type QosState,
  startQosState,
  type Waiting,
} from './state.ts'
import { average, averageOf, kindOf, type Observed, type Prediction, touch, track } from './tracker.ts'

/** State of a class for one group, and for one rule where each has its own state. */
export interface ClassLevel {
  readonly className: string
  readonly rule?: string
  readonly group: string
  readonly level: EtcdLevel
  readonly waiting: number
}

interface Candidate {
  readonly compiled: CompiledRule
  readonly pool: string
  readonly definition: QosClass
  readonly discipline: Discipline
}

/** Decides about requests by rules and classes (QoS specification 2, 3, 6). The caller's clock never goes back. */
export class QosEngine {
  readonly state: QosState
  readonly #onSettled: (decision: Decision) => void
  readonly #settings: QosConfiguration['settings']
  /** Rules that may match an operation, highest precedence first; `undefined` for a Txn. */
  readonly #candidates: ReadonlyMap<string | undefined, readonly Candidate[]>
  readonly #predicting: readonly CompiledRule[]
  readonly #disciplines = new Map<string, Discipline>()
  readonly #mostRetries: number
  readonly #hashes = new Hashes()
  /** Groups with waiting requests. */
  readonly #waiting = new Map<Group, Pool>()

  /**
   * Continues from a state: unchanged classes keep theirs; others, and those that no enabled rule uses any more, start
   * over, and requests that wait in them pass.
   * `onSettled` is called with each decision about a request that waited, in order of time; it must not call the
   * engine.
   */
  constructor(
    configuration: QosConfiguration,
    onSettled: (decision: Decision) => void,
    state: QosState = startQosState(),
  ) {
    this.state = state
    this.#onSettled = onSettled
    this.#settings = configuration.settings
    const classes = new Map(configuration.classes.map((one) => [one.name, one]))
    for (const one of configuration.classes) this.#disciplines.set(one.name, disciplineOf(one.limiter))
    const all = compileRules(configuration.rules).map((compiled): Candidate => {
      const definition = classes.get(compiled.rule.qClassName)
      const discipline = this.#disciplines.get(compiled.rule.qClassName)
      if (definition === undefined || discipline === undefined)
        throw new Error(`rule ${compiled.rule.name} references a missing class`)
      const pool = compiled.rule.scope === 'rule' ? `${definition.name}/${compiled.rule.name}` : definition.name
      return { compiled, pool, definition, discipline }
    })
    const mayMatch = (op: string) => all.filter(({ compiled: { ops } }) => ops.size === 0 || ops.has(op))
    this.#candidates = new Map<string | undefined, readonly Candidate[]>([
      [undefined, all],
      ...[...OPS, OTHER].map((op) => [op, mayMatch(op)] as const),
    ])
    this.#predicting = all
      .filter(({ compiled, definition }) => needsPrediction(compiled.rule) || PREDICTED_COSTS.has(definition.cost))
      .map(({ compiled }) => compiled)
    this.#mostRetries = Math.max(0, ...all.map(({ compiled }) => compiled.rule.minRetry))
    const used = new Set(all.map(({ pool }) => pool))
    for (const [name, pool] of state.pools) {
      const same = used.has(name) ? classes.get(pool.definition.name) : undefined
      if (same === undefined || !sameJson(toJson(same), toJson(pool.definition))) {
        for (const added of [...pool.groups.values()].flatMap(({ waiting }) => waiting)) state.released.push(added)
        state.pools.delete(name)
        continue
      }
      for (const group of pool.groups.values()) if (group.waiting.length > 0) this.#waiting.set(group, pool)
    }
  }

  /** When to call `advance` next: a waiting request is admitted or rejected then. `Infinity` while none waits. */
  get nextNs(): Nanoseconds {
    if (this.state.released.length > 0) return this.state.now
    let next = Number.POSITIVE_INFINITY
    for (const [group, { definition }] of this.#waiting) {
      const [head] = group.waiting
      if (head === undefined) continue
      const admitted = this.#disciplineOf(definition).admissibleAt(group.level, head.applied.need, this.state.now)
      next = Math.min(next, admitted, deadlineOf(head, definition))
    }
    return next
  }

  /** Part of the storage quota in use, 0 to 1; `undefined` if unknown, in which case no condition on it holds. */
  setStorageQuotaUsed(used: number | undefined): void {
    this.state.storageQuotaUsed = used
  }

  advance(now: Nanoseconds): void {
    this.#settle(now)
  }

  arrive(request: QosRequest, at: Nanoseconds): Decision {
    const now = this.#settle(at)
    const id = this.state.nextId++
    const subject = subjected(request)
    const hash = this.#needsHash() ? this.#hashes.of(request) : undefined
    const evidence = this.#evidence(request, hash)
    const decided: Decided = { id, at: now, request, evidence, ...(hash !== undefined && { hash }) }
    const found = this.#candidatesOf(subject).find(({ compiled }) => ruleMatches(compiled, subject, evidence))
    if (found === undefined) {
      this.#begin(decided, hash, undefined)
      return { ...decided, verdict: 'passed' }
    }
    return this.#test(found, subject, decided, hash)
  }

  /** The call of a request that passed has ended, successfully or not. An unknown id is ignored. */
  end(id: number, observed: Observed, at: Nanoseconds): void {
    const now = this.#settle(at)
    const call = this.state.inFlight.get(id)
    if (call === undefined) return
    this.state.inFlight.delete(id)
    this.#learn(call, observed)
    if (call.charge !== undefined) this.#correct(call.charge, call.request, observed, now)
    if (!observed.ok) this.#countFailure(call.hash, call.request, now)
    this.#settle(now)
  }

  /** State of each class, the most recently used group of each first. A class that has not been used yet is absent. */
  levels(at: Nanoseconds): readonly ClassLevel[] {
    const now = Math.max(at, this.state.now)
    return [...this.state.pools].flatMap(([name, { definition, groups }]) => {
      const rule = name.slice(definition.name.length + 1)
      const discipline = this.#disciplineOf(definition)
      return [...groups].toReversed().map(([group, { level, waiting }]) => ({
        className: definition.name,
        ...(rule !== '' && { rule }),
        group,
        level: discipline.level(level, now),
        waiting: waiting.length,
      }))
    })
  }

  /** Removes a waiting request from its queue, without a charge; `false` if it does not wait. */
  cancel(id: number, at: Nanoseconds): boolean {
    const now = this.#settle(at)
    for (const group of this.#waiting.keys()) {
      const index = group.waiting.findIndex((one) => one.id === id)
      if (index === -1) continue
      group.waiting.splice(index, 1)
      if (group.waiting.length === 0) this.#waiting.delete(group)
      this.#settle(now)
      return true
    }
    return false
  }

  #needsHash(): boolean {
    return this.#predicting.length > 0 || this.#mostRetries > 0 || this.state.tracker.size > 0
  }

  #candidatesOf({ atoms, limited }: Subjected): readonly Candidate[] {
    if (!limited) return []
    return this.#candidates.get(atoms.length === 1 ? atoms[0]?.op : undefined) ?? []
  }

  #evidence(request: QosRequest, hash: string | undefined): Evidence {
    const { storageQuotaUsed, tracker, statistics, lookups } = this.state
    const tracked = hash === undefined ? undefined : touch(tracker, hash)
    if (hash !== undefined) lookups[tracked === undefined ? 'misses' : 'hits'] += 1
    const kind = tracked === undefined && this.#averages() ? kindOf(request) : undefined
    const prediction: Prediction | undefined = tracked ?? (kind === undefined ? undefined : averageOf(statistics, kind))
    return {
      // The client reports the former, so it may only add.
      retry: Math.max(request.previousAttempts ?? 0, this.#retriesOf(hash, request)),
      ...(storageQuotaUsed !== undefined && { storageQuotaUsed }),
      ...(prediction !== undefined && {
        prediction,
        predictedBy: tracked === undefined ? 'statistics' : 'tracker',
      }),
    }
  }

  #averages(): boolean {
    return this.#settings.estimator === 'lru+stats' && this.#predicting.length > 0
  }

  #test(found: Candidate, subject: Subjected, decided: Decided, hash: string | undefined): Decision {
    const { definition, discipline, compiled } = found
    const { request, evidence, at: now } = decided
    const group = groupOf(definition, compiled, subject)
    const state = groupIn(this.state, found, group)
    const { need, charged } = unitsOf(definition.cost, request, evidence.prediction)
    const applied: Applied = {
      rule: compiled.rule.name,
      className: definition.name,
      group,
      cost: definition.cost,
      need,
      charged,
      before: discipline.level(state.level, now),
    }
    const admitted = discipline.admissibleAt(state.level, need, now)
    if (state.waiting.length === 0 && admitted === now) {
      discipline.charge(state.level, charged, now)
      this.#begin(decided, hash, { pool: found.pool, serial: state.serial, group, charged, at: now })
      return { ...decided, verdict: 'passed', applied }
    }
    const refuse = (reason: LimitReason): Decision => this.#refuse(decided, applied, reason, state, hash)
    const { overflow, limiter } = definition
    if (overflow.action === 'reject') return refuse(REASONS[limiter.qdisc])
    const pool = this.state.pools.get(found.pool)
    // Only groups with waiting requests are kept beyond the limit, so a request without a place may not wait.
    const crowded = pool === undefined || pool.groups.size > definition.maxGroups
    if (crowded || state.waiting.length >= overflow.maxWaiting) return refuse('waiting-full')
    const expected = expectedAt(discipline, state, need, now)
    const unknown = limiter.qdisc === 'maxinflight'
    if (!unknown && expected > now + msToNs(overflow.maxDelayMs)) return refuse('delay-too-long')
    state.waiting.push({ ...decided, applied, pool: found.pool })
    this.#waiting.set(state, pool)
    return { ...decided, verdict: 'waiting', applied, ...(!unknown && { expectedMs: nsToMs(expected - now) }) }
  }

  #refuse(
    decided: Decided,
    applied: Applied,
    reason: LimitReason,
    { level }: Group,
    hash: string | undefined,
    waitedMs?: number,
  ): Decision {
    const { at: now, request } = decided
    this.#countFailure(hash, request, now)
    const discipline = this.#disciplines.get(applied.className)
    const [retryAfterMs, admittedInMs] = [1, applied.need].map((units) => {
      const free = discipline?.admissibleAt(level, units, now) ?? Number.POSITIVE_INFINITY
      // The end of calls in flight cannot be predicted.
      return applied.before.qdisc !== 'maxinflight' && Number.isFinite(free) ? Math.ceil(nsToMs(free - now)) : undefined
    })
    return {
      ...decided,
      verdict: 'limited',
      applied,
      reason,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(admittedInMs !== undefined && { admittedInMs }),
      ...(waitedMs !== undefined && { waitedMs }),
    }
  }

  /** Stores what the end of a call will need. */
  #begin({ id, request, evidence }: Decided, hash: string | undefined, charge: Charge | undefined): void {
    if (hash === undefined && charge === undefined && !this.#averages()) return
    this.state.inFlight.set(id, {
      request,
      retry: evidence.retry,
      ...(hash !== undefined && { hash }),
      ...(charge !== undefined && { charge }),
    })
  }

  #learn({ request, retry, hash }: InFlight, observed: Observed): void {
    const { storageQuotaUsed, tracker, statistics, lookups } = this.state
    if (hash !== undefined) {
      const worthKeeping = (): boolean => {
        const subject = subjected(request)
        const evidence: Evidence = {
          retry,
          prediction: observed,
          ...(storageQuotaUsed !== undefined && { storageQuotaUsed }),
        }
        return this.#predicting.some((compiled) => ruleMatches(compiled, subject, evidence))
      }
      lookups.evictions += track(tracker, hash, observed, { capacity: this.#settings.trackerCapacity, worthKeeping })
    }
    const kind = this.#averages() ? kindOf(request) : undefined
    if (kind !== undefined) average(statistics, kind, observed)
  }

  /** Charges the difference between the actual and the expected cost of a call (QoS specification 2). */
  #correct(
    { pool, serial, group, charged, at }: Charge,
    request: QosRequest,
    observed: Observed,
    now: Nanoseconds,
  ): void {
    const definition = this.state.pools.get(pool)?.definition
    const state = this.state.pools.get(pool)?.groups.get(group)
    // A state that was dropped in the meantime no longer has this call.
    if (definition === undefined || state === undefined || state.serial !== serial) return
    const discipline = this.#disciplineOf(definition)
    if (definition.limiter.qdisc === 'maxinflight') {
      discipline.refund(state.level, charged, at)
      return
    }
    const actual = actualOf(definition.cost, request, observed) ?? charged
    // The cost of a failed call is not measured completely, so at least the expected cost stays charged.
    const difference = observed.ok ? actual - charged : Math.max(0, actual - charged)
    if (difference > 0) discipline.charge(state.level, difference, now)
    else if (difference < 0) discipline.refund(state.level, -difference, at)
  }

  #retriesOf(hash: string | undefined, request: QosRequest): number {
    return this.#mostRetries === 0 || hash === undefined ? 0 : failuresOf(this.state, hash, request)
  }

  #countFailure(hash: string | undefined, request: QosRequest, at: Nanoseconds): void {
    if (this.#mostRetries > 0 && hash !== undefined)
      countFailure(this.state, hash, request, { at, most: this.#mostRetries })
  }

  #disciplineOf({ name }: QosClass): Discipline {
    const discipline = this.#disciplines.get(name)
    if (discipline === undefined) throw new Error(`class ${name} does not exist`)
    return discipline
  }

  /** Decides about waiting requests, up to a time. Returns that time, or the previous one if that is later. */
  #settle(at: Nanoseconds): Nanoseconds {
    const { state } = this
    const now = Math.max(at, state.now)
    if (this.#waiting.size === 0 && state.released.length === 0) {
      state.now = now
      return now
    }
    const settled: Decision[] = state.released.map((one) => this.#released(one))
    state.released.length = 0
    for (const [group, pool] of this.#waiting) {
      for (const added of this.#settleGroup(group, pool, now)) settled.push(added)
      if (group.waiting.length === 0) this.#waiting.delete(group)
    }
    state.now = now
    for (const decision of settled.toSorted((a, b) => a.at - b.at || a.id - b.id)) this.#onSettled(decision)
    return now
  }

  #released({ id, at: since, request, evidence, applied, hash }: Waiting): Decision {
    const decided: Decided = { id, at: this.state.now, request, evidence, ...(hash !== undefined && { hash }) }
    this.#begin(decided, hash, undefined)
    return { ...decided, verdict: 'delayed', applied, waitedMs: nsToMs(decided.at - since) }
  }

  #settleGroup(group: Group, { definition }: Pool, now: Nanoseconds): readonly Decision[] {
    const discipline = this.#disciplineOf(definition)
    const settled: Decision[] = []
    let from = this.state.now
    for (let head = group.waiting[0]; head !== undefined; head = group.waiting[0]) {
      const { applied, pool, ...decided } = head
      const admitted = discipline.admissibleAt(group.level, applied.need, from)
      const deadline = deadlineOf(head, definition)
      if (Math.min(admitted, deadline) > now) break
      group.waiting.shift()
      if (admitted <= deadline) {
        from = admitted
        const before = discipline.level(group.level, admitted)
        discipline.charge(group.level, applied.charged, admitted)
        const { group: value, charged } = applied
        this.#begin(decided, decided.hash, { pool, serial: group.serial, group: value, charged, at: admitted })
        const waitedMs = nsToMs(admitted - decided.at)
        settled.push({ ...decided, at: admitted, verdict: 'delayed', applied: { ...applied, before }, waitedMs })
      } else {
        from = Math.max(from, deadline)
        const before = discipline.level(group.level, deadline)
        const waitedMs = nsToMs(deadline - decided.at)
        const late: Decided = { ...decided, at: deadline }
        settled.push(this.#refuse(late, { ...applied, before }, 'delay-too-long', group, decided.hash, waitedMs))
      }
    }
    return settled
  }
}

const REASONS = { tbf: 'rate', lbf: 'rate', maxinflight: 'inflight', window: 'window' } as const
