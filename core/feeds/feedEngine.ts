import { type ApfEngine, type EngineConfiguration } from '../engine/apfEngine.ts'
import { type ServerFacts, tellFacts } from '../engine/facts.ts'
import { NO_OUTCOME, type Outcome, outcomeOf, plus } from '../live/outcome.ts'
import type { LiveRow } from '../live/requestLog.ts'
import { type Call, Run, type RunOptions, type RunRequest } from '../run/run.ts'
import { msToNs, type Nanoseconds, nsToMs, secondsToNs, type UnixMs, unixMsAfter } from '../units.ts'
import { classify, orderFlowSchemas, type RequestDigest, type User } from '../request/match.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import { usersOf } from '../guard/shadowing.ts'
import type { FlowSchema } from '../config/objects.ts'
import type { Lane } from '../live/reportedTimes.ts'

/**
 * Receives the same calls as the engine, so that a candidate can run alongside. Times are nanoseconds since `began`.
 */
export interface FeedListener {
  /** A new engine begins at this time: at the first event, and after gaps of hours. */
  began(startUnixMs: UnixMs): void
  moved(ns: Nanoseconds): void
  arrived(row: LiveRow, request: RunRequest): void
  /** It took this long on the server; for a watch, until it was initialised. */
  lasted(row: LiveRow, durationNs: Nanoseconds): void
  watchEnded(row: LiveRow): void
  /** Its client disconnected. */
  abandoned(row: LiveRow): void
  /** The facts about the server, repeated before they expire. */
  onFacts(facts: ServerFacts): void
}

/** Priority and Fairness if absent. */
export type FeedEngineOptions = Omit<RunOptions, 'startUnixMs' | 'mode'> & Partial<Pick<RunOptions, 'mode'>>

/**
 * Statistics expire after three minutes; the available ones are set again before that. So are watches: the clients of
 * watches that were open before the feed began come back one by one, and appear in the feed then.
 */
const FACTS_AGAIN_NS = secondsToNs(60)

/** The engine of a feed with all state that outlives it: it begins anew where the time of the events makes a leap. */
export class FeedEngine {
  private readonly options: FeedEngineOptions
  private readonly listeners = new Set<FeedListener>()
  private configuration: EngineConfiguration = { levels: [], schemas: [] }
  private startMs: number
  private run: Run<LiveRow>
  private known: ServerFacts | undefined
  private factsAtNs = Number.NEGATIVE_INFINITY
  /** Waiting requests of which only wait and execution together are known. */
  private readonly waiting = new Map<Call, (waitedNs: Nanoseconds) => void>()
  /** Decisions of the engines before the present one. */
  before: Outcome = NO_OUTCOME
  private waitedBefore = 0
  standIns: StandIns = createStandIns(this.configuration, new Set())

  constructor(options: FeedEngineOptions, startUnixMs: UnixMs) {
    this.options = options
    this.startMs = startUnixMs
    this.run = this.newRun()
  }

  get engine(): ApfEngine<Call<LiveRow>> {
    return this.run.engine
  }

  get nowMs(): number {
    return unixMsAfter(this.startMs, this.run.engine.nowNs)
  }

  /** Total seconds that dispatched requests have waited. */
  get waitedSeconds(): number {
    const lanes = this.engine.snapshot().levels.flatMap((level) => level.lanes)
    return lanes.reduce((total, { wait }) => total + wait.sum, this.waitedBefore)
  }

  get hasFacts(): boolean {
    return this.known !== undefined
  }

  begin(startUnixMs: UnixMs): void {
    this.waiting.clear()
    this.waitedBefore = this.waitedSeconds
    this.before = plus(this.before, outcomeOf(this.engine.snapshot()))
    this.startMs = startUnixMs
    this.run = this.newRun()
    this.factsAtNs = Number.NEGATIVE_INFINITY
    this.configure(this.configuration)
    for (const listener of this.listeners) listener.began(startUnixMs)
  }

  configure(configuration: EngineConfiguration): void {
    this.configuration = configuration
    const report = this.run.engine.configure(configuration)
    const refused = new Set(report.refused.map(({ name }) => name))
    this.standIns = createStandIns(configuration, refused)
  }

  /** Flow schema and level in which the engine would place a request. */
  laneOf(digest: RequestDigest): Lane {
    const { metadata, spec } = this.standIns.schemaOf(digest)
    return { level: spec.priorityLevelConfiguration.name, schema: metadata.name }
  }

  facts(facts: ServerFacts): void {
    this.known = facts
    this.tellFacts()
  }

  moveTo(unixMs: UnixMs): void {
    const ns = Math.max(this.run.engine.nowNs, msToNs(unixMs - this.startMs))
    this.run.moveTo(ns)
    for (const listener of this.listeners) listener.moved(ns)
    if (ns - this.factsAtNs >= FACTS_AGAIN_NS) this.tellFacts()
  }

  arrive(row: LiveRow, request: RunRequest): Call<LiveRow> {
    const call = this.run.arrive(request, row)
    for (const listener of this.listeners) listener.arrived(row, request)
    return call
  }

  lasted(row: LiveRow, call: Call<LiveRow>, ms: number): void {
    const ns = msToNs(ms)
    this.run.lasted(call, { durationNs: ns })
    for (const listener of this.listeners) listener.lasted(row, ns)
  }

  /**
   * It took this long on the server including its wait in a queue there. Its wait in the engine is assumed to equal
   * that wait, so that the rest is its execution; `onExecution` is called as soon as the engine dispatches it.
   */
  lastedInAll(row: LiveRow, call: Call<LiveRow>, ms: number, onExecution: (ms: number) => void): void {
    const known = (waitedNs: Nanoseconds): void => {
      const executionMs = Math.max(0, ms - nsToMs(waitedNs))
      onExecution(executionMs)
      this.lasted(row, call, executionMs)
    }
    if (call.decision.kind === 'waiting') this.waiting.set(call, known)
    else known(call.waitNs ?? 0)
  }

  /** Its client disconnected: it no longer waits or executes. */
  abandon(row: LiveRow, call: Call<LiveRow>): void {
    this.run.abandon(call)
    for (const listener of this.listeners) listener.abandoned(row)
  }

  watchEnded(row: LiveRow, call: Call<LiveRow>): void {
    this.run.endWatch(call)
    for (const listener of this.listeners) listener.watchEnded(row)
  }

  subscribe(listener: FeedListener): () => void {
    this.listeners.add(listener)
    listener.began(this.startMs)
    listener.moved(this.run.engine.nowNs)
    if (this.known !== undefined) listener.onFacts(this.known)
    return () => this.listeners.delete(listener)
  }

  private newRun(): Run<LiveRow> {
    return new Run<LiveRow>(
      { mode: 'priority-and-fairness', ...this.options, startUnixMs: this.startMs },
      {
        onDecision: (call) => {
          const known = this.waiting.get(call)
          if (known === undefined) return
          this.waiting.delete(call)
          known(call.waitNs ?? 0)
        },
      },
    )
  }

  private tellFacts(): void {
    const { engine } = this.run
    this.factsAtNs = engine.nowNs
    const { known } = this
    if (known === undefined) return
    tellFacts(engine, known)
    for (const listener of this.listeners) listener.onFacts(known)
  }
}

/** A server truncates the names in its log to this many bytes (specification 5.8). */
const LOGGED_BYTES = 64
const MOST_KNOWN = 20_000
const LONGEST_KNOWN = 1_024
/** Substitute in the users of `usersOf` for a name that no object contains. */
const UNNAMED = '\u0000'

/** Users that a log leaves out, reconstructed as far as the flow schema in the log identifies them. */
export interface StandIns {
  /** The schema in which our objects place a request. */
  schemaOf(digest: RequestDigest): FlowSchema
  /** The full name of a flow schema or a level that was logged, among ours. */
  fullName(logged: string): string
  /**
   * A user whose request our objects place in the schema; `undefined` if no user's would be. A user whom the schema
   * does not name is named by the client: one program on one address is one user.
   */
  userFor(schema: string, info: RequestInfo, client: string): User | undefined
}

/** Levels that the engine has. */
const usable = ({ levels }: EngineConfiguration, refused: ReadonlySet<string>): readonly string[] => [
  ...levels.map(({ metadata }) => metadata.name).filter((name) => !refused.has(name)),
  'exempt',
  'catch-all',
]

export function createStandIns(configuration: EngineConfiguration, refused: ReadonlySet<string>): StandIns {
  const names = usable(configuration, refused)
  const { order } = orderFlowSchemas(configuration.schemas, new Set(names))
  const byName = new Map(order.map((schema) => [schema.metadata.name, schema]))
  const cut = [...byName.keys(), ...names].filter((name) => name.length > LOGGED_BYTES)
  const known = new Map<string, User | undefined>()

  const pattern = (schema: FlowSchema, info: RequestInfo): User | undefined =>
    (schema.spec.rules ?? [])
      .flatMap(({ subjects }) => (subjects ?? []).flatMap(usersOf))
      .find((user) => classify(order, { user, info }) === schema)

  return {
    schemaOf: (digest) => classify(order, digest),
    fullName: (logged) =>
      logged.length < LOGGED_BYTES ? logged : (cut.find((name) => name.startsWith(logged)) ?? logged),
    userFor(name, info, client) {
      const schema = byName.get(name)
      if (schema === undefined) return undefined
      const kind = info.isResource
        ? `${name} ${info.verb} ${info.apiGroup} ${info.resource}/${info.subresource} ${info.namespace}`
        : `${name} ${info.verb} ${info.path}`
      if (kind.length > LONGEST_KNOWN) return named(pattern(schema, info), client)
      let found = known.get(kind)
      if (found === undefined && !known.has(kind)) {
        found = pattern(schema, info)
        if (known.size >= MOST_KNOWN) known.clear()
        known.set(kind, found)
      }
      return named(found, client)
    },
  }
}

const named = (found: User | undefined, client: string): User | undefined =>
  found === undefined ? undefined : { ...found, name: found.name.replace(UNNAMED, client) }
