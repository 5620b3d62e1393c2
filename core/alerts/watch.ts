import type { ObjectSet } from '../config/objects.ts'
import { driftFromBuiltIn } from '../drift/drift.ts'
import type { DerivedServer } from '../frame/derived.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { imbalanceIndex } from '../frame/aggregate.ts'
import { sumOfKnown } from '../frame/reading.ts'
import { orderFlowSchemas } from '../request/match.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import type {
  Alert,
  AlertChange,
  AlertsState,
  Evidence,
  Place,
  RuleId,
  RuleState,
  Silence,
} from '../contract/alerts.ts'
import { alertKey, isAbout } from './alert.ts'
import { createObserver, type Observation, type Observer } from './observe.ts'
import { BURNS, holdMsOf, offBecause, ruleList, RULES, severityOf, THRESHOLDS, WINDOWS } from './rules.ts'

export interface AlertWatch {
  /** The next frame of a server, with what was derived from it. A frame that was already taken changes nothing. */
  take(frame: ServerFrame, derived: DerivedServer): readonly AlertChange[]
  /** The current objects, or `undefined` when they are no longer known. */
  takeObjects(objects: ObjectSet | undefined): void
  /** Alerts that match are marked as silenced, including those that already fire. */
  silences: readonly Silence[]
  /** Unix milliseconds of the newest sample; `undefined` before the first. */
  readonly asOf: UnixMs | undefined
  /** Servers without a sample for a minute at that instant, by default the one of the newest sample. */
  silent(at?: UnixMs): AlertsState['silent']
  /** Firing alerts, in the order of the rules, then of their beginning. */
  readonly alerts: readonly Alert[]
  /** R1 to R12. */
  readonly rules: readonly RuleState[]
}

/** A condition that holds, or held a moment ago. */
interface Condition {
  readonly rule: RuleId
  readonly place: Place
  readonly since: UnixMs
  firedAt: UnixMs | undefined
  /** Since when it does not hold, while it fires. */
  clearSince: UnixMs | undefined
  evidence: readonly Evidence[]
}

interface Server {
  readonly observer: Observer
  at: UnixMs
  /** Time of its first sample, and of the first one since its totals started anew. */
  readonly first: UnixMs
  since: UnixMs
  /** What its rules need from the frame. */
  latest: Pick<ServerFrame, 'version' | 'missing' | 'levels'>
}

/** A server that has not answered for this long is excluded from conditions across servers. */
const STALE_MS = 60_000

/**
 * Evaluates the rules on frames as they arrive. A condition that holds becomes an alert once it has held for the time
 * of its rule, and the alert ends once it has not held for the clear time. What a sample does not contain, such as
 * limits of a torn page, changes nothing. After a restart, a step of the clock or a gap, conditions start anew; alerts
 * stay.
 */
export function createAlertWatch({
  silences: first = [],
}: { readonly silences?: readonly Silence[] } = {}): AlertWatch {
  const servers = new Map<string, Server>()
  const conditions = new Map<string, Condition>()
  let objects: ObjectSet | undefined
  let broken: readonly Observation[] | undefined
  let now: UnixMs = Number.NEGATIVE_INFINITY
  let silences = first
  const lastFired = new Map<RuleId, UnixMs>()

  const alertOf = ({ rule: id, place, since, evidence }: Condition, firedAt: UnixMs): Alert => {
    const rule = RULES[id]
    return {
      rule: id,
      name: rule.name,
      severity: severityOf(rule, place),
      ...place,
      since,
      firedAt,
      evidence,
      cause: rule.cause(place),
      remedy: rule.remedy(place),
      silenced: silences.some(
        (silence) => isAbout(silence, { rule: id, ...place }) && now < (silence.until ?? Number.POSITIVE_INFINITY),
      ),
    }
  }

  const resolve = (key: string, condition: Condition, at: UnixMs): AlertChange[] => {
    conditions.delete(key)
    const { firedAt } = condition
    return firedAt === undefined ? [] : [{ kind: 'resolved', at, alert: alertOf(condition, firedAt) }]
  }

  const step = ({ rule: id, place, holds, evidence }: Observation, at: UnixMs): AlertChange[] => {
    const key = alertKey({ rule: id, ...place })
    const rule = RULES[id]
    const known = conditions.get(key)
    if (!holds) {
      if (known === undefined) return []
      if (known.firedAt === undefined) return resolve(key, known, at)
      known.clearSince ??= at
      return at - known.clearSince >= rule.clearMs ? resolve(key, known, at) : []
    }
    const condition = known ?? { rule: id, place, since: at, firedAt: undefined, clearSince: undefined, evidence }
    condition.clearSince = undefined
    condition.evidence = evidence
    conditions.set(key, condition)
    if (condition.firedAt !== undefined || at - condition.since < holdMsOf(rule, place)) return []
    condition.firedAt = at
    lastFired.set(id, at)
    return [{ kind: 'fired', at, alert: alertOf(condition, at) }]
  }

  /** Ends alerts about things that no longer exist. */
  const drop = (gone: (condition: Condition) => boolean, at: UnixMs): AlertChange[] =>
    [...conditions].flatMap(([key, condition]) => (gone(condition) ? resolve(key, condition, at) : []))

  const inAnyOrder = (frame: ServerFrame, derived: DerivedServer, at: UnixMs): readonly AlertChange[] => {
    const server = servers.get(frame.id) ?? { observer: createObserver(), at, first: at, since: at, latest: frame }
    servers.set(frame.id, server)
    const { noRates } = derived
    if (noRates === 'restart' || noRates === 'clock-step') {
      server.observer.clear()
      server.since = at
    }
    if (noRates !== undefined) drop(({ place, firedAt }) => place.server === frame.id && firedAt === undefined, at)
    server.at = at
    server.latest = { version: frame.version, missing: frame.missing, levels: frame.levels }
    const levels = new Set(frame.levels.map(({ name }) => name))
    if (objects !== undefined && broken === undefined && frame.version !== undefined) {
      broken = observeObjects(objects, frame.version)
    }
    const whole = new Set(broken?.map(({ place }) => place.subject))
    return [
      ...drop(({ place }) => place.server === frame.id && place.level !== undefined && !levels.has(place.level), at),
      ...server.observer.take(frame, derived).flatMap((observation) => step(observation, at)),
      ...balance(servers, at).flatMap((observation) => step(observation, at)),
      ...(broken ?? []).flatMap((observation) => step(observation, at)),
      ...(broken === undefined ? [] : mended(conditions, whole)).flatMap((observation) => step(observation, at)),
    ]
  }

  return {
    take(frame, derived) {
      const at = unixMsOf(frame.at)
      const known = servers.get(frame.id)
      if (Number.isNaN(at) || derived.noRates === 'duplicate') return []
      if (known !== undefined && (at === known.at || (at < known.at && derived.noRates !== 'clock-step'))) return []
      now = at
      return inAnyOrder(frame, derived, at)
    },
    takeObjects(known) {
      objects = known
      broken = undefined
    },
    get silences() {
      return silences
    },
    set silences(those) {
      silences = those
    },
    get asOf() {
      return now === Number.NEGATIVE_INFINITY ? undefined : now
    },
    silent: (at = now) =>
      [...servers].flatMap(([server, { at: since }]) => (at - since > STALE_MS ? [{ server, since }] : [])),
    get alerts() {
      return ruleList.flatMap(({ id }) =>
        [...conditions.values()]
          .flatMap((condition) =>
            condition.rule === id && condition.firedAt !== undefined ? [alertOf(condition, condition.firedAt)] : [],
          )
          .toSorted((a, b) => a.firedAt - b.firedAt),
      )
    },
    get rules() {
      return ruleList.map((rule): RuleState => {
        const own = [...conditions.values()].filter(({ rule: id }) => id === rule.id)
        const fired = { rule: rule.id, ...(lastFired.has(rule.id) && { lastFired: lastFired.get(rule.id) }) }
        if (own.some(({ firedAt }) => firedAt !== undefined)) return { ...fired, state: 'firing' }
        const [longest] = own.toSorted((a, b) => a.since - b.since)
        if (longest !== undefined) {
          const { place, since } = longest
          return { ...fired, state: 'pending', pending: { ...place, since, holdMs: holdMsOf(rule, place) } }
        }
        const why = whyOff(rule.id, [...servers.values()], objects !== undefined)
        return why === undefined ? { ...fired, state: 'quiet' } : { ...fired, state: 'off', why }
      })
    },
  }
}

function whyOff(id: RuleId, servers: readonly Server[], hasObjects: boolean): string | undefined {
  if (servers.length === 0) return 'No server has answered yet.'
  if (id === 'R7' && servers.length < 3) return 'It needs three servers: with two, neither can exceed twice the mean.'
  if (id === 'R8' && !hasObjects) return 'The flow-control objects are unavailable.'
  const reasons = servers.map((server) => offBecause(RULES[id], server.latest) ?? tooShort(id, server))
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined
}

/** Why a rule does not have enough samples of a server yet. */
function tooShort(id: RuleId, { at, first, since }: Server): string | undefined {
  if (id === 'R11' && at - first < WINDOWS.sizing) return 'It needs seven days of samples.'
  const hasWindows = BURNS.some(({ longMs }) => at - since >= longMs)
  return id === 'R12' && !hasWindows ? 'It needs one hour of samples.' : undefined
}

/** Objects that were broken and no longer are. */
const mended = (conditions: ReadonlyMap<string, Condition>, broken: ReadonlySet<string | undefined>): Observation[] =>
  [...conditions.values()]
    .filter(({ rule, place }) => rule === 'R8' && !broken.has(place.subject))
    .map(({ place }) => ({ rule: 'R8', place, holds: false, evidence: [] }))

/** Compares executing seats over the servers that answer. */
function balance(servers: ReadonlyMap<string, Server>, at: UnixMs): Observation[] {
  if (servers.size < 3) return []
  const seats = [...servers].flatMap(([server, { at: seen, latest }]) => {
    const executing = sumOfKnown(latest.levels.map((level) => level.seats.executing))
    return executing === undefined || at - seen > STALE_MS ? [] : [{ server, executing }]
  })
  const index = imbalanceIndex(seats.map(({ executing }) => executing)) ?? 1
  return seats.map(({ server, executing }) => {
    const most = seats.every((other) => other.executing <= executing)
    return {
      rule: 'R7',
      place: { server },
      holds: most && index > THRESHOLDS.imbalance && executing >= THRESHOLDS.imbalanceSeats,
      evidence: [
        { name: 'executing', value: executing, unit: 'seats' },
        { name: 'peak ÷ mean', value: index, unit: 'ratio' },
      ],
    }
  })
}

/**
 * Flow schemas whose level does not exist, and built-in objects that the API server is going to restore: it does so
 * within a minute, so an object that is not restored points to a server that does not reconcile. `version` is a
 * gitVersion.
 */
function observeObjects(objects: ObjectSet, version: string): readonly Observation[] {
  const { dangling } = orderFlowSchemas(objects.schemas, new Set(objects.levels.map(({ metadata }) => metadata.name)))
  const broken = new Set([
    ...dangling.map(({ metadata }) => `FlowSchema ${metadata.name}`),
    ...driftFromBuiltIn(objects, version)
      .rows.filter(({ server: { verdict } }) => verdict === 'put-back' || verdict === 'recreated')
      .map(({ kind, name }) => `${kind} ${name}`),
  ])
  return [...broken].map((subject) => ({ rule: 'R8', place: { subject }, holds: true, evidence: [] }))
}
