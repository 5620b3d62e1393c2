import type {
  EtcdAdvice,
  EtcdChange,
  EtcdChanged,
  EtcdMonitor,
  EtcdPreview,
  EtcdRequest,
  EtcdRevision,
  EtcdState,
} from '../../core/contract/etcd.ts'
import { ProblemError } from '../../core/errors.ts'
import { getIn, isList, type Json, toJson } from '../../core/manifest/json.ts'
import { advise } from '../../core/qos/advise.ts'
import { type QosConfiguration, NO_RULES } from '../../core/qos/configuration.ts'
import {
  changeRules,
  documentOf,
  findingSentence,
  KINDS,
  type Kind,
  type RulesDocument,
} from '../../core/qos/document.ts'
import { QosEngine } from '../../core/qos/engine.ts'
import { decisionJson } from '../../core/qos/explain.ts'
import { previewOf } from '../../core/qos/preview.ts'
import { RecordReader } from '../../core/qos/record.ts'
import { hashOf } from '../../core/qos/request.ts'
import { type Seen, seenOf } from '../../core/qos/seen.ts'
import { monitors, Traffic } from '../../core/qos/traffic.ts'
import { msToNs, type Nanoseconds, secondsToNs } from '../../core/units.ts'
import type { Bypass } from './bypass.ts'
import type { AdmissionGate, Mode } from './admissionGate.ts'
import type { KeptRules, RulesStore } from './rulesStore.ts'
import type { StorageReading } from './storage.ts'
import { requestView, stateView, topView } from './view.ts'

export interface ManagementOptions {
  readonly gate: AdmissionGate
  /** Where changes are kept; absent when the rules come from files, which only their owner changes. */
  readonly store?: RulesStore
  readonly url: () => string
  readonly upstream: string
  readonly storage: () => StorageReading | undefined
  /** Absent where requests cannot bypass the proxy. */
  readonly bypass?: () => Bypass | undefined
  /** Monotonic milliseconds, the clock of the gate. */
  readonly now: () => number
  /** Unix milliseconds. */
  readonly time: () => number
}

/** Previews and advice do not include requests before this (QoS specification 8). */
const PREVIEWED_NS = secondsToNs(600)
const ADVISED_NS = secondsToNs(300)
const TOP_EVERY_NS = secondsToNs(5)
/** The number of decisions over which the median is computed. */
const MOST_TOOK = 1_000

/** The stored configuration and its revision. Rejects with `ProblemError` for rules that cannot be read any more. */
export async function keptConfiguration(
  store: RulesStore,
): Promise<{ readonly configuration: QosConfiguration; readonly mode: Mode; readonly revision: number }> {
  const kept = await store.read()
  return kept === undefined
    ? { configuration: NO_RULES, mode: 'enforce', revision: 0 }
    : { configuration: configurationOf(kept), mode: kept.mode, revision: kept.revision }
}

const configurationOf = ({ document }: KeptRules): QosConfiguration =>
  changeRules(NO_RULES, { action: 'import', document }).configuration

/** Operations on a running proxy: monitor it, try rules, and change them. */
export class Management {
  readonly traffic = new Traffic()
  readonly #options: ManagementOptions
  readonly #monitors = new Set<(seen: Seen) => void>()
  #revision: number
  #top: { readonly at: Nanoseconds; readonly top: EtcdState['top'] } | undefined
  #turn: Promise<unknown> = Promise.resolve()
  /** How long the latest decisions took, in milliseconds. */
  readonly #took = new Float64Array(MOST_TOOK)
  #decided = 0
  readonly #since: number
  watches = 0
  unread = 0

  constructor(options: ManagementOptions, revision: number) {
    this.#options = options
    this.#revision = revision
    this.#since = options.time()
    options.gate.on('ended', (decision, observed) => {
      const seen = seenOf(decision, observed)
      this.traffic.push(seen)
      for (const monitor of this.#monitors) monitor(seen)
    })
  }

  /** `null` where the rules come from files. */
  get revision(): number | null {
    return this.#options.store === undefined ? null : this.#revision
  }

  get #nowNs(): Nanoseconds {
    return msToNs(this.#options.now())
  }

  state(): EtcdState {
    const { gate, url, upstream, storage, bypass, time } = this.#options
    return stateView({
      gate,
      traffic: this.traffic,
      now: this.#nowNs,
      time: time(),
      url: url(),
      upstream,
      revision: this.revision,
      unread: this.unread,
      watches: this.watches,
      storage: storage(),
      bypass: bypass?.(),
      since: this.#since,
      decideMs: this.#decideMs(),
      top: this.#latestTop(),
    })
  }

  /** Summing covers up to 20,000 requests while clients of the proxy wait, so it does not run every second. */
  #latestTop(): EtcdState['top'] {
    const now = this.#nowNs
    if (this.#top === undefined || now - this.#top.at >= TOP_EVERY_NS)
      this.#top = { at: now, top: topView(this.traffic, now) }
    return this.#top.top
  }

  /** Records how long it took to read a request and to decide. */
  took(ms: number): void {
    this.#took[this.#decided % MOST_TOOK] = ms
    this.#decided += 1
  }

  /** Median of the latest; `undefined` before the first one. */
  #decideMs(): number | undefined {
    const latest = this.#took.slice(0, this.#decided).toSorted()
    return latest[Math.floor(latest.length / 2)]
  }

  /** Stores rules as the first revision, if none are stored. */
  async begin(configuration: QosConfiguration): Promise<void> {
    await this.change({ action: 'import', document: documentOf(configuration) })
  }

  /** Applies an edit of the rule files. */
  configure(configuration: QosConfiguration, mode?: Mode): void {
    this.#options.gate.configure(configuration, mode)
    this.traffic.forgetAllBut(new Set(configuration.rules.map(({ name }) => name)))
  }

  /**
   * Changes run one after another: each starts from the result of the one before. Rejects with `ProblemError`, changing
   * nothing.
   */
  change(change: EtcdChange): Promise<EtcdChanged> {
    const done = this.#turn.then(() => this.#change(change))
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #change(change: EtcdChange): Promise<EtcdChanged> {
    const { gate, store, time } = this.#options
    if (store === undefined) return this.#withoutStore(change)
    let next: QosConfiguration = gate.configuration
    let warnings: readonly string[] = []
    const { revision, mode } = await store.change(time(), (kept) => {
      const current = kept === undefined ? NO_RULES : configurationOf(kept)
      const before = documentOf(current)
      if (change.action === 'mode') {
        next = current
        return {
          mode: change.mode,
          document: toJson(before),
          action: 'mode',
          kind: '',
          name: '',
          before: kept?.mode ?? gate.mode,
          after: change.mode,
        }
      }
      const changed = changeRules(current, change)
      next = changed.configuration
      warnings = changed.warnings.map(findingSentence)
      const after = documentOf(next)
      const [kind, name] = change.action === 'import' ? ['', ''] : [change.kind, change.name]
      const part = (document: RulesDocument): Json =>
        change.action === 'import' ? toJson(document) : (entryOf(document, change.kind, change.name) ?? null)
      return {
        mode: kept?.mode ?? gate.mode,
        document: toJson(after),
        action: change.action,
        kind,
        name,
        before: part(before),
        after: part(after),
      }
    })
    this.#revision = revision
    this.configure(next, mode)
    return { revision, warnings }
  }

  #withoutStore(change: EtcdChange): EtcdChanged {
    if (change.action !== 'mode')
      throw new ProblemError(
        'unsupported',
        'The rules of this proxy come from files. Edit the files, or start the proxy without --rules to manage its rules.',
      )
    this.configure(this.#options.gate.configuration, change.mode)
    return { revision: 0, warnings: [] }
  }

  /** What these rules would have done in the last ten minutes; without a change, the rules in effect. */
  preview(change?: EtcdChange): EtcdPreview {
    const { gate } = this.#options
    const { configuration } =
      change === undefined || change.action === 'mode' ? gate : changeRules(gate.configuration, change)
    return previewOf(this.traffic.recent(this.#nowNs - PREVIEWED_NS), configuration)
  }

  advise(): readonly EtcdAdvice[] {
    return advise(this.traffic.recent(this.#nowNs - ADVISED_NS), this.#options.gate.configuration)
  }

  /**
   * The decision that a request would get now, and the reason. Nothing is charged. Throws `ProblemError` for a request
   * that cannot be parsed.
   */
  test(record: Json): Json {
    const { gate } = this.#options
    const read = new RecordReader().read(record)
    if (!read.ok) throw new ProblemError('invalid-input', read.message)
    const { request, observed, storageQuotaUsed } = read.record
    const { configuration } = gate
    const engine = new QosEngine(configuration, () => undefined, structuredClone(gate.engine.state))
    const hash = hashOf(request)
    const { scannedKeys, responseBytes, latencyMs } = observed
    if (hash !== undefined && [scannedKeys, responseBytes, latencyMs].some((cost) => cost !== undefined))
      engine.state.tracker.set(hash, { scannedKeys, responseBytes, latencyMs, hits: 0 })
    if (storageQuotaUsed !== undefined) engine.setStorageQuotaUsed(storageQuotaUsed)
    return toJson(decisionJson(engine.arrive(request, this.#nowNs), configuration.settings, configuration.rules))
  }

  /** Classes and rules in the format of rule files. */
  document(): RulesDocument {
    return documentOf(this.#options.gate.configuration)
  }

  /** The rules of an earlier revision. */
  async documentAt(revision: number): Promise<Json> {
    return (await this.#kept().at(revision)).document
  }

  async history(most: number): Promise<readonly EtcdRevision[]> {
    return this.#kept().history(most)
  }

  /** Calls `emit` for each such request from now on. Returns a function that stops it. */
  monitor(filter: Omit<EtcdMonitor, 'limit'>, emit: (request: EtcdRequest) => void): () => void {
    const { now, time } = this.#options
    const listener = (seen: Seen): void => {
      if (monitors(filter, seen)) emit(requestView(seen, time() - now()))
    }
    this.#monitors.add(listener)
    return () => this.#monitors.delete(listener)
  }

  /** The latest of such requests of the last ten minutes, newest first. */
  requests({ limit, ...filter }: EtcdMonitor): readonly EtcdRequest[] {
    const { now, time } = this.#options
    return this.traffic
      .recent(this.#nowNs - PREVIEWED_NS)
      .filter((seen) => monitors(filter, seen))
      .slice(-limit)
      .map((seen) => requestView(seen, time() - now()))
      .toReversed()
  }

  #kept(): RulesStore {
    const { store } = this.#options
    if (store !== undefined) return store
    throw new ProblemError('unsupported', 'The rules of this proxy come from files, so no history of them is kept.')
  }
}

/** A class or rule of a document. */
export const entryOf = (document: RulesDocument, kind: Kind, name: string): Json | undefined => {
  const all = getIn(document, [KINDS[kind]])
  return all !== undefined && isList(all) ? all.find((one) => getIn(one, ['name']) === name) : undefined
}
