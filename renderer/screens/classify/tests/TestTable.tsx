import { memo, useMemo } from 'react'
import type { RequestTestResult, Landing } from '../../../../core/classify/configuration.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestTest } from '../../../../core/contract/objects.ts'
import { classes } from '../../../components/classes.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { valueColumn } from '../../../components/dataColumns.ts'
import { Icon } from '../../../components/Icon.tsx'
import { LevelChip, MiddleCut } from '../../../components/LevelChip.tsx'
import { Button, Buttons } from '../../../components/Button.tsx'
import { SelectField, TextField } from '../../../components/Field.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { openRequest } from '../../../state/request.ts'
import { changeRequestTests } from '../../../state/requestTests.ts'
import { requestWords, shortUser } from '../shared/seen.data.ts'
import styles from '../shared/classify.module.css'
import { type TestRow, changed, expecting, without } from './table.logic.ts'

export interface Table {
  readonly rows: readonly TestRow[]
  /** Changes the table; the change can be undone. `what` describes it. */
  readonly change: (what: string, change: (tests: readonly RequestTest[]) => readonly RequestTest[]) => void
  /** The last change that can be undone. */
  readonly last: { readonly what: string; readonly undo: () => void } | undefined
}

export const TestTable = memo(function TestTable(props: {
  readonly rows: readonly TestRow[]
  readonly hidden: number
  readonly withDraft: boolean
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}) {
  const { rows, hidden, withDraft, selected, onSelect } = props
  const columns = useMemo(() => (withDraft ? [LABEL, NOW, DRAFT, ...REST] : [LABEL, NOW, ...REST]), [withDraft])
  return (
    <div className={classes(styles['table'], !withDraft && selected === undefined && styles['roomy'])}>
      <DataTable
        caption="Saved requests"
        columns={columns}
        rows={rows}
        rowKey={({ test }) => test.id}
        selectedKey={selected}
        onOpen={({ test }) => onSelect(test.id)}
        csvName="request-tests"
        density="compact"
        empty="No row matches this filter."
        foot={hidden > 0 ? `${hidden} hidden by the filter` : 'Select a row to change it.'}
      />
    </div>
  )
})

const WORDS: Readonly<Record<RequestTestResult['outcome'], string>> = {
  passed: 'as expected',
  failed: 'not as expected',
  'no-expectation': 'nothing expected',
  unclassifiable: 'not classified',
}
const GLYPH = { passed: 'check', failed: 'cross', unclassifiable: 'warn' } as const

/** `✓ service-accounts`, with the outcome in words for screen readers. */
export function Outcome({ result, moves = false }: { readonly result: RequestTestResult; readonly moves?: boolean }) {
  const { outcome } = result
  return (
    <span className="inline-row gap-7" title={outcome === 'unclassifiable' ? result.problem : WORDS[outcome]}>
      <span className={classes(styles['glyph'], styles[outcome])}>
        {outcome === 'no-expectation' ? <span aria-hidden="true">·</span> : <Icon name={GLYPH[outcome]} size={13} />}
        <span className="sr-only">{WORDS[outcome]}</span>
      </span>
      {outcome === 'unclassifiable' ? (
        'not classified'
      ) : (
        <>
          <LevelChip name={result.actual.priorityLevel} />
          <span className={moves ? 'strong' : undefined}>{result.actual.flowSchema}</span>
        </>
      )}
    </span>
  )
}

const outcomeValue = (result: RequestTestResult | undefined): string | undefined =>
  result && (result.outcome === 'unclassifiable' ? result.outcome : `${result.outcome}: ${result.actual.flowSchema}`)

const LABEL: DataColumn<TestRow> = {
  id: 'label',
  header: 'Label',
  value: ({ test }) => test.label,
  cell: ({ test }) => (
    <span className={styles['label']} title={test.label}>
      <MiddleCut text={test.label} />
    </span>
  ),
}

const NOW: DataColumn<TestRow> = {
  id: 'now',
  header: 'Now',
  value: ({ now }) => outcomeValue(now),
  cell: ({ now }) => <Outcome result={now} />,
}

const REST: readonly DataColumn<TestRow>[] = [
  valueColumn('expect', 'Expected', ({ test }) => test.expect?.flowSchema, {
    cell: ({ test, now }) =>
      test.expect === undefined ? (
        <span className={styles['quiet']}>nothing</span>
      ) : now.outcome === 'passed' ? (
        <span className={styles['quiet']} title={test.expect.flowSchema}>
          the same
        </span>
      ) : (
        <span className="inline-row gap-7">
          <LevelChip name={test.expect.priorityLevel} />
          {test.expect.flowSchema}
        </span>
      ),
  }),
  valueColumn('request', 'Request', ({ test }) => `${test.request.method} ${test.request.url}`, {
    cell: ({ test }) => (
      <span className={classes('mono', styles['request'])} title={`${test.request.method} ${test.request.url}`}>
        <MiddleCut text={requestWords(test.request)} />
      </span>
    ),
  }),
  valueColumn('user', 'User', ({ test }) => test.request.user, {
    cell: ({ test }) => (
      <span
        className={classes('mono', styles['user'])}
        title={`${test.request.user}; ${test.request.groups.join(', ')}`}
      >
        <MiddleCut text={shortUser(test.request.user)} />
      </span>
    ),
  }),
]

const DRAFT: DataColumn<TestRow> = {
  id: 'draft',
  header: 'With the draft',
  term: 'draft',
  value: ({ draft }) => outcomeValue(draft),
  cell: ({ draft, moves }) => (draft === undefined ? '–' : <Outcome result={draft} moves={moves} />),
}

/** One saved request: its parts, the expected match, and the actual one. */
export const TestDetail = memo(function TestDetail(props: {
  readonly row: TestRow
  readonly current: ObjectSet
  readonly draft: ObjectSet | undefined
  readonly change: Table['change']
}) {
  const { row, current, draft, change } = props
  const choices = useMemo(() => landingChoices([current, ...(draft === undefined ? [] : [draft])]), [current, draft])
  const { test, now, draft: proposed } = row
  const { id, label, request, expect } = test
  const edit = (what: string, next: Landing | undefined): void =>
    change(what, (tests) => changed(tests, id, (one) => expecting(one, next)))
  const options = [...new Map([...choices, ...(expect ? [expect] : [])].map((one) => [keyOf(one), one]))]
  return (
    <Pane title="Row" className={styles['detail']}>
      <div className={styles['form']}>
        <TextField
          kind="text"
          label="Label"
          value={label}
          onChange={(next) => changeRequestTests((tests) => changed(tests, id, (one) => ({ ...one, label: next })))}
        />
        <dl className={styles['facts']}>
          <dt>Request</dt>
          <dd className="mono">{`${request.method} ${request.url}`}</dd>
          <dt>User</dt>
          <dd className="mono">{request.user}</dd>
          <dt>Groups</dt>
          <dd className="mono">
            {request.groups.length === 0
              ? 'none'
              : request.groups.map((group) => (
                  <span key={group} className="block">
                    {group}
                  </span>
                ))}
          </dd>
          <dt>Now</dt>
          <dd>
            <Answered result={now} />
          </dd>
          {proposed !== undefined && (
            <>
              <dt>With the draft</dt>
              <dd>
                <Answered result={proposed} />
              </dd>
            </>
          )}
        </dl>
        <SelectField
          label="Expected"
          value={expect === undefined ? '' : keyOf(expect)}
          options={[
            ['', 'any'],
            ...options.map(
              ([key, { flowSchema, priorityLevel }]) => [key, `${flowSchema} in ${priorityLevel}`] as const,
            ),
          ]}
          onChange={(key) => edit('Changed an expectation.', new Map(options).get(key))}
        />
        <Buttons>
          {now.outcome !== 'unclassifiable' && now.outcome !== 'passed' && (
            <Button asks="requests.change" onClick={() => edit('The expectation is the present match.', now.actual)}>
              Expect present match
            </Button>
          )}
          {row.moves &&
            proposed !== undefined &&
            proposed.outcome !== 'unclassifiable' &&
            proposed.outcome !== 'passed' && (
              <Button
                asks="requests.change"
                onClick={() => edit('The expectation is the match with the draft.', proposed.actual)}
              >
                Expect draft match
              </Button>
            )}
          <Button onClick={() => openRequest(request)}>Explain</Button>
          <Button asks="requests.change" onClick={() => change(`Removed ${label}.`, (tests) => without(tests, id))}>
            Remove
          </Button>
        </Buttons>
      </div>
    </Pane>
  )
})

function Answered({ result }: { readonly result: RequestTestResult }) {
  if (result.outcome === 'unclassifiable') return <>{result.problem}</>
  return (
    <span className={`${styles['answered']} stack gap-3`}>
      <Outcome result={result} />
      <span className={styles['quiet']}>{`in ${result.actual.priorityLevel}`}</span>
    </span>
  )
}

const keyOf = ({ flowSchema, priorityLevel }: Landing): string => JSON.stringify([flowSchema, priorityLevel])

const landingChoices = (sets: readonly ObjectSet[]): readonly Landing[] =>
  sets.flatMap(({ schemas }) =>
    schemas
      .toSorted((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence)
      .map(({ metadata, spec }) => ({
        flowSchema: metadata.name,
        priorityLevel: spec.priorityLevelConfiguration.name,
      })),
  )
