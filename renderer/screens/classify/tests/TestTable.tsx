import { memo, useMemo } from 'react'
import type { RequestTestResult } from '../../../../core/classify/configuration.ts'
import { classes } from '../../../components/classes.ts'
import { DataTable, type DataColumn } from '../../../components/DataTable.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { LevelChip, MiddleCut } from '../../../components/LevelChip.tsx'
import { requestWords, shortUser } from '../shared/words.ts'
import type { TestRow } from './table.logic.ts'
import styles from './tests.module.css'

/** The saved requests and what became of them. */
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
    <div className={styles['table']}>
      <DataTable
        caption="Saved requests"
        columns={columns}
        rows={rows}
        rowKey={({ test }) => test.id}
        selectedKey={selected}
        onOpen={({ test }) => onSelect(test.id)}
        csvName="request-tests"
        density="compact"
        empty="No row passes this filter."
        foot={hidden > 0 ? `${hidden} hidden by the filter` : undefined}
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

/** `✓ service-accounts`, with the outcome in words for those who do not see it. */
export function Outcome({ result, moves = false }: { readonly result: RequestTestResult; readonly moves?: boolean }) {
  const { outcome } = result
  return (
    <span className={styles['outcome']} title={outcome === 'unclassifiable' ? result.problem : WORDS[outcome]}>
      <span className={classes(styles['glyph'], styles[outcome])}>
        {outcome === 'no-expectation' ? <span aria-hidden="true">·</span> : <Icon name={GLYPH[outcome]} size={13} />}
        <span className="sr-only">{WORDS[outcome]}</span>
      </span>
      {outcome === 'unclassifiable' ? (
        'not classified'
      ) : (
        <>
          <LevelChip name={result.actual.priorityLevel} />
          <span className={moves ? styles['moved'] : undefined}>{result.actual.flowSchema}</span>
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
  {
    id: 'expect',
    header: 'Expected',
    value: ({ test }) => test.expect?.flowSchema,
    cell: ({ test, now }) =>
      test.expect === undefined ? (
        <span className={styles['quiet']}>nothing</span>
      ) : now.outcome === 'passed' ? (
        <span className={styles['quiet']} title={test.expect.flowSchema}>
          the same
        </span>
      ) : (
        <span className={styles['outcome']}>
          <LevelChip name={test.expect.priorityLevel} />
          {test.expect.flowSchema}
        </span>
      ),
  },
  {
    id: 'request',
    header: 'Request',
    value: ({ test }) => `${test.request.method} ${test.request.url}`,
    cell: ({ test }) => (
      <span className={classes('mono', styles['request'])} title={`${test.request.method} ${test.request.url}`}>
        <MiddleCut text={requestWords(test.request)} />
      </span>
    ),
  },
  {
    id: 'user',
    header: 'User',
    value: ({ test }) => test.request.user,
    cell: ({ test }) => (
      <span
        className={classes('mono', styles['user'])}
        title={`${test.request.user}; ${test.request.groups.join(', ')}`}
      >
        <MiddleCut text={shortUser(test.request.user)} />
      </span>
    ),
  },
]

const DRAFT: DataColumn<TestRow> = {
  id: 'draft',
  header: 'With the draft',
  term: 'draft',
  value: ({ draft }) => outcomeValue(draft),
  cell: ({ draft, moves }) => (draft === undefined ? '–' : <Outcome result={draft} moves={moves} />),
}
