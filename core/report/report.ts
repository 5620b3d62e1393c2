import {
  amount,
  counted,
  numberColumns,
  phrase,
  textColumns,
  type Answer,
  type Cell,
  type Row,
  type Sentence,
} from '../answer/answer.ts'
import type { ObjectDifference } from '../config/content.ts'
import { GLOSSARY, type TermId } from '../glossary/glossary.ts'
import type { QuantileRange } from '../frame/derived.ts'
import type { Rejected } from '../frame/frame.ts'
import { MARK_WORDS } from '../compare/period.ts'
import { REJECT_REASONS, sumOfKnown } from '../frame/reading.ts'
import type { UnixMs } from '../units.ts'
import type { Report, ReportChart, ReportLine, ReportSection } from '../contract/report.ts'
import { blocksOf } from './blocks.ts'
import { rejections, type Incident, type IncidentLevel, type IncidentServer, type LevelPoint } from './incident.ts'
import { flowName } from '../frame/flow.ts'
import { type ReportOptions, changedText, evidence, instantOf, itemised, said, tabled, timeline } from './story.ts'
import { clientName, largestOf } from '../verdict/ledger.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'

/** A level of a server. */
interface Place {
  readonly server: IncidentServer
  readonly level: IncidentLevel
}

const allPlaces = ({ servers }: Incident): readonly Place[] =>
  servers.flatMap((server) => server.levels.map((level) => ({ server, level })))

const troubledOf = (places: readonly Place[]): readonly Place[] =>
  places
    .filter(({ level }) => !level.exempt && (rejections(level) > 0 || (level.queued?.value ?? 0) > 0))
    .toSorted(byTrouble)

/** The first seconds of a trouble show little of it. */
const SHOWS_MS = 60_000

/**
 * When the level with the most trouble is judged: up to a minute after most requests waited in it, if some still do, else
 * at the end; `undefined` without trouble.
 */
export function judgedMoment(incident: Incident): UnixMs | undefined {
  const [worst] = troubledOf(allPlaces(incident))
  if (worst === undefined) return undefined
  const { queued, rejectedFrom = 0, points } = worst.level
  if (queued === undefined || queued.value === 0) return rangeOf(incident).to
  const at = Math.max(queued.at, rejectedFrom)
  const later = points.filter((point) => point.at > at)
  const over = later.findIndex((point) => (point.queued ?? 0) === 0)
  const last = over === -1 ? later.at(-1) : later[over - 1]
  return Math.min(at + SHOWS_MS, Math.max(at, last?.at ?? at))
}

/** What was wrong, in the words of `status`; and who, why and what helps. What was changed is another section. */
function verdictOf(incident: Incident, { verdict }: ReportOptions): readonly [readonly Answer[], readonly Answer[]] {
  if (verdict === undefined) return [[], []]
  const [title = '', ...lines] = verdict.lines
  return [[said(phrase`At ${instantOf(incident)(verdict.at)}: ${title}`)], [itemised(lines.map((line) => [line]))]]
}

/** An incident in sentences, tables and charts. All times are UTC. */
export function reportOf(incident: Incident, options: ReportOptions): Report {
  const places = allPlaces(incident)
  const troubled = troubledOf(places)
  const section = (title: string, answers: readonly Answer[], drawn: readonly ReportChart[] = []): ReportSection => ({
    title,
    blocks: [...answers.flatMap(blocksOf), ...drawn],
  })
  const { from, to } = rangeOf(incident)
  const [worst, ...others] = troubled
  const [judged, why] = verdictOf(incident, options)
  return {
    title: `Incident report: ${options.source.name}`,
    subtitle: `${plain.dateTime(from)} to ${plain.dateTime(to)} UTC (${plain.length(to - from)}), ${listed(incident.servers.map(({ id }) => id))}`,
    sections: [
      section(
        'Summary',
        [...judged, ...summary(incident, troubled), ...why],
        worst === undefined ? [] : charts(incident, [worst]),
      ),
      section('What happened', timeline(incident)),
      { ...section('Priority levels', levels(incident, places)), newPage: true },
      ...(others.length === 0 ? [] : [section('Charts of other levels', [], charts(incident, others))]),
      section('Who was affected', affected(incident, places)),
      section('Who used the seats', users(incident, troubled)),
      section('Limits', limits(incident, places)),
      section('Changes of the configuration', configuration(incident)),
      section('Evidence', evidence(incident, options)),
      section('Glossary', glossary(incident, places)),
    ],
  }
}

/** From the first sample to the last one. */
function rangeOf({ servers, from, to }: Incident): { readonly from: number; readonly to: number } {
  if (servers.length === 0) return { from, to }
  return {
    from: Math.min(...servers.map(({ first }) => first)),
    to: Math.max(...servers.map(({ last }) => last)),
  }
}

/** No request that was dispatched had waited where there is no quantile, if the server tells waits. */
const wait = ({ tellsWaits }: IncidentServer, value: number | undefined, range: QuantileRange | undefined): Cell =>
  value === undefined ? (tellsWaits ? 'no wait' : 'unknown') : { value, as: 'quantile', range }
const count = amount('amount')
const known = (value: number | undefined): Cell => (value === undefined ? 'unknown' : count(value))

/** The most troubled first: rejections count before waits. */
const byTrouble = (a: Place, b: Place): number =>
  rejections(b.level) - rejections(a.level) || (b.level.queued?.value ?? 0) - (a.level.queued?.value ?? 0)

/** `workload-low`, with its server where there are several. */
const nameOf = ({ servers }: Incident, { server, level }: Place): string =>
  servers.length > 1 ? `${level.name} of ${server.id}` : level.name

const reasons = (rejected: Rejected | undefined): string =>
  rejected === undefined
    ? 'unknown'
    : listed(
        REJECT_REASONS.flatMap((reason) =>
          rejected[reason] > 0 ? [`${plain.amount(rejected[reason])} ${reason}`] : [],
        ),
      )

const tellsRejections = ({ servers }: Incident): boolean =>
  servers.every(({ levels: own }) => own.every(({ exempt, rejected }) => exempt || rejected))
const UNTOLD = 'Unknown: the pages do not show both rejections and waits.'

function summary(incident: Incident, troubled: readonly Place[]): readonly Answer[] {
  const rejecting = troubled.filter(({ level }) => rejections(level) > 0)
  const all = rejecting.reduce((sum, { level }) => sum + rejections(level), 0)
  const [worst] = rejecting
  const longest = troubled.toSorted((a, b) => (b.level.queued?.value ?? 0) - (a.level.queued?.value ?? 0))[0]
  const isKnown = tellsRejections(incident)
  const counts = said(
    all === 0
      ? [isKnown ? 'No request was rejected.' : 'Rejections are unknown: the pages do not show them.']
      : phrase`${counted(all, 'request was', 'requests were')} rejected with 429, in ${listed(rejecting.map((place) => nameOf(incident, place)))}.`,
    worst === undefined || rejecting.length === 1
      ? undefined
      : phrase`Most of them, ${count(rejections(worst.level))}, in ${nameOf(incident, worst)}.`,
  )
  const culprit = troubled[0] && culpritOf(incident, troubled[0])
  if (longest?.level.queued === undefined || longest.level.queued.value === 0) {
    const isSeen = incident.servers.every(({ levels: own }) => own.every(({ exempt, queued }) => exempt || queued))
    const none = isSeen
      ? 'No request waited in any sample.'
      : 'Whether requests waited is unknown: the pages do not show it.'
    return [counts, said([none], culprit)]
  }
  const { value, at } = longest.level.queued
  return [
    counts,
    said(
      phrase`Most requests waited in ${nameOf(incident, longest)}: ${count(value)} at ${instantOf(incident)(at)}.`,
      culprit,
      spared(incident, troubled),
    ),
  ]
}

/** Who had most of the requests of the level with the most trouble, where dumps show it. */
function culpritOf({ ledger: { flows, dumps } }: Incident, { level: { name } }: Place): Sentence | undefined {
  const largest = largestOf(flows.filter(({ level }) => level === name))
  if (largest === undefined) return undefined
  const { flow, part } = largest
  return phrase`${flowName(flow.flow, flow.schema)} had ${amount('percent')(part)} of the requests of ${name} in ${counted(dumps, 'debug dump')}.`
}

/** Levels that verifiably had no trouble while others did. */
function spared({ servers }: Incident, troubled: readonly Place[]): Sentence | undefined {
  const unknown = servers.flatMap(({ levels: all }) => all.filter(({ queued, rejected }) => !queued || !rejected))
  const names = new Set([...troubled.map(({ level }) => level), ...unknown].map(({ name }) => name))
  const others = new Set(
    servers.flatMap(({ levels: all }) => all.map(({ name }) => name)).filter((name) => !names.has(name)),
  )
  return others.size === 0
    ? undefined
    : [`No request was rejected in ${listed([...others])}, and no sample shows one waiting there.`]
}

const levels = (incident: Incident, places: readonly Place[]): readonly Answer[] => [
  tabled('', [
    [
      ...textColumns('Level'),
      ...numberColumns('Dispatched', 'Rejected'),
      ...textColumns('Reasons'),
      ...numberColumns('Most queued', 'Wait p99', 'Most seats'),
    ],
    places.map((place) => [
      nameOf(incident, place),
      known(place.level.dispatched),
      known(place.level.rejected && rejections(place.level)),
      reasons(place.level.rejected),
      known(place.level.queued?.value),
      wait(place.server, place.level.waits.waitP99, place.level.waits.waitP99Range),
      known(place.level.executing?.value),
    ]),
  ]),
]

/** What explains a curve of a server, as on the screens. */
const marksOf = ({ changes }: Incident, { id, restarts }: IncidentServer): ReportChart['marks'] => [
  ...changes.map(({ at, differences }) => ({ at, word: MARK_WORDS.object, text: changedText(differences) })),
  ...restarts.map((at) => ({ at, word: MARK_WORDS.restarted, text: `${id} had restarted` })),
]

/** Levels with charts on the later pages. */
const MOST_CHARTS = 3

function charts(incident: Incident, troubled: readonly Place[]): readonly ReportChart[] {
  const { from, to } = rangeOf(incident)
  return troubled.slice(0, MOST_CHARTS).flatMap((place): ReportChart[] => {
    const { level, server } = place
    const line = (name: string, as: ReportLine['as'], of: (point: LevelPoint) => number | undefined): ReportLine => ({
      name,
      as,
      points: level.points.map((point) => {
        const value = of(point)
        return value === undefined ? { at: point.at } : { at: point.at, value }
      }),
    })
    const name = nameOf(incident, place)
    const common = {
      kind: 'chart',
      level: level.name,
      from,
      to,
      gaps: server.gaps,
      marks: marksOf(incident, server),
      ...(level.rejectedFrom !== undefined && { firstRejection: level.rejectedFrom }),
    } as const
    return [
      {
        ...common,
        title: `${name}: seats`,
        unit: 'seats',
        lines: [
          line('demand', 'waiting', ({ executing, waiting }) => sumOfKnown([executing, waiting])),
          line('executing', 'executing', ({ executing }) => executing),
          line('nominal', 'nominal', ({ nominal }) => nominal),
          line('limit', 'limit', ({ limit }) => limit),
        ],
      },
      {
        ...common,
        title: `${name}: queued requests`,
        unit: 'requests',
        lines: [line('queued', 'waiting', ({ queued }) => queued)],
      },
    ]
  })
}

function affected(incident: Incident, places: readonly Place[]): readonly Answer[] {
  const rows = places
    .flatMap((place) => place.level.schemas.map((schema) => ({ place, schema, rejected: rejections(schema) })))
    .filter(({ rejected, schema }) => rejected > 0 || (schema.waits.waitP99 ?? 0) >= NOTICED_SECONDS)
    .toSorted((a, b) => b.rejected - a.rejected || (b.schema.waits.waitP99 ?? 0) - (a.schema.waits.waitP99 ?? 0))
  const noticed = `a wait (p99) of ${plain.seconds(NOTICED_SECONDS)} or more.`
  if (rows.length === 0) {
    const isKnown = incident.servers.every(({ tellsWaits }) => tellsWaits) && tellsRejections(incident)
    return [said([isKnown ? `No flow schema had rejected requests or ${noticed}` : UNTOLD])]
  }
  return [
    tabled(`Flow schemas with rejected requests, or ${noticed}`, [
      [...textColumns('Flow schema', 'Level'), ...numberColumns('Rejected', 'Of its requests', 'Wait p50', 'Wait p99')],
      rows.map(({ place, schema: { name, dispatched, waits }, rejected }) => [
        name,
        nameOf(incident, place),
        count(rejected),
        dispatched === undefined ? 'unknown' : amount('percent')(rejected / Math.max(1, rejected + dispatched)),
        wait(place.server, waits.waitP50, waits.waitP50Range),
        wait(place.server, waits.waitP99, waits.waitP99Range),
      ]),
    ]),
  ]
}

/** A wait that a client notices. */
const NOTICED_SECONDS = 0.1
const MOST_FLOWS = 10

function users({ ledger }: Incident, troubled: readonly Place[]): readonly Answer[] {
  const names = new Set(troubled.map(({ level }) => level.name))
  const own = ledger.flows.filter(({ level }) => names.size === 0 || names.has(level)).slice(0, MOST_FLOWS)
  const rejected = ledger.clients
    .flatMap((one) => (one.sent === undefined || one.sent.rejected === 0 ? [] : [{ ...one, count: one.sent.rejected }]))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_FLOWS)
  const dumps = plain.counted(ledger.dumps, 'debug dump')
  const of = names.size === 0 ? '' : `, of ${listed([...names])}`
  return [
    ledger.dumps === 0
      ? said(['Unknown: metrics do not identify flows, and no debug dump of requests was recorded in this time.'])
      : own.length === 0
        ? said([`No request of these levels is in any of ${dumps}.`])
        : tabled(`Mean of ${dumps}${of}. A dump shows one instant: short requests in between are missing.`, [
            [...textColumns('Flow', 'Flow schema', 'Level'), ...numberColumns('Seats', 'Of the level', 'Queued')],
            own.map(({ flow, schema, level, seats, waiting, partOfLevel }) => [
              flow === '' ? 'all of the schema' : flow,
              schema,
              level,
              count(seats),
              amount('percent')(partOfLevel),
              count(waiting),
            ]),
          ]),
    ...(rejected.length === 0
      ? []
      : [
          tabled(
            `Rejected requests by user, of ${plain.counted(ledger.requests, 'single request')} that were recorded.`,
            [
              [...textColumns('User', 'Level'), ...numberColumns('Rejected')],
              rejected.map((one) => [clientName(one), one.level, count(one.count)]),
            ],
          ),
        ]),
  ]
}

function limits(incident: Incident, places: readonly Place[]): readonly Answer[] {
  const when = instantOf(incident)
  const rows = places.flatMap((place): readonly Row[] => {
    const { nominal, limit } = place.level
    if (limit === undefined || place.level.exempt) return []
    return [
      [
        nameOf(incident, place),
        nominal === undefined ? 'unknown' : { from: count(nominal.first), to: count(nominal.last) },
        count(limit.first),
        phrase`${count(limit.least.value)} at ${when(limit.least.at)}`,
        phrase`${count(limit.most.value)} at ${when(limit.most.at)}`,
        count(limit.last),
      ],
    ]
  })
  if (rows.length === 0) return [said(['The pages do not show current limits.'])]
  return [
    tabled(
      'Limits in seats, as the server reported them. It recomputes them every 10 s: levels lend seats that they do not use, and borrow.',
      [[...textColumns('Level'), ...numberColumns('Nominal', 'First', 'Least', 'Most', 'Last')], rows],
    ),
  ]
}

function configuration(incident: Incident): readonly Answer[] {
  const { changes, objectsKnown } = incident
  const when = instantOf(incident)
  if (!objectsKnown) return [said(['Unknown: no flow-control objects were recorded in this time.'])]
  if (changes.length === 0) return [said(['No FlowSchema and no PriorityLevelConfiguration changed.'])]
  return [
    itemised(
      changes.flatMap(({ at, differences }) =>
        differences.map((one) => phrase`${when(at)} ${one.kind} ${one.name}${changeText(one)}`),
      ),
    ),
  ]
}

const changeText = (one: ObjectDifference): string =>
  one.change === 'changed'
    ? `: ${one.fields.map(({ field, from, to }) => `${field} ${shown(from)} → ${shown(to)}`).join(', ')}`
    : ` was ${one.change}`

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 120))

function glossary(incident: Incident, places: readonly Place[]): readonly Answer[] {
  const happened = REJECT_REASONS.filter((reason) => places.some(({ level }) => (level.rejected?.[reason] ?? 0) > 0))
  const terms: readonly TermId[] = ['apf', 'seat', 'rejected', ...happened, 'nominal-limit', 'current-limit']
  const dumped: readonly TermId[] = incident.ledger.dumps > 0 ? ['flow'] : []
  return [itemised([...terms, ...dumped].map((id) => [GLOSSARY[id].join(': ')]))]
}
