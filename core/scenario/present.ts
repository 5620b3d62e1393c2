import {
  amount,
  numberColumns,
  phrase,
  textColumns,
  type Answer,
  type Cell,
  type Row,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import type { ScenarioReport, ScenarioRunReport } from '../contract/scenario.ts'
import { listed } from '../text/text.ts'
import { MS_PER_SECOND } from '../units.ts'
import { failed, rejectedOf } from '../whatif/results.ts'
import { measuredText } from './check.ts'
import type { ScenarioOutcome } from './run.ts'
import { MEASURES, type Assertion } from './scenario.ts'

/** The result of a scenario, in one sentence. */
export function outcomeSentence({ runs, passed }: Pick<ScenarioReport, 'runs' | 'passed'>): string {
  const prevented = runs.filter(({ verdict }) => verdict === 'prevented').map(({ name }) => name)
  const judged = runs.filter(({ verdict }) => verdict !== undefined).length
  const missed = runs.filter((run) => !run.passed).map(({ name }) => name)
  if (!passed) return `Not as expected: ${missed.join(', ')}.`
  if (judged === 0) return 'All assertions pass.'
  if (prevented.length === 0) return 'No variant prevents it.'
  return prevented.length === judged ? 'Every variant prevents it.' : `Prevented by ${listed(prevented)}.`
}

/** One variant: its verdict, what is not met or asserted, and what became of each group of clients. */
export function presentRun(run: ScenarioRunReport, of: ScenarioReport['of']): Answer {
  const { name, verdict, expected, passed, criteria, assertions, clients, seconds } = run
  const other = expected === undefined || expected === verdict ? '' : `, expected ${expected}`
  return {
    title: [
      `${name}: ${verdict === undefined ? (passed ? 'all assertions pass' : 'an assertion fails') : `${verdict}${other}`}`,
    ],
    evidence: [
      ...criteria.filter(({ holds }) => !holds).map((one) => checked('Not met', one)),
      ...assertions.map((one) => checked(one.holds ? 'Passes' : 'Fails', one)),
    ],
    tables: [
      {
        title: `Clients of ${name}`,
        note: 'requests of each group',
        columns: [
          { id: 'client', label: 'Clients' },
          ...numberColumns(
            'Offered',
            'Served /s',
            'Failed',
            ...(of === 'etcd' ? STORE : SERVER),
            'Wait p50',
            'Wait p99',
          ),
          ...(of === 'etcd' ? [] : numberColumns('Seats')),
        ],
        rows: clients.map((one) => cellsOf(one, of, seconds)),
      },
    ],
  }
}

/**
 * The numbers of the specification beside those of the runs: every assertion with a value, and why it is another one than
 * the specification has.
 */
export function presentNumbers(outcomes: readonly ScenarioOutcome[]): Answer {
  const stated = outcomes.flatMap(({ name, runs }) =>
    runs.flatMap(({ result, assertions }) =>
      assertions.flatMap(({ assertion, value, holds }) =>
        assertion.about === undefined ? [] : [{ scenario: name, variant: result.name, assertion, value, holds }],
      ),
    ),
  )
  const other = stated.filter(({ assertion }) => assertion.because !== undefined)
  const missed = stated.filter(({ holds }) => !holds).length
  const unit = ({ measure }: Assertion): string => (MEASURES[measure] === '' ? '' : ` ${MEASURES[measure]}`)
  const number = (value: number | undefined, of: Assertion): Sentence => phrase`${amount('amount')(value)}${unit(of)}`
  return {
    title: phrase`${amount('amount')(stated.length)} numbers of the specification: ${amount('amount')(stated.length - other.length)} hold as they are, ${amount('amount')(other.length)} are others for a reason, ${missed === 0 ? 'none' : amount('amount')(missed)} outside the tolerance`,
    evidence: other.map(
      ({ scenario, variant, assertion }) =>
        phrase`${scenario}, ${variant}, ${measuredText(assertion)}: ${number(assertion.specified, assertion)} in the specification. ${assertion.because ?? ''}`,
    ),
    tables: [
      {
        title: 'Numbers',
        note: 'those of the specification beside those of the run',
        columns: [
          ...textColumns('Scenario', 'Variant', 'What'),
          ...numberColumns('Specification', 'Asserted', 'Tolerance', 'Measured'),
          ...textColumns('Holds'),
        ],
        rows: stated.map(({ scenario, variant, assertion, value, holds }) => [
          scenario,
          variant,
          measuredText(assertion),
          number(assertion.specified ?? assertion.about, assertion),
          number(assertion.about, assertion),
          assertion.about === 0 ? '≤ 0.1' : MEASURES[assertion.measure] === '%' ? '± 3 points' : '± 15 %',
          number(value, assertion),
          holds ? 'yes' : 'no',
        ]),
      },
    ],
  }
}

type Checked = ScenarioRunReport['criteria'][number]

/** Every criterion with what each variant measured, after the verdicts; then what else was asserted of them. */
export function presentChecks({ runs }: Pick<ScenarioReport, 'runs'>): Table {
  const named = (kind: 'criteria' | 'assertions', name: (one: Checked) => string): readonly string[] => [
    ...new Set(runs.flatMap((run) => run[kind].map(name))),
  ]
  const criteria = named('criteria', ({ text }) => text).map((text) => [
    text,
    ...runs.map((run) => checkedCell(run.criteria.find((one) => one.text === text))),
  ])
  // Those that measure the same as a criterion stand in its row, unless one fails.
  const known = new Set(runs.flatMap((run) => run.criteria.map(whatOf)))
  const isShown = (what: string): boolean =>
    !known.has(what) || runs.some((run) => run.assertions.some((one) => whatOf(one) === what && !one.holds))
  // That an expectation is met is no praise: it may be that nearly everything fails.
  const assertions = named('assertions', whatOf)
    .filter(isShown)
    .map((what) => [
      what,
      ...runs.map((run) => {
        const one = run.assertions.find((other) => whatOf(other) === what)
        return one?.holds === true ? measured(one) : checkedCell(one, `, expected ${one?.text.slice(what.length + 1)}`)
      }),
    ])
  const isJudged = runs.some(({ verdict }) => verdict !== undefined)
  return {
    title: 'Verdict',
    note: isJudged ? 'prevented where every criterion is met; values are measured' : 'values are measured',
    columns: [{ id: 'check', label: 'Criterion' }, ...runs.map(({ name }, at) => ({ id: variantId(at), label: name }))],
    rows: [...(isJudged ? [['Verdict', ...runs.map(verdictCell)]] : []), ...criteria, ...assertions],
  }
}

const whatOf = ({ what, text }: Checked): string => what ?? text

const checkedCell = (one: Checked | undefined, expected = ''): Row[number] =>
  one === undefined ? '–' : phrase`${one.holds ? '✓' : '✗'} ${measured(one)}${one.holds ? '' : expected}`

/** The column of a variant in `presentChecks`. */
export const variantId = (place: number): string => `variant ${place}`

function verdictCell({ verdict, expected }: ScenarioRunReport): string {
  if (verdict === undefined) return '–'
  const other = expected === undefined || expected === verdict ? '' : `, expected ${expected}`
  return `${verdict === 'prevented' ? '✓' : '✗'} ${verdict}${other}`
}

/** What decides about a variant: the first criterion, or assertion, that is not met, else the first one. */
export function decidingCheck({ criteria, assertions }: ScenarioRunReport): Checked | undefined {
  const checks = criteria.length > 0 ? criteria : assertions
  return checks.find(({ holds }) => !holds) ?? checks[0]
}

/** What became of each group of clients in every variant. */
export function presentClients({ runs, of }: Pick<ScenarioReport, 'runs' | 'of'>): Table | undefined {
  const tables = runs.flatMap((run) => presentRun(run, of).tables.map((table) => ({ name: run.name, table })))
  const [first] = tables
  return (
    first && {
      title: 'Client groups',
      note: 'requests of each group in every variant',
      columns: [{ id: 'variant', label: 'Variant' }, ...first.table.columns],
      rows: tables.flatMap(({ name, table }) => table.rows.map((row) => [name, ...row])),
    }
  )
}

const checked = (how: string, one: Checked): Sentence => phrase`${how}: ${one.text} (measured ${measured(one)})`

/** A measured value with its unit; below a second as exactly as the bound beside it. */
export const measured = ({ value, unit }: Checked): Sentence =>
  unit === 'ms' && (value ?? 0) >= MS_PER_SECOND
    ? [amount('ms')(value)]
    : phrase`${amount('amount')(value)}${unit === '' ? '' : ` ${unit}`}`

const SERVER = ['Queue full', 'Concurrency limit', 'Time-out', 'Expired'] as const
/** Rejections by rules, and failures of etcd itself. */
const STORE = ['Limited', 'Failed in etcd'] as const

type Clients = ScenarioRunReport['clients'][number]

function cellsOf(one: Clients, of: ScenarioReport['of'], seconds: number): Row {
  const { client, offered, served, expired, rejected, waitMs, seats } = one
  const counts =
    of === 'etcd'
      ? [rejectedOf(one), expired]
      : [rejected['queue-full'], rejected['concurrency-limit'], rejected['time-out'], expired]
  return [
    client,
    amount('fixed')(offered),
    amount('seatsAverage')(served / seconds),
    failedCell(one),
    ...counts.map((count) => amount('fixed')(count)),
    amount('ms')(waitMs.p50),
    amount('ms')(waitMs.p99),
    ...(of === 'etcd' ? [] : [amount('seatsAverage')(seats)]),
  ]
}

/** Of the requests that ended; a few are not shown as none. */
function failedCell(one: Clients): Cell {
  const ended = failed(one) + one.served
  const share = ended === 0 ? undefined : failed(one) / ended
  if (share !== undefined && share > 0 && share < 0.001) return '< 0.1 %'
  return amount('percent', { decimals: share === undefined || share === 0 || share >= 0.1 ? 0 : 1 })(share)
}
