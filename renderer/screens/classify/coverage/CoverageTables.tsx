import { memo, useMemo } from 'react'
import type { CoverageRow, Standing } from '../../../../core/classify/coverage.ts'
import { CATCH_ALL } from '../../../../core/config/objects.ts'
import { coverageTable } from '../../../../core/guard/covered.ts'
import { AnswerGrid, type AnswerCells } from '../../../components/answer/Answer.tsx'
import { classes } from '../../../components/classes.ts'
import { DataTable } from '../../../components/DataTable.tsx'
import { valueColumn, numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { LevelChip, LevelName, MiddleCut } from '../../../components/LevelChip.tsx'
import { openRequest } from '../../../state/request.ts'
import { UNKNOWN } from '../../../../core/text/format.ts'
import { format } from '../../../theme/format.ts'
import { sampleOfDump } from '../../../../core/classify/requestText.ts'
import styles from '../shared/classify.module.css'
import type { FlowRow } from './coverage.data.ts'

export const SchemaTable = memo(function SchemaTable(props: {
  readonly rows: readonly CoverageRow[]
  readonly rates: ReadonlyMap<string, number>
  /** Counters were compared: the source has returned more than one page. */
  readonly watched: boolean
  readonly selected: string | undefined
  readonly onChoose: (row: CoverageRow) => void
}) {
  const { rows, rates, watched, selected, onChoose } = props
  const table = useMemo(() => coverageTable(rows, rates, watched), [rows, rates, watched])
  const cells = useMemo(() => schemaCells(rows), [rows])
  return (
    <AnswerGrid
      table={table}
      cells={cells}
      selected={rows.findIndex(({ schema }) => schema === selected)}
      onOpen={(index) => {
        const row = rows[index]
        if (row !== undefined) onChoose(row)
      }}
      csvName="coverage"
      density="compact"
      empty="Every schema gets requests."
      foot="Select a schema to see only its flows."
    />
  )
})

const schemaCells = (rows: readonly CoverageRow[]): AnswerCells => ({
  order: (text) => <span className="mono">{text}</span>,
  level: (text, row) => <LevelName name={text} stale={rows[row]?.standing.kind === 'dangling'} />,
  standing: (text, row) => <StandingCell text={text} row={rows[row]} />,
})

const GLYPH: Readonly<Record<Standing['kind'], IconName>> = {
  traffic: 'check',
  quiet: 'pause',
  never: 'disc',
  shadowed: 'warn',
  dangling: 'warn',
  removed: 'info',
  unknown: 'info',
}

const NONE: Standing = { kind: 'unknown' }

function StandingCell({ text, row }: { readonly text: string; readonly row: CoverageRow | undefined }) {
  const { standing = NONE, schema } = row ?? {}
  // Catch-all is expected to have nothing left to match.
  const kind =
    schema === CATCH_ALL && standing.kind === 'shadowed'
      ? 'unknown'
      : standing.kind === 'quiet' && standing.forMs === 0
        ? 'traffic'
        : standing.kind
  return (
    <span className="inline-row gap-7" title={text}>
      <span className={classes(styles['glyph'], styles[kind])}>
        <Icon name={GLYPH[kind]} size={13} />
      </span>
      <span className={classes(styles['clip'], standing.kind === 'traffic' && styles['quiet'])}>{text}</span>
    </span>
  )
}

/** Flows from dumps. A row opens its newest request. */
export const FlowTable = memo(function FlowTable(props: {
  readonly rows: readonly FlowRow[]
  readonly at: number | undefined
  readonly withDraft: boolean
  readonly chosen: string | undefined
}) {
  const { rows, at, withDraft, chosen } = props
  const columns = useMemo(() => flowColumns(at, withDraft), [at, withDraft])
  return (
    <DataTable
      caption="Flows seen"
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      onOpen={({ example }) => {
        const request = sampleOfDump(example)
        if (request !== undefined) openRequest(request)
      }}
      csvName="flows-seen"
      density="compact"
      empty={chosen === undefined ? 'No dump has shown a request yet.' : `No dump has shown a request of ${chosen}.`}
      foot="Enter or a click explains the newest request of a flow."
    />
  )
})

const flowColumns = (at: number | undefined, withDraft: boolean): readonly DataColumn<FlowRow>[] => [
  valueColumn('flow', 'Flow', ({ name }) => name, {
    term: 'flow',
    cell: ({ name }) => (
      <span className={classes('mono', styles['name'])} title={name}>
        {name}
      </span>
    ),
  }),
  valueColumn('schema', 'Flow schema', ({ schema }) => schema, {
    term: 'flow-schema',
    cell: ({ schema, level }) => (
      <span className="inline-row gap-7">
        <LevelChip name={level} />
        {schema}
      </span>
    ),
  }),
  ...(withDraft ? [DRAFT] : []),
  numberColumn('requests', 'Seen', ({ requests }) => requests, { title: 'Requests that dumps showed, each once' }),
  numberColumn('users', 'Users', ({ users }) => users),
  valueColumn('last', 'Last seen', ({ lastAt }) => lastAt, {
    align: 'right',
    cell: ({ lastAt }) =>
      at === undefined ? format.time(lastAt) : at - lastAt < 1_000 ? 'now' : `${format.age(at - lastAt)} ago`,
  }),
  valueColumn('example', 'Newest request', ({ words }) => words, {
    cell: ({ words }) => (
      <span className={classes('mono', styles['words'])} title={words}>
        <MiddleCut text={words === '' ? UNKNOWN : words} />
      </span>
    ),
  }),
]

const DRAFT: DataColumn<FlowRow> = {
  id: 'draft',
  header: 'With the draft',
  term: 'draft',
  value: ({ draft }) => (typeof draft === 'object' ? draft.schema : draft),
  cell: ({ draft }) =>
    draft === undefined || draft === 'unclear' ? (
      <span
        className={styles['quiet']}
        title="Its groups are unknown. With those derived from the user name, the present objects would not do what the server did."
      >
        unknown
      </span>
    ) : (
      <span className="inline-row gap-7">
        <LevelChip name={draft.level} />
        <span className={draft.moves ? 'strong' : styles['quiet']}>{draft.moves ? draft.schema : 'as now'}</span>
      </span>
    ),
}
