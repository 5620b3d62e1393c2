import {
  amount,
  counted,
  phrase,
  textColumns,
  type Amount,
  type Answer,
  type Cell,
  type Column,
  type Row,
  type Sentence,
} from '../answer/answer.ts'
import { rfc3339, type UnixMs } from '../units.ts'
import type { SourceInfo } from '../frame/frame.ts'
import { rejections, type Incident, type IncidentLevel, type IncidentServer } from './incident.ts'
import { listed } from '../text/text.ts'

export interface ReportOptions {
  readonly source: SourceInfo
  /** Version of the console. */
  readonly version: string
  /** What `status` prints of the moment at which it is judged. */
  readonly verdict?: { readonly at: UnixMs; readonly lines: readonly string[] } | undefined
}

/** A paragraph. */
export const said = (...sentences: readonly (Sentence | undefined)[]): Answer => ({
  title: sentences
    .filter((sentence) => sentence !== undefined)
    .flatMap((sentence, index) => (index === 0 ? sentence : [' ', ...sentence])),
  evidence: [],
  tables: [],
})

export const itemised = (items: readonly Sentence[]): Answer => ({ title: [], evidence: items, tables: [] })

/** A table below a caption. */
export const tabled = (title: string, [columns, rows]: readonly [readonly Column[], readonly Row[]]): Answer => ({
  title: [],
  evidence: [],
  tables: [{ title, note: '', columns, rows }],
})

/** Instants of a range: with their day where it spans several. */
export const instantOf = ({ from, to }: { readonly from: UnixMs; readonly to: UnixMs }): ((at: UnixMs) => Amount) =>
  amount(rfc3339(from).slice(0, 10) === rfc3339(to).slice(0, 10) ? 'time' : 'dateTime')

interface Moment {
  readonly at: UnixMs
  readonly server: string
  readonly what: Sentence
}

/** Events in order of time. A sample shows what happened since the previous one. */
export function timeline(incident: Incident): readonly Answer[] {
  const { servers, changes } = incident
  const when = instantOf(incident)
  const moments = [
    ...servers.flatMap((server) => [
      ...ofServer(server, when),
      ...server.levels.flatMap((level) => ofLevel(server.id, level)),
    ]),
    ...changes.map(({ at, differences }) => ({ at, server: 'all', what: [changedText(differences)] })),
  ].toSorted((a, b) => a.at - b.at)
  if (moments.length === 0) return [said(['Nothing out of the ordinary was sampled.'])]
  const several = servers.length > 1
  return [
    tabled('', [
      textColumns('Time (UTC)', ...(several ? ['Server'] : []), 'What'),
      moments.map(({ at, server, what }) => [when(at), ...(several ? [server] : []), what]),
    ]),
  ]
}

const CHANGES = [
  ['added', 'Created'],
  ['changed', 'Changed'],
  ['removed', 'Deleted'],
] as const

/** `Created: FlowSchema a. Changed: PriorityLevelConfiguration b and FlowSchema c.` */
export const changedText = (differences: Incident['changes'][number]['differences']): string =>
  CHANGES.flatMap(([change, word]) => {
    const names = differences.flatMap((one) => (one.change === change ? [`${one.kind} ${one.name}`] : []))
    return names.length === 0 ? [] : [`${word}: ${listed(names)}`]
  }).join('. ')

const ofServer = ({ id, restarts, gaps }: IncidentServer, when: (at: UnixMs) => Cell): readonly Moment[] => [
  ...restarts.map((at) => ({ at, server: id, what: [`${id} had restarted`] })),
  ...gaps.map(({ from, to }) => ({ at: from, server: id, what: phrase`No samples of ${id} until ${when(to)}` })),
]

function ofLevel(server: string, level: IncidentLevel): readonly Moment[] {
  const { name, queued, queuedFrom, queuedTo, rejectedFrom, rejectedTo } = level
  if (level.exempt) return []
  const moments: Moment[] = []
  const tell = (at: UnixMs | undefined, what: Sentence): void =>
    void (at !== undefined && moments.push({ at, server, what }))
  const count = amount('amount')
  tell(queuedFrom, [`First sample in which requests wait in ${name}`])
  if (queued !== undefined && queued.value > 0)
    tell(queued.at, phrase`Most requests wait in ${name}: ${count(queued.value)}`)
  if (queuedTo !== queuedFrom) tell(queuedTo, [`Last sample in which requests wait in ${name}`])
  tell(rejectedFrom, [`First rejection in ${name}`])
  if (rejectedTo !== rejectedFrom)
    tell(rejectedTo, phrase`Last rejection in ${name}, ${counted(rejections(level), 'rejection')} in all`)
  return moments
}

/** The data behind the report, and what it cannot show. */
export function evidence(incident: Incident, { source, version }: ReportOptions): readonly Answer[] {
  const { servers, ledger } = incident
  const when = instantOf(incident)
  const length = amount('length')
  return [
    itemised([
      [`Source: ${source.name} (${source.via}).`],
      ...servers.map(({ id, samples, first, last, usualIntervalMs, versions, gaps }) => {
        const every = usualIntervalMs === undefined ? '' : phrase`, every ${length(usualIntervalMs)}`
        const missing = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
        const holes = gaps.length === 0 ? '' : phrase`; ${counted(gaps.length, 'gap')} of ${length(missing)} in all`
        const named = versions.length === 0 ? '' : `, ${listed(versions)}`
        return phrase`${id}${named}: ${counted(samples, 'sample')} of its metrics from ${when(first)} to ${when(last)}${every}${holes}.`
      }),
      [
        'Dispatched and rejected requests are differences of counters between the first and the last sample. A restart loses the counts since the last sample before it.',
      ],
      ['Seats, limits and queued requests are as sampled: changes between two samples are missed.'],
      ['Waits are estimates from the buckets of histograms, as in Prometheus.'],
      ledger.dumps === 0
        ? ['No debug dumps of requests were recorded.']
        : phrase`Flows are those of ${counted(ledger.dumps, 'debug dump')}.`,
      ...(ledger.requests === 0 ? [] : [phrase`${counted(ledger.requests, 'single request')} were recorded.`]),
      [`Written by APF Console ${version}.`],
    ]),
  ]
}
