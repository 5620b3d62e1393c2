import type { ServerFrame } from '../frame/frame.ts'
import { familyFor } from '../metrics/catalogue.ts'
import { FAMILY, type FamilyKey } from '../metrics/familyNames.ts'
import { REASON_TEXT } from '../verdict/rejectReasons.ts'
import { RULE_IDS, type Place, type RuleId, type Severity } from '../contract/alerts.ts'

/**
 * Thresholds that the conditions of the rules compare with; the console and the rules for Prometheus use the same ones.
 */
export const THRESHOLDS = {
  /** Requests per second. */
  rejectedPerSecond: 0.1,
  utilization: 0.99,
  waitSeconds: 1,
  /** Fraction of the upper limit: a current limit this close to it cannot grow. */
  ofUpperLimit: 0.98,
  /**
   * Peak ÷ mean of executing seats over servers, and the smallest number of seats on the busiest server for which it
   * counts.
   */
  imbalance: 2,
  imbalanceSeats: 10,
  /** Fraction of the executing seats, and the smallest number that counts: a scrape is an exempt request as well. */
  exemptShare: 0.1,
  exemptSeats: 5,
  /** Fraction of the nominal limit. */
  leastUsed: 0.25,
  mostUsed: 1,
  /**
   * Objectives: the share of requests that are not rejected, and the share of those not rejected at once that wait no
   * longer than this.
   */
  objective: 0.99,
  promptSeconds: 0.1,
} as const

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Ranges of time that conditions look back on, milliseconds. */
export const WINDOWS = {
  rejected: 2 * MINUTE,
  utilization: MINUTE,
  /** A level without a request for so long may have been deleted. */
  inUse: MINUTE,
  catchAll: 5 * MINUTE,
  sizing: 7 * DAY,
} as const

/** Pairs of windows; in both, the error budget must burn this many times too fast. */
export const BURNS = [
  { name: 'fast', times: 14.4, shortMs: 5 * MINUTE, longMs: HOUR, severity: 'critical' },
  { name: 'slow', times: 6, shortMs: 30 * MINUTE, longMs: 6 * HOUR, severity: 'warning' },
] as const satisfies readonly {
  readonly name: string
  readonly times: number
  readonly shortMs: number
  readonly longMs: number
  readonly severity: Severity
}[]
export type BurnName = (typeof BURNS)[number]['name']

/**
 * Distinguishes an alert of R12 about waits from one about rejections. Levels may queue by design, and R3 covers
 * critical ones.
 */
export const waitSubject = (name: BurnName): `wait-${BurnName}` => `wait-${name}`
const isAboutWaits = ({ subject }: Place): boolean => BURNS.some(({ name }) => waitSubject(name) === subject)

/** Levels that the cluster itself depends on. */
export const CRITICAL_LEVELS: readonly string[] = ['system', 'node-high', 'leader-election', 'workload-high']
export const isCritical = (level: string | undefined): boolean => level !== undefined && CRITICAL_LEVELS.includes(level)

export interface Rule {
  readonly id: RuleId
  /** The name of the alert in Prometheus. */
  readonly name: string
  /** A label. */
  readonly title: string
  /** One clause: when the condition holds. */
  readonly condition: string
  /** Metric families without which the condition cannot be evaluated. */
  readonly needs: readonly FamilyKey[]
  readonly severity: Severity
  /** Milliseconds that the condition must hold before the alert fires. */
  readonly holdMs: number
  /** Milliseconds that it must not hold before the alert is resolved. */
  readonly clearMs: number
  /** One or two sentences each, for a place; its names may be placeholders of a template. */
  readonly cause: (place: Place) => string
  readonly remedy: (place: Place) => string
}

const rejectedCause = ({ subject }: Place): string =>
  subject === 'queue-full' || subject === 'time-out' || subject === 'concurrency-limit'
    ? REASON_TEXT[subject]
    : 'The reason label shows why requests were rejected.'

/** What helps depends on the cause: an alert shows the remedy of a diagnosis, and a rule of Prometheus asks for one. */
const diagnosed = ({ level }: Place): string =>
  `Ask what fills ${level} (Diagnosis, or apf-console diagnose): a client, a change of the objects, the server or the size of the level. Each has another remedy.`

/** Most rules warn, are resolved a minute after their condition, and leave the remedy to a diagnosis. */
const rule = (id: RuleId, one: Omit<Rule, 'id' | 'severity' | 'clearMs' | 'remedy'> & Partial<Rule>): Rule => ({
  id,
  severity: 'warning',
  clearMs: MINUTE,
  remedy: diagnosed,
  ...one,
})

/** The rule pack, in its order. */
export const RULES: Readonly<Record<RuleId, Rule>> = {
  R1: rule('R1', {
    name: 'APFRequestsRejected',
    title: 'Rejections by reason',
    condition: 'a level rejects more than 0.1 requests per second over 2 min',
    needs: ['rejected'],
    holdMs: 2 * MINUTE,
    cause: rejectedCause,
  }),
  R2: rule('R2', {
    name: 'APFLevelFull',
    title: 'Level full',
    condition: 'the p99 of seat utilization over 1 min is at least 0.99, with a limit above one seat',
    needs: ['seatUtilization', 'current'],
    holdMs: 10 * MINUTE,
    clearMs: 2 * MINUTE,
    cause: ({ level }) => `${level} repeatedly reaches its current limit: its requests need more seats than it has.`,
  }),
  R3: rule('R3', {
    name: 'APFCriticalLevelWaits',
    title: 'Critical level waits',
    condition: 'the p99 of the wait in a critical level is above 1 s',
    needs: ['wait'],
    severity: 'critical',
    holdMs: MINUTE,
    cause: ({ level }) => `Requests of ${level} queue for seats. Nodes and controllers depend on it.`,
  }),
  R4: rule('R4', {
    name: 'APFAtMaximumStillShort',
    title: 'At maximum, still short',
    condition: 'a level in use has a current limit of at least 0.98 of the upper one, and smoothed demand exceeds it',
    needs: ['current', 'upper', 'smoothed'],
    holdMs: 5 * MINUTE,
    cause: ({ level }) => `${level} has borrowed all that it may borrow, and its demand is still higher.`,
  }),
  R5: rule('R5', {
    name: 'APFLenderSqueezed',
    title: 'Lender squeezed',
    condition: 'the current limit is at the lower limit, below the nominal one, while requests are queued',
    needs: ['current', 'lower', 'nominal', 'queuedRequests'],
    holdMs: MINUTE,
    cause: ({ level }) => `${level} has lent all that it may lend, and its own requests wait.`,
  }),
  R6: rule('R6', {
    name: 'APFLimitsOffServer',
    title: 'Limits against server',
    condition:
      'current limits add up to more seats without the exempt level, or to fewer with it, than the nominal ones, by more than rounding explains',
    needs: ['current', 'nominal'],
    holdMs: 2 * MINUTE,
    cause: () =>
      'Current limits do not add up to the nominal ones, and the seats of the exempt level do not explain it: usually levels that were deleted are still exported.',
    remedy: () => 'Compare the levels of the page with the objects.',
  }),
  R7: rule('R7', {
    name: 'APFServersOutOfBalance',
    title: 'Servers out of balance',
    condition: 'one server executes more than 2 times the mean of all servers, and at least 10 seats',
    needs: ['executingSeats'],
    holdMs: 10 * MINUTE,
    clearMs: 2 * MINUTE,
    cause: () =>
      'Clients keep their connections, so that one server does most of the work. Its limits fill while others idle.',
    remedy: () =>
      'Check the load balancer, set --goaway-chance on the API servers, or restart the clients with the most connections.',
  }),
  R8: rule('R8', {
    name: 'APFObjectsBroken',
    title: 'Dangling or unreconciled',
    condition:
      'a flow schema names a level that does not exist, or the server does not restore a built-in object that it owns',
    needs: [],
    holdMs: 2 * MINUTE,
    clearMs: 30 * SECOND,
    cause: ({ subject }) =>
      `${subject} is ignored because its level does not exist, or it differs from its defaults and the server has not restored it.`,
    remedy: ({ subject }) =>
      `Correct or delete ${subject}. A built-in object is restored within a minute unless its autoupdate annotation is "false".`,
  }),
  R9: rule('R9', {
    name: 'APFCatchAllTraffic',
    title: 'catch-all receives traffic',
    condition: 'the level catch-all received requests within 5 min',
    needs: ['dispatched', 'rejected'],
    holdMs: 5 * MINUTE,
    clearMs: 5 * MINUTE,
    cause: () => 'Requests match no other flow schema: a built-in schema was changed or deleted.',
    remedy: () => 'Compare the flow schemas with the built-in ones, and restore global-default.',
  }),
  R10: rule('R10', {
    name: 'APFExemptShare',
    title: 'Exempt share of seats',
    condition: 'exempt requests use more than 10 % of the executing seats, and at least 5 seats',
    needs: ['executingSeats'],
    holdMs: 10 * MINUTE,
    clearMs: 2 * MINUTE,
    cause: () =>
      'Members of system:masters, or a flow schema of the exempt level, send much: nothing limits these requests.',
    remedy: () => 'Give these clients an identity outside system:masters, and a flow schema.',
  }),
  R11: rule('R11', {
    name: 'APFLevelMisSized',
    title: 'Mis-sized over 7 days',
    condition: 'the highest demand of 7 days is below 25 % or above 100 % of the nominal limit',
    needs: ['highWatermark', 'nominal'],
    severity: 'info',
    holdMs: 0,
    clearMs: HOUR,
    cause: ({ level, subject }) =>
      subject === 'small'
        ? `${level} needed more seats than it owns, and had to borrow.`
        : `${level} never needed a quarter of its seats.`,
    remedy: ({ level, subject }) =>
      subject === 'small'
        ? `Give ${level} more shares.`
        : `Take shares from ${level}: other levels can use its seats only by borrowing.`,
  }),
  R12: rule('R12', {
    name: 'APFErrorBudgetBurn',
    title: 'Service level',
    condition:
      'a level rejects so many requests, or lets so many wait longer than 100 ms, that the budget of a 99 % objective burns 14.4 times too fast over 5 min and 1 h, or 6 times over 30 min and 6 h',
    needs: ['dispatched', 'rejected'],
    severity: 'critical',
    holdMs: 0,
    clearMs: 5 * MINUTE,
    cause: (place) =>
      isAboutWaits(place)
        ? `${place.level} delays a larger share of its requests than its objective allows. Error budgets that count 5xx answers do not show this.`
        : `${place.level} rejects a larger share of its requests than its objective allows. Error budgets that count 5xx answers do not show this.`,
  }),
}

/** R1 to R12. */
export const ruleList: readonly Rule[] = RULE_IDS.map((id) => RULES[id])

export const severityOf = ({ id, severity }: Rule, { level, subject }: Place): Severity => {
  if (id === 'R1' && isCritical(level)) return 'critical'
  if (id === 'R12' && isAboutWaits({ subject })) return subject === waitSubject('fast') ? 'warning' : 'info'
  return BURNS.find(({ name }) => id === 'R12' && name === subject)?.severity ?? severity
}

/** Milliseconds; 0 for R1 on a critical level: its rejections fire at once. */
export const holdMsOf = ({ id, holdMs }: Rule, { level }: Place): number =>
  id === 'R1' && isCritical(level) ? 0 : holdMs

/** Why a rule cannot be evaluated on a server, in one sentence; `undefined` where it can. */
export function offBecause(
  { needs }: Rule,
  { version, missing = [] }: Partial<Pick<ServerFrame, 'version' | 'missing'>>,
): string | undefined {
  for (const key of needs) {
    const family = familyFor(version, key)
    if (family === undefined) return `Kubernetes ${version ?? 'of this version'} has no metric ${FAMILY[key]}.`
    const gap = missing.find((one) => one.family === family.name)
    if (gap !== undefined) return `${gap.family}: ${gap.note}`
  }
  return undefined
}
