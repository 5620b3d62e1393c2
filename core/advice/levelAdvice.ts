import { builtInObject, isMandatory } from '../config/builtIn.ts'
import { defaultLevel, DEFAULT_QUEUING, type LimitedSpec, type ObjectSet } from '../config/objects.ts'
import type { Suggestion } from '../contract/advice.ts'
import { THRESHOLDS } from '../alerts/rules.ts'
import { drainSeconds, SHORT_DRAIN_SECONDS } from '../diagnose/clues.ts'
import { levelEdit, longerQueues } from '../diagnose/remedies.ts'
import { NEWEST_VERSION } from '../engine/profiles.ts'
import { histogramMean } from '../frame/quantile.ts'
import { allRejected } from '../frame/recent.ts'
import { sharesForSeats } from '../impact/shareCalculator.ts'
import { seatImpact } from '../impact/seatImpact.ts'
import { plain } from '../text/format.ts'
import { MS_PER_SECOND } from '../units.ts'
import { seatsFor, type ServerUsage } from './usage.ts'
import {
  counting,
  DEMAND_STAYS,
  ENOUGH,
  isInNeed,
  over,
  type Place,
  range,
  specOf,
  trouble,
  waitedAbove,
} from './evidence.ts'

/** If another level in need loses seats by an edit, or any a larger part of its limit, the advice names that level. */
const LARGEST_LOSS = 0.1
/** Once this part of all rejections are time-outs, longer queues only let requests wait longer. */
const TIME_OUT_PART = 0.1

/** More shares for a level in need whose demand exceeds its nominal limit. */
export function sharesAdvice(place: Place, objects: ObjectSet | undefined): readonly Suggestion[] {
  const { server, level } = place
  const { nominal } = level.last.limits
  const demand = seatsFor(ENOUGH, level.demand)
  if (nominal === undefined || demand === undefined || demand <= nominal || !isInNeed(level)) return []
  const { limit } = server
  const wanted = limit === undefined ? demand : Math.min(demand, Math.floor(limit / 2))
  const evidence = [
    `Demand was up to ${plain.counted(demand, 'seat')} during ${plain.percent(ENOUGH)} of the time, ${over(server)}; the level owns ${plain.amount(nominal)}.`,
    ...trouble(place),
  ]
  const base = {
    kind: 'shares',
    server: server.id,
    level: level.name,
    threshold: { seats: demand, label: `${plain.percent(ENOUGH)} of the time at most ${plain.amount(demand)}` },
    ...range(server),
  } as const
  if (wanted <= nominal) {
    return [
      {
        ...base,
        verdict: 'rejected',
        title: `Give ${level.name} more shares`,
        text: `The level owns half of the server already; more seats of the server or fewer requests would help.`,
        evidence,
        unknown: [],
        changes: [],
        impact: [],
      },
    ]
  }
  const answer =
    objects === undefined || limit === undefined ? undefined : sharesForSeats(objects, limit, level.name, wanted)
  const row = answer?.possible === true ? answer : undefined
  const edit =
    row &&
    changeOf(server, objects, level.name, (limited) => ({ ...limited, nominalConcurrencyShares: row.sharesAfter }))
  const losses = edit === undefined ? [] : lossesOf(edit.impact, server)
  return [
    {
      ...base,
      verdict: losses.some(({ hurts }) => hurts) ? 'precaution' : 'edit',
      title:
        row === undefined
          ? `Let ${level.name} own ${plain.counted(wanted, 'seat')}`
          : `Give ${level.name} ${plain.counted(row.sharesAfter, 'share')} instead of ${plain.amount(row.sharesBefore)}`,
      text: `It then owns ${plain.counted(row?.nominalAfter ?? wanted, 'seat')} instead of ${plain.amount(nominal)} and no longer depends on seats that others lend.${wanted < demand ? ' Advice gives a level at most half of the seats of the server.' : ''}`,
      evidence: [...evidence, ...losses.map(({ text }) => text)],
      unknown: [DEMAND_STAYS, ...(objects === undefined ? [OBJECTS_UNKNOWN] : [])],
      changes: edit?.changes ?? [],
      impact: edit?.impact ?? [],
    },
  ]
}

const OBJECTS_UNKNOWN = 'The flow-control objects are unavailable, so there is no draft.'

/** Levels that lose much of what they own, and whether what remains is less than they need. */
function lossesOf(
  impact: Suggestion['impact'],
  server: ServerUsage,
): readonly { readonly text: string; readonly hurts: boolean }[] {
  return impact.flatMap(({ level, before, after }) => {
    const usage = server.levels.find(({ name }) => name === level)
    const least = usage !== undefined && isInNeed(usage) ? 0 : LARGEST_LOSS * before
    if (before - after <= least) return []
    const demand = seatsFor(ENOUGH, usage?.demand ?? new Map<number, number>())
    const hurts = demand !== undefined && demand > after
    return [
      {
        hurts,
        text: `${level} would own ${plain.counted(after, 'seat')} instead of ${plain.amount(before)}${demand === undefined ? '' : `; its demand was up to ${plain.amount(demand)} during ${plain.percent(ENOUGH)} of the time`}.`,
      },
    ]
  })
}

/** An edit of one level, and its effect on the nominal limits of all. */
function changeOf(
  server: ServerUsage,
  objects: ObjectSet | undefined,
  name: string,
  change: (limited: LimitedSpec) => LimitedSpec,
): { readonly changes: Suggestion['changes']; readonly impact: Suggestion['impact'] } | undefined {
  if (objects === undefined) return undefined
  const changes = levelEdit({ objects, version: server.version }, name, change)
  if (changes.length === 0) return undefined
  return { changes, impact: impactOf(server, objects, name, change) }
}

function impactOf(
  { limit, version }: ServerUsage,
  objects: ObjectSet,
  name: string,
  change: (limited: LimitedSpec) => LimitedSpec,
): Suggestion['impact'] {
  if (limit === undefined) return []
  const levels = objects.levels.map((level) => {
    const { spec } = defaultLevel(level)
    return level.metadata.name === name && spec.limited !== undefined
      ? { ...level, spec: { ...spec, limited: change(spec.limited) } }
      : level
  })
  const { rows } = seatImpact({ before: objects, after: { ...objects, levels }, serverLimit: limit, version })
  const impact = rows.flatMap(({ name: level, before, after }) =>
    before === null || after === null ? [] : [{ level, before: before.nominal, after: after.nominal }],
  )
  return impact.some(({ before, after }) => before !== after) ? impact : []
}

/** Queues for levels that reject for lack of room. */
export function queueAdvice(place: Place, objects: ObjectSet | undefined): readonly Suggestion[] {
  const { server, level } = place
  const { rejected, queueLengths } = level
  const queued = queueLengths && histogramMean(queueLengths)
  const spec = specOf(objects, level.name)
  const known = { objects, version: server.version }
  const base = { kind: 'queues', server: server.id, level: level.name, ...range(server), impact: [] } as const
  const evidence = [
    ...trouble(place),
    ...(queued === undefined
      ? []
      : [
          `A request that was enqueued found ${plain.amount(queued)} in its queue on average, itself included, ${counting(server)}.`,
        ]),
  ]
  if (rejected['queue-full'] > 0) {
    const drain = drainSeconds({ spec, dispatched: level.dispatched }, (server.to - server.since) / MS_PER_SECOND)
    // Longer queues would only let more requests wait in vain.
    if (rejected['time-out'] > TIME_OUT_PART * allRejected(rejected)) return []
    if ((drain ?? waitedAbove(level)) >= SHORT_DRAIN_SECONDS) return []
    const queuing = spec?.limitResponse.queuing
    return [
      {
        ...base,
        verdict: drain === undefined ? 'precaution' : 'edit',
        title: `Lengthen the queues of ${level.name}`,
        text: 'The queues are so short that bursts are rejected which would have waited only a moment.',
        evidence: [
          ...evidence,
          ...(queuing === undefined
            ? []
            : [
                `The level has ${plain.counted(queuing.queues, 'queue')} of ${plain.counted(queuing.queueLengthLimit, 'request')}, a hand of ${plain.amount(queuing.handSize)}${drain === undefined ? '' : `; full queues would drain in ${plain.seconds(drain)}`}.`,
              ]),
        ],
        unknown:
          drain === undefined ? ['How long full queues take to drain, and so whether longer ones would help.'] : [],
        changes: longerQueues(known, level.name),
      },
    ]
  }
  if (rejected['concurrency-limit'] > 0 && !isMandatory('PriorityLevelConfiguration', level.name)) {
    const changes = levelEdit(known, level.name, (limited) => ({
      ...limited,
      limitResponse: { type: 'Queue', queuing: DEFAULT_QUEUING },
    }))
    return [
      {
        ...base,
        verdict: 'edit',
        title: `Let ${level.name} queue instead of reject`,
        text: 'Requests beyond its limit wait for a seat instead of being answered 429 at once.',
        evidence,
        unknown: ['Whether immediate rejection is intended, for example for clients that must back off.'],
        changes,
      },
    ]
  }
  return []
}

/** Levels that leave most of what they own unused. */
export function lendingAdvice(
  { server, level }: Place,
  objects: ObjectSet | undefined,
  needed: boolean,
): readonly Suggestion[] {
  const { nominal, lower } = level.last.limits
  const { peak } = level
  if (nominal === undefined || lower === undefined || peak === undefined || nominal === 0) return []
  const used = THRESHOLDS.leastUsed * nominal
  if (peak >= used || isMandatory('PriorityLevelConfiguration', level.name)) return []
  // Twice the peak is kept, so that a surge twice as large needs no borrowing.
  const kept = Math.min(nominal, Math.max(1, 2 * peak))
  const lendable = Math.floor((100 * (nominal - kept)) / nominal)
  if (nominal - Math.round((nominal * lendable) / 100) >= lower) return []
  const own = builtInObject('PriorityLevelConfiguration', level.name, server.version ?? NEWEST_VERSION) !== undefined
  const spec = specOf(objects, level.name)
  const changes = levelEdit({ objects, version: server.version }, level.name, (limited) => ({
    ...limited,
    lendablePercent: lendable,
  }))
  return [
    {
      kind: 'lending',
      verdict: needed && !own ? 'edit' : 'precaution',
      title: `Let ${level.name} lend ${lendable} % of its seats`,
      text: `Other levels can then borrow ${plain.counted(nominal - kept, 'seat')} of its ${plain.amount(nominal)}; it gets them back at the next reallocation, within 10 s of needing them.`,
      server: server.id,
      level: level.name,
      threshold: { seats: used, label: `${plain.percent(THRESHOLDS.leastUsed)} of nominal: ${plain.amount(used)}` },
      ...range(server),
      evidence: [
        `${peak === 0 ? 'It had no demand' : `Its peak demand was ${plain.counted(peak, 'seat')}`} ${over(server)}; it owns ${plain.amount(nominal)} and keeps at least ${plain.amount(lower)}.`,
        ...(spec === undefined ? [] : [`It may lend ${spec.lendablePercent ?? 0} % now.`]),
        ...(own ? ['The level is built in: Kubernetes keeps these seats back for system traffic in emergencies.'] : []),
      ],
      unknown: [
        'Rarer peaks than these samples show, such as a restart of many nodes.',
        ...(objects === undefined ? [OBJECTS_UNKNOWN] : []),
      ],
      changes,
      impact: [],
    },
  ]
}
