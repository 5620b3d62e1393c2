import { rounded } from '../text/format.ts'
import { CATCH_ALL, EXEMPT } from '../config/objects.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import type { FamilyKey } from '../metrics/familyNames.ts'
import { NOT_EXEMPT, promqlOf, summedSeries, USUAL_INTERVAL_MS, type Place } from '../prom/measures.ts'
import { durationText, equals, metric, oneOf, type Matcher } from '../prom/promql.ts'
import type { RuleId } from '../contract/alerts.ts'
import {
  BURNS,
  CRITICAL_LEVELS,
  holdMsOf,
  RULES,
  severityOf,
  THRESHOLDS,
  waitSubject,
  WINDOWS,
  type Rule,
} from './rules.ts'

/** Where the rules are to be evaluated. */
export interface RulesPlace extends Place {
  /** The label that names clusters; absent if Prometheus has one cluster only. */
  readonly clusterLabel?: string | undefined
  /** The label that names servers, `instance` by default. */
  readonly instanceLabel?: string | undefined
}

/** An alert rule of Prometheus. */
export interface PrometheusAlert {
  readonly alert: string
  readonly expr: string
  /** `120s`; absent where the alert fires at once. */
  readonly for?: string
  readonly keep_firing_for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

type Part = string | undefined
const WAITED = equals('execute', 'true')
const PROMPT = equals('le', String(THRESHOLDS.promptSeconds))
const LEVEL = '{{ $labels.priority_level }}'
/** Labels of flow schemas and reasons are summed away unless an expression needs them. */
const PER_LEVEL = ['priority_level']

/**
 * The rules as PromQL with the thresholds and hold times of the console. Rules whose metrics the version lacks are
 * absent, and so is R8, which needs the objects.
 */
export function alertExpressions(place: RulesPlace): readonly PrometheusAlert[] {
  const critical = oneOf('priority_level', CRITICAL_LEVELS)
  const [{ value }, rates] = [gauges(place), ratesOf(place)]
  const seats = (own: readonly Matcher[], kept: readonly string[] = []): Part => value('executingSeats', own, kept)
  const all = (text: (...parts: string[]) => string, ...parts: readonly Part[]): Part => {
    const known = parts.filter((part) => part !== undefined)
    return known.length === parts.length ? text(...known) : undefined
  }
  const [current, lower, nominal, upper] = (['current', 'lower', 'nominal', 'upper'] as const).map((key) =>
    value(key, [NOT_EXEMPT]),
  )
  const long = (key: FamilyKey, ms: number, how: 'offset' | 'max_over_time'): Part =>
    summedSeries(place, key, { matchers: [...place.matchers, NOT_EXEMPT], kept: PER_LEVEL }, (name, own) =>
      how === 'offset'
        ? `${metric(name, own)} offset ${durationText(ms)}`
        : `max_over_time(${metric(name, own, { rangeMs: ms })})`,
    )
  // A deleted level keeps its last limits and demand on the page until the server restarts.
  const inUse = all(
    (...parts) => `(${parts.map((text) => `${text} > 0`).join(' or ')})`,
    seats([NOT_EXEMPT], PER_LEVEL),
    rates('dispatched', WINDOWS.inUse, [NOT_EXEMPT]),
    rates('rejected', WINDOWS.inUse, [NOT_EXEMPT]),
  )
  const servers = (text: string): string => {
    const by = place.clusterLabel ?? ''
    return `${text} > on (${by}) group_left () ${THRESHOLDS.imbalance} * avg by (${by}) (${text}) and ${text} >= ${THRESHOLDS.imbalanceSeats}`
  }
  const share = (ms: number): Part =>
    all(
      (rejected, dispatched) => `${rejected} / (${rejected} + ${dispatched})`,
      rates('rejected', ms, [NOT_EXEMPT]),
      rates('dispatched', ms, [NOT_EXEMPT]),
    )
  const late = (ms: number): Part =>
    all(
      (prompt, waited) => `1 - ${prompt} / ignoring (le) ${waited}`,
      rates('wait', ms, [NOT_EXEMPT, WAITED], PER_LEVEL, '_bucket', [PROMPT]),
      rates('wait', ms, [NOT_EXEMPT, WAITED], PER_LEVEL, '_count'),
    )
  const rows: readonly (readonly [RuleId, Part, { readonly level?: string; readonly subject?: string }?])[] = [
    ...REJECT_REASONS.flatMap((reason) =>
      [critical, { ...critical, is: '!~' as const }].map(
        (levels) =>
          [
            'R1',
            all(
              (rate) => `${rate} > ${THRESHOLDS.rejectedPerSecond}`,
              rates('rejected', WINDOWS.rejected, [levels, equals('reason', reason)], [...PER_LEVEL, 'reason']),
            ),
            { subject: reason, level: levels.is === '!~' ? LEVEL : (CRITICAL_LEVELS[0] ?? LEVEL) },
          ] as const,
      ),
    ),
    [
      'R2',
      all(
        (buckets, limit) => `histogram_quantile(0.99, ${buckets}) >= ${THRESHOLDS.utilization} and ${limit} > 1`,
        rates('seatUtilization', WINDOWS.utilization, [NOT_EXEMPT], PER_LEVEL, '_bucket'),
        current,
      ),
    ],
    [
      'R3',
      all(
        (wait) => `${wait} > ${THRESHOLDS.waitSeconds}`,
        promqlOf(
          { measures: 'waitP99', each: ['priority_level'] },
          { ...place, matchers: [...place.matchers, critical] },
        ),
      ),
    ],
    [
      'R4',
      all(
        (now, most, demand, used) =>
          `${now} >= ${THRESHOLDS.ofUpperLimit} * ${most} and ${demand} > ${now} and ${used}`,
        current,
        upper,
        value('smoothed', [NOT_EXEMPT]),
        inUse,
      ),
    ],
    [
      'R5',
      all(
        (now, least, own, queued) => `${now} <= ${least} and ${least} < ${own} and ${queued} > 0`,
        current,
        lower,
        nominal,
        value('queuedRequests', [NOT_EXEMPT]),
      ),
    ],
    [
      'R6',
      all(
        (limited, whole, own) => {
          const [least, most, should] = [limited, whole, own].map((text) => `sum without (priority_level) (${text})`)
          const levels = `count without (priority_level) (${own})`
          return `${least} - ${should} >= ${levels} or ${should} - ${most} >= ${levels}`
        },
        current,
        value('current'),
        value('nominal'),
      ),
    ],
    ['R7', all(servers, seats([]))],
    [
      'R9',
      all(
        (dispatched, rejected) => `${dispatched} > 0 or ${rejected} > 0`,
        rates('dispatched', WINDOWS.catchAll, [equals('priority_level', CATCH_ALL)]),
        rates('rejected', WINDOWS.catchAll, [equals('priority_level', CATCH_ALL)]),
      ),
    ],
    [
      'R10',
      all(
        (exempt, whole) =>
          `${exempt} > ${THRESHOLDS.exemptShare} * ${whole} and ${exempt} >= ${THRESHOLDS.exemptSeats}`,
        seats([equals('priority_level', EXEMPT)]),
        seats([]),
      ),
    ],
    ...(
      [
        ['large', `< ${THRESHOLDS.leastUsed} *`],
        ['small', `> ${THRESHOLDS.mostUsed} *`],
      ] as const
    ).map(
      ([subject, compared]) =>
        [
          'R11',
          all(
            (most, own, ago) => `${most} ${compared} ${own} and ${ago}`,
            long('highWatermark', WINDOWS.sizing, 'max_over_time'),
            nominal,
            long('highWatermark', WINDOWS.sizing, 'offset'),
          ),
          { subject },
        ] as const,
    ),
    ...BURNS.flatMap(({ name, times, shortMs, longMs }) =>
      (
        [
          [name, share],
          [waitSubject(name), late],
        ] as const
      ).map(
        ([subject, shareOf]) =>
          [
            'R12',
            all(
              (soon, whole, used, ago) =>
                `${soon} > ${burn(times)} and ${whole} > ${burn(times)} and ${used} and ${ago}`,
              shareOf(shortMs),
              shareOf(longMs),
              inUse,
              // A window that is not full yet would make a first burst fire.
              long('dispatched', longMs, 'offset'),
            ),
            { subject },
          ] as const,
      ),
    ),
  ]
  return rows.flatMap(([id, expr, about = {}]) => (expr === undefined ? [] : [alertOf(RULES[id], expr, about)]))
}

/** Without the digits that the binary representation of a decimal adds. */
const burn = (times: number): number => rounded(times * (1 - THRESHOLDS.objective), 6)

function alertOf(
  rule: Rule,
  expr: string,
  about: { readonly level?: string; readonly subject?: string },
): PrometheusAlert {
  const place = { level: LEVEL, ...about }
  const holdMs = holdMsOf(rule, place)
  const named = { ...place, level: LEVEL }
  return {
    alert: rule.name,
    expr,
    ...(holdMs > 0 && { for: durationText(holdMs) }),
    keep_firing_for: durationText(rule.clearMs),
    labels: {
      severity: severityOf(rule, place),
      apf_rule: rule.id,
      // For R1 it is the reason, which the series have too: rules that differ only in matchers are duplicates.
      ...(about.subject !== undefined && { [rule.id === 'R1' ? 'reason' : 'apf_subject']: about.subject }),
    },
    annotations: { summary: rule.title, description: `${rule.cause(named)} ${rule.remedy(named)}` },
  }
}

/** The present values of a gauge. */
const gauges = (place: RulesPlace) => ({
  value: (key: FamilyKey, own: readonly Matcher[] = [], kept: readonly string[] = PER_LEVEL): Part =>
    summedSeries(place, key, { matchers: [...place.matchers, ...own], kept }, (name, matchers) =>
      metric(name, matchers),
    ),
})

/**
 * Rates over a window; over one with few scrapes plus one scrape, so that it always contains two. More would count what
 * is older than the window.
 */
const ratesOf =
  (place: RulesPlace) =>
  (
    key: FamilyKey,
    ms: number,
    own: readonly Matcher[],
    kept: readonly string[] = PER_LEVEL,
    suffix = '',
    buckets: readonly Matcher[] = [],
  ): Part => {
    const { intervalMs = USUAL_INTERVAL_MS } = place
    const rangeMs = ms >= 4 * intervalMs ? ms : ms + intervalMs
    return summedSeries(
      place,
      key,
      { matchers: [...place.matchers, ...own], kept },
      (name, matchers) => `rate(${metric(`${name}${suffix}`, [...matchers, ...buckets], { rangeMs })})`,
    )
  }
