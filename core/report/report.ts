import { numberColumns, textColumns } from '../answer/answer.ts'
import { GLOSSARY, type TermId } from '../glossary/glossary.ts'
import type { QuantileRange } from '../frame/derived.ts'
import type { Rejected } from '../frame/frame.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import type { UnixMs } from '../units.ts'
import type { Report, ReportBlock, ReportChart, ReportSection } from '../contract/report.ts'
import { rejections, type Incident, type IncidentLevel, type IncidentServer } from './incident.ts'
import { flowName } from '../frame/flow.ts'
import { type ReportOptions, evidence, timeline, timesIn } from './story.ts'
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

/** When most requests waited in the level with the most trouble, else the end; `undefined` without trouble. */
export function worstMoment(incident: Incident): UnixMs | undefined {
  const [worst] = troubledOf(allPlaces(incident))
  return worst && ((worst.level.queued?.value ?? 0) > 0 ? worst.level.queued?.at : rangeOf(incident).to)
}

/** Who, why and what helps, as Diagnosis says it of the worst moment; what was changed is another section. */
function verdictOf(incident: Incident, { verdict }: ReportOptions): ReportBlock[] {
  if (verdict === undefined) return []
  const { at, now, findings } = verdict
  const cause = findings.find(({ group }) => group !== 'own side' && group !== 'none')
  return [
    text(
      `At the worst moment, ${timesIn(incident)(at)}: ${now.title}`,
      cause && `Cause (${cause.confidence}): ${cause.title.toLowerCase()}. ${cause.text}`,
    ),
    ...(cause === undefined ? [] : [text(`Remedy: ${cause.remedy.text}`)]),
  ]
}

/** An incident in sentences, tables and charts. All times are UTC. */
export function reportOf(incident: Incident, options: ReportOptions): Report {
  const places = allPlaces(incident)
  const troubled = troubledOf(places)
  const sections: readonly (ReportSection | undefined)[] = [
    { title: 'Summary', blocks: [...verdictOf(incident, options), ...summary(incident, troubled)] },
    { title: 'What happened', blocks: timeline(incident) },
    levels(incident, places),
    charts(incident, troubled),
    { title: 'Who was affected', blocks: affected(incident, places) },
    { title: 'Who used the seats', blocks: users(incident, troubled) },
    { title: 'Limits', blocks: limits(incident, places) },
    { title: 'Changes of the configuration', blocks: configuration(incident) },
    { title: 'Evidence', blocks: evidence(incident, options) },
    glossary(incident, places),
  ]
  const { from, to } = rangeOf(incident)
  return {
    title: `Incident report: ${options.source.name}`,
    subtitle: `${plain.dateTime(from)} to ${plain.dateTime(to)} UTC (${plain.length(to - from)}), ${listed(incident.servers.map(({ id }) => id))}`,
    sections: sections.filter((section) => section !== undefined),
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

/** No request that was dispatched had waited where there is no quantile. */
const waitText = (value: number | undefined, range: QuantileRange | undefined): string =>
  value === undefined ? 'no wait' : plain.quantile(value, range)
const known = (value: number | undefined): string => (value === undefined ? 'unknown' : plain.amount(value))

/** The most troubled first: rejections count before waits. */
const byTrouble = (a: Place, b: Place): number =>
  rejections(b.level) - rejections(a.level) || (b.level.queued?.value ?? 0) - (a.level.queued?.value ?? 0)

const text = (...sentences: readonly (string | undefined)[]): ReportBlock => ({
  kind: 'text',
  text: sentences.filter((sentence) => sentence !== undefined).join(' '),
})

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

function summary(incident: Incident, troubled: readonly Place[]): ReportBlock[] {
  if (incident.servers.length === 0) return [text('The recording has no samples of this time.')]
  const rejecting = troubled.filter(({ level }) => rejections(level) > 0)
  const all = rejecting.reduce((sum, { level }) => sum + rejections(level), 0)
  const [worst] = rejecting
  const longest = troubled.toSorted((a, b) => (b.level.queued?.value ?? 0) - (a.level.queued?.value ?? 0))[0]
  const isKnown = incident.servers.every(({ levels: own }) => own.every(({ exempt, rejected }) => exempt || rejected))
  const counts = text(
    all === 0
      ? isKnown
        ? 'No request was rejected.'
        : 'Rejections are unknown: the servers do not report them.'
      : `${plain.counted(all, 'request was', 'requests were')} rejected with 429, in ${listed(rejecting.map((place) => nameOf(incident, place)))}.`,
    worst === undefined || rejecting.length === 1
      ? undefined
      : `Most of them, ${plain.amount(rejections(worst.level))}, in ${nameOf(incident, worst)}.`,
  )
  const culprit = troubled[0] && culpritOf(incident, troubled[0])
  if (longest?.level.queued === undefined || longest.level.queued.value === 0) {
    return [counts, text('No request waited in any sample.', culprit)]
  }
  const { value, at } = longest.level.queued
  const when = timesIn(incident)
  return [
    counts,
    text(
      `Most requests waited in ${nameOf(incident, longest)}: ${plain.amount(value)} at ${when(at)}.`,
      culprit,
      spared(incident, troubled),
    ),
  ]
}

/** Who had most of the requests of the level with the most trouble, where dumps show it. */
function culpritOf({ ledger: { flows, dumps } }: Incident, { level: { name } }: Place): string | undefined {
  const largest = largestOf(flows.filter(({ level }) => level === name))
  if (largest === undefined) return undefined
  const { flow, part } = largest
  return `${flowName(flow.flow, flow.schema)} had ${plain.percent(part)} of the requests of ${name} in ${plain.counted(dumps, 'debug dump')}.`
}

/** Levels that verifiably had no trouble while others did. */
function spared({ servers }: Incident, troubled: readonly Place[]): string | undefined {
  const unknown = servers.flatMap(({ levels: all }) => all.filter(({ queued, rejected }) => !queued || !rejected))
  const names = new Set([...troubled.map(({ level }) => level), ...unknown].map(({ name }) => name))
  const others = new Set(
    servers.flatMap(({ levels: all }) => all.map(({ name }) => name)).filter((name) => !names.has(name)),
  )
  return others.size === 0
    ? undefined
    : `No request was rejected in ${listed([...others])}, and no sample shows one waiting there.`
}

function levels(incident: Incident, places: readonly Place[]): ReportSection {
  return {
    title: 'Priority levels',
    blocks: [
      {
        kind: 'table',
        columns: [
          ...textColumns('Level'),
          ...numberColumns('Dispatched', 'Rejected'),
          ...textColumns('Reasons'),
          ...numberColumns('Most waiting', 'Wait p99', 'Most seats'),
        ],
        rows: places.map((place) => [
          nameOf(incident, place),
          known(place.level.dispatched),
          known(place.level.rejected && rejections(place.level)),
          reasons(place.level.rejected),
          known(place.level.queued?.value),
          waitText(place.level.waits.waitP99, place.level.waits.waitP99Range),
          known(place.level.executing?.value),
        ]),
      },
    ],
  }
}

/** Maximum number of charts, for the levels with the most trouble. */
const MOST_CHARTS = 4

function charts(incident: Incident, troubled: readonly Place[]): ReportSection | undefined {
  if (troubled.length === 0) return undefined
  const { from, to } = rangeOf(incident)
  const blocks = troubled.slice(0, MOST_CHARTS).flatMap((place): ReportChart[] => {
    const { points } = place.level
    const line = (key: 'executing' | 'limit' | 'queued') =>
      points.map(({ at, [key]: value }) => (value === undefined ? { at } : { at, value }))
    const name = nameOf(incident, place)
    return [
      {
        kind: 'chart',
        title: `${name}: seats`,
        unit: 'seats',
        from,
        to,
        lines: [
          { name: 'limit', points: line('limit'), dash: 'dashed' },
          { name: 'executing', points: line('executing'), dash: 'solid' },
        ],
      },
      {
        kind: 'chart',
        title: `${name}: waiting requests`,
        unit: 'requests',
        from,
        to,
        lines: [{ name: 'waiting', points: line('queued'), dash: 'solid' }],
      },
    ]
  })
  return { title: 'Charts', blocks }
}

function affected(incident: Incident, places: readonly Place[]): ReportBlock[] {
  const rows = places
    .flatMap((place) => place.level.schemas.map((schema) => ({ place, schema, rejected: rejections(schema) })))
    .filter(({ rejected, schema }) => rejected > 0 || (schema.waits.waitP99 ?? 0) >= NOTICED_SECONDS)
    .toSorted((a, b) => b.rejected - a.rejected || (b.schema.waits.waitP99 ?? 0) - (a.schema.waits.waitP99 ?? 0))
  if (rows.length === 0) {
    return [text(`No flow schema had rejected requests or a wait (p99) of ${plain.seconds(NOTICED_SECONDS)} or more.`)]
  }
  return [
    text(`Flow schemas with rejected requests, or a wait (p99) of ${plain.seconds(NOTICED_SECONDS)} or more.`),
    {
      kind: 'table',
      columns: [
        ...textColumns('Flow schema', 'Level'),
        ...numberColumns('Rejected', 'Of its requests', 'Wait p50', 'Wait p99'),
      ],
      rows: rows.map(({ place, schema, rejected }) => [
        schema.name,
        nameOf(incident, place),
        plain.amount(rejected),
        schema.dispatched === undefined
          ? 'unknown'
          : plain.percent(rejected / Math.max(1, rejected + schema.dispatched)),
        waitText(schema.waits.waitP50, schema.waits.waitP50Range),
        waitText(schema.waits.waitP99, schema.waits.waitP99Range),
      ]),
    },
  ]
}

/** A wait that a client notices. */
const NOTICED_SECONDS = 0.1
const MOST_FLOWS = 10

function users({ ledger }: Incident, troubled: readonly Place[]): ReportBlock[] {
  const names = new Set(troubled.map(({ level }) => level.name))
  const own = ledger.flows.filter(({ level }) => names.size === 0 || names.has(level)).slice(0, MOST_FLOWS)
  const rejected = ledger.clients
    .flatMap((one) => (one.sent === undefined || one.sent.rejected === 0 ? [] : [{ ...one, count: one.sent.rejected }]))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_FLOWS)
  const blocks: ReportBlock[] = []
  if (ledger.dumps === 0) {
    blocks.push(
      text('Unknown: metrics do not identify flows, and no debug dump of requests was recorded in this time.'),
    )
  } else if (own.length > 0) {
    blocks.push(
      text(
        `Mean of ${plain.counted(ledger.dumps, 'debug dump')}${names.size === 0 ? '' : `, of ${listed([...names])}`}. A dump shows one instant: short requests in between are missing.`,
      ),
      {
        kind: 'table',
        columns: [...textColumns('Flow', 'Flow schema', 'Level'), ...numberColumns('Seats', 'Of the level', 'Waiting')],
        rows: own.map(({ flow, schema, level, seats, waiting, partOfLevel }) => [
          flow === '' ? 'all of the schema' : flow,
          schema,
          level,
          plain.amount(seats),
          plain.percent(partOfLevel),
          plain.amount(waiting),
        ]),
      },
    )
  } else {
    blocks.push(text(`No request of these levels is in any of ${plain.counted(ledger.dumps, 'debug dump')}.`))
  }
  if (rejected.length > 0) {
    blocks.push(
      text(`Rejected requests by user, of ${plain.counted(ledger.requests, 'single request')} that were recorded.`),
      {
        kind: 'table',
        columns: [...textColumns('User', 'Level'), ...numberColumns('Rejected')],
        rows: rejected.map((one) => [clientName(one), one.level, plain.amount(one.count)]),
      },
    )
  }
  return blocks
}

function limits(incident: Incident, places: readonly Place[]): ReportBlock[] {
  const when = timesIn(incident)
  const rows = places.flatMap((place) => {
    const { nominal, limit } = place.level
    if (limit === undefined || place.level.exempt) return []
    const nominals = known(nominal?.last)
    return [
      [
        nameOf(incident, place),
        nominal !== undefined && nominal.first !== nominal.last
          ? `${plain.amount(nominal.first)} → ${nominals}`
          : nominals,
        plain.amount(limit.first),
        `${plain.amount(limit.least.value)} at ${when(limit.least.at)}`,
        `${plain.amount(limit.most.value)} at ${when(limit.most.at)}`,
        plain.amount(limit.last),
      ],
    ]
  })
  if (rows.length === 0) return [text('The servers do not report current limits.')]
  return [
    text(
      'Limits in seats, as the server reported them. It recomputes them every 10 s: levels lend seats that they do not use, and borrow.',
    ),
    {
      kind: 'table',
      columns: [...textColumns('Level'), ...numberColumns('Nominal', 'First', 'Least', 'Most', 'Last')],
      rows,
    },
  ]
}

function configuration(incident: Incident): ReportBlock[] {
  const { changes, objectsKnown } = incident
  const when = timesIn(incident)
  if (!objectsKnown) return [text('Unknown: no flow-control objects were recorded in this time.')]
  if (changes.length === 0) return [text('No FlowSchema and no PriorityLevelConfiguration changed.')]
  return [
    {
      kind: 'list',
      items: changes.flatMap(({ at, differences }) =>
        differences.map((difference) => {
          const what = `${when(at)} ${difference.kind} ${difference.name}`
          if (difference.change !== 'changed') return `${what} was ${difference.change}`
          return `${what}: ${difference.fields.map(({ field, from, to }) => `${field} ${shown(from)} → ${shown(to)}`).join(', ')}`
        }),
      ),
    },
  ]
}

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 120))

function glossary(incident: Incident, places: readonly Place[]): ReportSection {
  const happened = REJECT_REASONS.filter((reason) => places.some(({ level }) => (level.rejected?.[reason] ?? 0) > 0))
  const terms: readonly TermId[] = ['apf', 'seat', 'rejected', ...happened, 'nominal-limit', 'current-limit']
  const dumped: readonly TermId[] = incident.ledger.dumps > 0 ? ['flow'] : []
  return {
    title: 'Glossary',
    blocks: [
      {
        kind: 'list',
        items: [...terms, ...dumped].map((id) => {
          const [term, sentence] = GLOSSARY[id]
          return `${term}: ${sentence}`
        }),
      },
    ],
  }
}
