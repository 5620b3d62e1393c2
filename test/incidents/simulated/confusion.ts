import { diagnose } from '../../../core/diagnose/diagnose.ts'
import type { Diagnosis, Finding } from '../../../core/contract/diagnosis.ts'
import { createKeptPages } from '../../../main/recordings/keptPages.ts'
import { simulatedIncident, type SimulatedIncident } from './generator.ts'
import type { Part } from './parts.ts'

/** How a diagnosis of one incident compares with its truth. */
export interface Judgement {
  /** Without its events: there are thousands of incidents. */
  readonly incident: Pick<SimulatedIncident, 'seed' | 'causes' | 'innocent' | 'needed'>
  readonly diagnosis: Diagnosis
  /** The given cause that the first finding is; `undefined` where it is none of them. */
  readonly first: Part | undefined
  /** Whether the first finding names the culprit of that cause. */
  readonly names: boolean
  /** Given causes that are among the findings. */
  readonly found: readonly Part[]
  /** Findings that are none of the given causes. */
  readonly others: readonly Finding[]
  /** Changes that do no harm and that a finding calls a cause. */
  readonly blamed: readonly Part[]
}

/** Judged as the command line does: from the events of a source, without looking at the truth. */
export function judged({ events, ...incident }: SimulatedIncident): Judgement {
  const kept = createKeptPages()
  for (const event of events) kept.take(event)
  const diagnosis = diagnose(kept.all(undefined))
  const [best] = diagnosis.findings
  const first = best && incident.causes.find((part) => isOf(best, part))
  return {
    incident,
    diagnosis,
    first,
    names: first !== undefined && best !== undefined && mentions(best, first.culprit),
    found: incident.causes.filter((part) => diagnosis.findings.some((finding) => isOf(finding, part))),
    others: diagnosis.findings.filter(
      (finding) => finding.group !== 'none' && !incident.causes.some((part) => isOf(finding, part)),
    ),
    blamed: incident.innocent.filter(({ culprit }) => best !== undefined && accusedIn(best).includes(culprit)),
  }
}

const saysOf = ({ place, title, text, remedy }: Finding): string =>
  [JSON.stringify(place), title, text, remedy.text].join(' ')
/** Not whom it harms, nor who got the seats. */
const accusedIn = ({ place, culprit, remedy }: Finding): string =>
  [JSON.stringify(place), culprit, ...remedy.manifests.map(({ name }) => name)].join(' ')
const mentions = (finding: Finding, culprit: string): boolean => saysOf(finding).includes(culprit)
const isOf = ({ cause, place }: Finding, { accepted, level }: Part): boolean =>
  accepted.includes(cause) && (level === undefined || place.level === undefined || place.level === level)

const isCalm = ({ findings: [best] }: Diagnosis): boolean => best === undefined || best.group === 'none'

/** Incidents of these seeds whose parts show. */
export function* incidentsFrom(seed: number, count: number): Generator<SimulatedIncident> {
  for (let at = seed, made = 0; made < count; at++) {
    const incident = simulatedIncident(at)
    if (!incident.shows) continue
    made += 1
    yield incident
  }
}

const percent = (part: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * part) / all)} %`)
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] => [
  row(head),
  row(head.map(() => '---')),
  ...rows.map(row),
]

/** What was given, missed and said beside it, where a verdict is not wholly right. */
function missed({ incident: { seed, causes, needed }, first, found, others }: Judgement): readonly string[] {
  const kinds = (parts: readonly Part[]): string => parts.map(({ kind }) => kind).join(', ')
  const lost = needed.filter((part) => !found.includes(part))
  const parts = [
    ...(causes.length > 0 && first === undefined ? ['the first is none of them'] : []),
    ...(lost.length > 0 ? [`missed ${kinds(lost)}`] : []),
    ...others.map(({ cause, confidence }) => `${cause} beside them (${confidence})`),
  ]
  return parts.length === 0 ? [] : [`- ${seed}, ${causes.length === 0 ? 'calm' : kinds(causes)}: ${parts.join('; ')}`]
}

/** What was given and what was found, and how often a certainty is right. */
export function confusionText(judgements: readonly Judgement[]): string {
  const calm = judgements.filter(({ incident }) => incident.causes.length === 0)
  const troubled = judgements.filter(({ incident }) => incident.causes.length > 0)
  const single = troubled.filter(({ incident }) => incident.causes.length === 1)
  const kinds = [...Map.groupBy(single, ({ incident }) => incident.causes[0]?.kind ?? '')].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const causes = (own: readonly Judgement[]): string =>
    [...Map.groupBy(own, ({ diagnosis }) => diagnosis.findings[0]?.cause ?? 'none')]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([cause, of]) => `${cause} ${of.length}`)
      .join(', ')
  const count = (own: readonly Judgement[], is: (one: Judgement) => boolean): number => own.filter(is).length
  const sure = ['strong', 'likely', 'possible'] as const
  const several = [
    ...Map.groupBy(
      troubled
        .filter(({ incident }) => incident.causes.length > 1)
        .flatMap((one) => one.incident.causes.map((part) => ({ part, one }))),
      ({ part }) => part.kind,
    ),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const besides = [
    ...Map.groupBy(
      judgements.flatMap((one) => one.others),
      ({ cause }) => cause,
    ),
  ].toSorted(([, a], [, b]) => b.length - a.length)
  return [
    `${judgements.length} simulated incidents: ${calm.length} calm, ${single.length} with one cause, ${troubled.length - single.length} with several.`,
    '',
    ...table(
      ['one cause given', 'incidents', 'first cause right', 'culprit named', 'found first'],
      kinds.map(([kind, own]) => [
        kind,
        own.length,
        percent(
          count(own, ({ first }) => first !== undefined),
          own.length,
        ),
        percent(
          count(own, ({ names }) => names),
          own.length,
        ),
        causes(own),
      ]),
    ),
    '',
    ...table(
      [
        'causes given',
        'incidents',
        'first is one of them',
        'culprit named',
        'all found',
        'all found that are needed',
        'another cause beside them',
        'innocent change blamed',
      ],
      [...Map.groupBy(troubled, ({ incident }) => incident.causes.length)]
        .toSorted(([a], [b]) => a - b)
        .map(([number, own]) => [
          number,
          own.length,
          percent(
            count(own, ({ first }) => first !== undefined),
            own.length,
          ),
          percent(
            count(own, ({ names }) => names),
            own.length,
          ),
          percent(
            count(own, ({ found, incident }) => found.length === incident.causes.length),
            own.length,
          ),
          percent(
            count(own, ({ found, incident }) => incident.needed.every((part) => found.includes(part))),
            own.length,
          ),
          percent(
            count(own, ({ others }) => others.length > 0),
            own.length,
          ),
          percent(
            count(own, ({ blamed }) => blamed.length > 0),
            own.length,
          ),
        ]),
    ),
    '',
    ...table(
      ['cause among several', 'given', 'needed', 'of these found'],
      several.map(([kind, given]) => {
        const needed = given.filter(({ part, one }) => one.incident.needed.includes(part))
        const found = needed.filter(({ part, one }) => one.found.includes(part)).length
        return [kind, given.length, needed.length, percent(found, needed.length)]
      }),
    ),
    '',
    `Found beside the given causes: ${besides.map(([cause, all]) => `${cause} ${all.length}`).join(', ')}.`,
    `Calm servers: nothing wrong is said of ${percent(
      count(calm, ({ diagnosis }) => isCalm(diagnosis)),
      calm.length,
    )}; found first: ${causes(calm)}.`,
    '',
    ...table(
      ['how sure', 'first causes', 'right', 'all causes', 'right'],
      sure.map((confidence) => {
        const own = judgements.filter(({ diagnosis }) => diagnosis.findings[0]?.confidence === confidence)
        const right = count(own, ({ first, incident, diagnosis }) =>
          incident.causes.length === 0 ? isCalm(diagnosis) : first !== undefined,
        )
        const all = judgements.flatMap(({ diagnosis, incident }) =>
          diagnosis.findings
            .filter((finding) => finding.confidence === confidence && finding.group !== 'none')
            .map((finding) => incident.causes.some((part) => isOf(finding, part))),
        )
        return [
          confidence,
          own.length,
          percent(right, own.length),
          all.length,
          percent(all.filter((is) => is).length, all.length),
        ]
      }),
    ),
    '',
    'Misses, by seed:',
    ...judgements.flatMap(missed),
    '',
  ].join('\n')
}
