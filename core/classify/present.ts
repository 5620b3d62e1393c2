import {
  amount,
  cellText,
  counted,
  LEVEL_COLUMN,
  numberColumns,
  phrase,
  textColumns,
  type Answer,
  type Cell,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import type { RequestSample } from '../contract/objects.ts'
import { NOT_APPLICABLE, plain } from '../text/format.ts'
import type { Classification, Explained, Outcome, SchemaTrace, SeatStep } from './classification.ts'
import type { Landing, RequestTestResult } from './configuration.ts'
import type { Criterion } from './mismatch.ts'

/** Which schema and level a request falls into and why, its flow, and the seats that it takes. */
export const presentRequest = (request: RequestSample, explained: Explained): Answer => ({
  title: [`${request.user}  ${request.method} ${request.url}`],
  ...(explained.ok ? presentClassification(explained.classification) : { evidence: [[explained.problem]], tables: [] }),
})

const presentClassification = (found: Classification): Pick<Answer, 'evidence' | 'tables'> => ({
  evidence: [
    `${found.flowSchema} → ${found.priorityLevel}`,
    ...found.notes,
    found.flow.reason,
    ...found.seats.assumptions,
  ]
    .filter((text) => text !== '')
    .map((text) => [text]),
  tables: [schemasTable(found), factsTable(found), stepsTable(found)],
})

const CHECKS: Readonly<Record<Criterion, readonly [label: string, title: string]>> = {
  who: ['Who', 'Whether a subject of the rule is this user or one of the groups'],
  verb: ['Verb', 'Whether the rule has the verb'],
  group: ['Group', 'Whether the rule has the API group'],
  resource: ['Resource', 'Whether the rule has the resource, with its subresource'],
  scope: ['Scope', 'Whether the rule has the namespace, or clusterScope for a request without one'],
  url: ['Path', 'Whether the rule has the path'],
}

/** What a rule checks of such a request, in this order. */
export const checksOf = ({ info }: Pick<Classification, 'info'>): readonly Criterion[] =>
  info.isResource ? ['who', 'verb', 'group', 'resource', 'scope'] : ['who', 'verb', 'url']

const CHECKED: Readonly<Record<Outcome, string>> = { pass: 'yes', fail: 'no', none: 'not checked' }

/** Every schema in the order in which the server tries them, then those that it skips; `checks` get a column each. */
export const schemasTable = ({ trace, dangling }: Classification, checks: readonly Criterion[] = []): Table => ({
  title: 'Flow schemas',
  note: 'in matching order',
  columns: [
    { id: 'decides', label: '' },
    { id: 'precedence', label: 'Order', term: 'matching-precedence', align: 'right' },
    { id: 'schema', label: 'Flow schema', term: 'flow-schema' },
    LEVEL_COLUMN,
    ...checks.map((id) => ({ id, label: CHECKS[id][0], title: CHECKS[id][1] })),
    { id: 'why', label: 'Why' },
  ],
  rows: [...trace, ...dangling].map(
    (
      one: Pick<SchemaTrace, 'flowSchema' | 'priorityLevel' | 'matchingPrecedence' | 'reason'> & Partial<SchemaTrace>,
    ) => [
      one.decides === true ? '→' : '',
      String(one.matchingPrecedence),
      one.flowSchema,
      one.priorityLevel,
      ...checks.map((id) => CHECKED[one.rule?.outcomes[id] ?? 'none']),
      one.reason,
    ],
  ),
})

/** The width of the request, as the server estimates it step by step. */
export const stepsTable = ({ seats }: Pick<Classification, 'seats'>): Table => ({
  title: 'Width estimate',
  note: seats.method,
  columns: [{ id: 'step', label: 'Step' }, ...numberColumns('Value')],
  rows: seats.steps.map((step) => [step.kind === 'width' ? 'Width' : step.label, stepValue(step)]),
})

/** Exact, because one step follows from the other; `≈` before an assumed value, empty where a step has none. */
function stepValue({ value, unit, assumed }: SeatStep): Sentence {
  if (value === undefined) return []
  const about = assumed === true ? '≈ ' : ''
  if (unit === 'milliseconds') return phrase`${about}${amount('ms')(value)}`
  return phrase`${about}${amount('fixed')(value)}${unit === 'bytes' ? ' B' : ''}`
}

type Fact = readonly [label: string, value: (of: Classification) => Cell | Sentence]

const FACTS: readonly Fact[] = [
  ['Priority level', ({ priorityLevel }) => priorityLevel],
  ['Flow schema', ({ flowSchema }) => flowSchema],
  ['Precedence', ({ trace }) => String(trace.find(({ decides }) => decides)?.matchingPrecedence ?? NOT_APPLICABLE)],
  ['Rule', (of) => decidingRule(of) || 'none matches'],
  ['Flow', ({ flow }) => (flow.queues > 1 ? distinguisherText(flow) : NOT_APPLICABLE)],
  ['Flow hash', ({ flow }) => (flow.queues > 1 ? flow.hash : NOT_APPLICABLE)],
  ['Queues', ({ flow }) => (flow.queues > 0 ? amount('fixed')(flow.queues) : NOT_APPLICABLE)],
  ['Hand', ({ flow }) => (flow.hand.length > 0 ? flow.hand.join(' ') : NOT_APPLICABLE)],
  ['Width', ({ seats }) => seatsOf(seats.width)],
  ['Lingers after the response', ({ seats }) => lingering(seats)],
  ['Level’s cap of one request', ({ seats }) => (seats.levelCap === 0 ? NOT_APPLICABLE : seatsOf(seats.levelCap))],
  ['Nominal limit of the level', ({ nominalLimit }) => seatsOf(nominalLimit)],
]

const seatsOf = (seats: number): Sentence => counted(seats, 'seat')

const lingering = ({ final, additionalLatencyMs }: Classification['seats']): Sentence =>
  final === 0 ? ['no'] : phrase`${seatsOf(final)} for ${amount('ms')(additionalLatencyMs)}`

/** `rule 1 of 2`; empty when the schema is used although no rule matches. */
export function decidingRule({ trace }: Pick<Classification, 'trace'>): string {
  const { rule, rules } = trace.find(({ decides }) => decides) ?? { rules: [] }
  return rule?.matched === true ? `rule ${rule.index + 1} of ${rules.length}` : ''
}

/** How the schema distinguishes flows, and the name of this flow. */
export const distinguisherText = ({ method, distinguisher }: Classification['flow']): string =>
  method === 'none' ? 'all requests of the schema' : `${method}, ${distinguisher === '' ? '(none)' : distinguisher}`

/** The answer in short; with a draft, the present and the proposed one side by side. */
export const factsTable = (now: Classification, draft?: Classification): Table => ({
  title: 'Facts',
  note: draft === undefined ? 'as the server decides' : 'now and with the draft',
  columns: textColumns('Fact', ...(draft === undefined ? ['Value'] : ['Now', 'Draft'])),
  rows: FACTS.map(([label, value]) => [label, value(now), ...(draft === undefined ? [] : [value(draft)])]),
})

/** Whether a fact differs between the two. */
export const isChanged = ([, now, draft]: Table['rows'][number]): boolean =>
  draft !== undefined && now !== undefined && cellText(now, plain) !== cellText(draft, plain)

const OUTCOMES = { passed: 'ok', failed: 'FAIL', 'no-expectation': '–', unclassifiable: 'FAIL' } as const

/** Whether saved requests go where they are expected to. */
export function presentTests(results: readonly RequestTestResult[]): Answer {
  const {
    passed = [],
    failed: missed = [],
    unclassifiable = [],
    'no-expectation': without = [],
  } = Object.groupBy(results, ({ outcome }) => outcome)
  const none = without.length === 0 ? '' : `, ${without.length} without an expectation`
  const landing = ({ flowSchema, priorityLevel }: Landing): string => `${flowSchema} → ${priorityLevel}`
  return {
    title: [`${passed.length} passed, ${missed.length + unclassifiable.length} failed${none}`],
    evidence: [],
    tables: [
      {
        title: 'Requests',
        note: 'where each goes',
        columns: textColumns('Result', 'Request', 'Goes to', 'Expected'),
        rows: results.map((result) => [
          OUTCOMES[result.outcome],
          result.test.label,
          result.outcome === 'unclassifiable' ? result.problem : landing(result.actual),
          result.outcome === 'failed' && result.test.expect !== undefined ? landing(result.test.expect) : '',
        ]),
      },
    ],
  }
}
