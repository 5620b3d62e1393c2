import { memo, useMemo } from 'react'
import type { CoverageRow, Standing } from '../../../../core/classify/coverage.ts'
import { CATCH_ALL } from '../../../../core/config/objects.ts'
import { classes } from '../../../components/classes.ts'
import { DataTable } from '../../../components/DataTable.tsx'
import { valueColumn, numberColumn, type DataColumn } from '../../../components/dataColumns.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import { LevelChip, LevelName, MiddleCut } from '../../../components/LevelChip.tsx'
import { openRequest } from '../../../state/request.ts'
import { UNKNOWN } from '../../../../core/text/format.ts'
import { format } from '../../../theme/format.ts'
import { sampleOf } from '../shared/seen.data.ts'
import styles from '../shared/classify.module.css'
import { standingText, type FlowRow } from './coverage.data.ts'

export const SchemaTable = memo(function SchemaTable(props: {
  readonly rows: readonly CoverageRow[]
  readonly rates: ReadonlyMap<string, number>
  /** Counters were compared: the source has returned more than one page. */
  readonly watched: boolean
  readonly selected: string | undefined
  readonly onChoose: (row: CoverageRow) => void
}) {
  const { rows, rates, watched, selected, onChoose } = props
  const columns = useMemo(() => schemaColumns(rates, watched), [rates, watched])
  return (
    <DataTable
      caption="Flow schemas and their requests"
      columns={columns}
      rows={rows}
      rowKey={({ schema }) => schema}
      selectedKey={selected}
      onOpen={onChoose}
      csvName="coverage"
      density="compact"
      empty="Every schema gets requests."
      foot="Select a schema to see only its flows."
    />
  )
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

function StandingCell({ row }: { readonly row: CoverageRow }) {
  const { standing, schema, level } = row
  const text = standingText(standing, schema, level)
  // Catch-all is expected to have nothing left to match.
  const kind =
    schema === CATCH_ALL && standing.kind === 'shadowed'
      ? 'unknown'
      : standing.kind === 'quiet' && standing.forMs === 0
        ? 'traffic'
        : standing.kind
  return (
    <span className={styles['outcome']} title={text}>
      <span className={classes(styles['glyph'], styles[kind])}>
        <Icon name={GLYPH[kind]} size={13} />
      </span>
      <span className={classes(styles['clip'], standing.kind === 'traffic' && styles['quiet'])}>{text}</span>
    </span>
  )
}

const schemaColumns = (rates: ReadonlyMap<string, number>, watched: boolean): readonly DataColumn<CoverageRow>[] => [
  valueColumn('order', 'Order', ({ matchingPrecedence }) => matchingPrecedence, {
    term: 'matching-precedence',
    align: 'right',
    look: () => 'mono',
  }),
  { id: 'schema', header: 'Flow schema', term: 'flow-schema', value: ({ schema }) => schema },
  valueColumn('level', 'Level', ({ level }) => level, {
    cell: ({ level, standing }) => <LevelName name={level} stale={standing.kind === 'dangling'} />,
  }),
  valueColumn('standing', 'Requests', ({ standing, schema, level }) => standingText(standing, schema, level), {
    cell: (row) => <StandingCell row={row} />,
  }),
  valueColumn('rate', 'Dispatched /s', ({ schema }) => rates.get(schema), {
    term: 'dispatched',
    align: 'right',
    cell: ({ schema, total }) => {
      const rate = rates.get(schema)
      return rate === undefined ? (total === 0 ? '0' : UNKNOWN) : format.significant(rate)
    },
  }),
  ...(watched
    ? [
        numberColumn<CoverageRow>('counted', 'Counted', ({ counted }) => counted, {
          title: 'Requests dispatched or rejected while this page was open, of all servers',
        }),
      ]
    : []),
  numberColumn('total', 'Since start', ({ total }) => total, {
    title: 'Requests dispatched or rejected since the servers started',
  }),
  numberColumn('seen', 'Seen', ({ seen }) => seen?.requests, { title: 'Requests that dumps showed, each once' }),
  numberColumn('flows', 'Flows', ({ seen }) => seen?.flows, { term: 'flow' }),
]

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
        const request = sampleOf(example)
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
      <span className={styles['outcome']}>
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
      <span className={styles['outcome']}>
        <LevelChip name={draft.level} />
        <span className={draft.moves ? styles['moved'] : styles['quiet']}>{draft.moves ? draft.schema : 'as now'}</span>
      </span>
    ),
}
