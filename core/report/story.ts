import { textColumns } from '../answer/answer.ts'
import type { Diagnosis } from '../contract/diagnosis.ts'
import { rfc3339, type UnixMs } from '../units.ts'
import type { ReportBlock } from '../contract/report.ts'
import type { SourceInfo } from '../frame/frame.ts'
import { rejections, type Incident, type IncidentLevel, type IncidentServer } from './incident.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'

export interface ReportOptions {
  readonly source: SourceInfo
  /** Version of the console. */
  readonly version: string
  /** What Diagnosis says of the worst moment. */
  readonly verdict?: (Pick<Diagnosis, 'now' | 'findings'> & { readonly at: UnixMs }) | undefined
}

/** How instants of a range are written: with their day where it spans several. */
export const timesIn = ({ from, to }: { readonly from: UnixMs; readonly to: UnixMs }): ((at: UnixMs) => string) =>
  rfc3339(from).slice(0, 10) === rfc3339(to).slice(0, 10) ? plain.time : plain.dateTime

interface Moment {
  readonly at: UnixMs
  readonly server: string
  readonly what: string
}

/** Events in order of time. A sample shows what happened since the previous one. */
export function timeline(incident: Incident): ReportBlock[] {
  const { servers, changes } = incident
  const when = timesIn(incident)
  const moments = [
    ...servers.flatMap((server) => [
      ...ofServer(server, when),
      ...server.levels.flatMap((level) => ofLevel(server.id, level)),
    ]),
    ...changes.map(({ at, differences }) => ({
      at,
      server: 'all',
      what: changedText(differences),
    })),
  ].toSorted((a, b) => a.at - b.at)
  if (moments.length === 0) return [{ kind: 'text', text: 'Nothing out of the ordinary was sampled.' }]
  const several = servers.length > 1
  return [
    {
      kind: 'table',
      columns: textColumns('Time (UTC)', ...(several ? ['Server'] : []), 'What'),
      rows: moments.map(({ at, server, what }) => [when(at), ...(several ? [server] : []), what]),
    },
  ]
}

const CHANGES = [
  ['added', 'Created'],
  ['changed', 'Changed'],
  ['removed', 'Deleted'],
] as const

/** `Created: FlowSchema a. Changed: PriorityLevelConfiguration b and FlowSchema c.` */
const changedText = (differences: Incident['changes'][number]['differences']): string =>
  CHANGES.flatMap(([change, word]) => {
    const names = differences.flatMap((one) => (one.change === change ? [`${one.kind} ${one.name}`] : []))
    return names.length === 0 ? [] : [`${word}: ${listed(names)}`]
  }).join('. ')

const ofServer = ({ id, restarts, gaps }: IncidentServer, when: (at: UnixMs) => string): readonly Moment[] => [
  ...restarts.map((at) => ({ at, server: id, what: `${id} had restarted` })),
  ...gaps.map(({ from, to }) => ({ at: from, server: id, what: `No samples of ${id} until ${when(to)}` })),
]

function ofLevel(server: string, level: IncidentLevel): readonly Moment[] {
  const { name, queued, queuedFrom, queuedTo, rejectedFrom, rejectedTo, limit } = level
  if (level.exempt) return []
  const moments: Moment[] = []
  const tell = (at: UnixMs | undefined, what: string): void =>
    void (at !== undefined && moments.push({ at, server, what }))
  tell(queuedFrom, `First sample in which requests wait in ${name}`)
  if (queued !== undefined && queued.value > 0)
    tell(queued.at, `Most requests wait in ${name}: ${plain.amount(queued.value)}`)
  if (queuedTo !== queuedFrom) tell(queuedTo, `Last sample in which requests wait in ${name}`)
  tell(rejectedFrom, `First rejection in ${name}`)
  if (rejectedTo !== rejectedFrom) {
    tell(rejectedTo, `Last rejection in ${name}, ${plain.counted(rejections(level), 'rejection')} in all`)
  }
  if (moments.length > 0 && limit !== undefined && limit.least.value !== limit.most.value) {
    tell(limit.least.at, `Lowest limit of ${name}: ${plain.amount(limit.least.value)} seats`)
    tell(limit.most.at, `Highest limit of ${name}: ${plain.amount(limit.most.value)} seats`)
  }
  return moments
}

/** The data behind the report, and what it cannot show. */
export function evidence(incident: Incident, { source, version }: ReportOptions): ReportBlock[] {
  const { servers, ledger } = incident
  const when = timesIn(incident)
  const items = servers.map((server) => {
    const { id, samples, first, last, usualIntervalMs, versions, gaps } = server
    const every = usualIntervalMs === undefined ? '' : `, every ${plain.length(usualIntervalMs)}`
    const missing = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
    const holes = gaps.length === 0 ? '' : `; ${plain.counted(gaps.length, 'gap')} of ${plain.length(missing)} in all`
    const named = versions.length === 0 ? '' : `, ${listed(versions)}`
    return `${id}${named}: ${plain.counted(samples, 'sample')} of its metrics from ${when(first)} to ${when(last)}${every}${holes}.`
  })
  return [
    {
      kind: 'list',
      items: [
        `Source: ${source.name} (${source.via}).`,
        ...items,
        'Dispatched and rejected requests are differences of counters between the first and the last sample. A restart loses the counts since the last sample before it.',
        'Seats, limits and waiting requests are as sampled: changes between two samples are missed.',
        'Waits are estimates from the buckets of histograms, as in Prometheus.',
        ledger.dumps === 0
          ? 'No debug dumps of requests were recorded.'
          : `Flows are those of ${plain.counted(ledger.dumps, 'debug dump')}.`,
        ...(ledger.requests === 0 ? [] : [`${plain.counted(ledger.requests, 'single request')} were recorded.`]),
        `Written by APF Console ${version}.`,
      ],
    },
  ]
}
