import { memo, useMemo } from 'react'
import type { Classification, DanglingTrace, Outcome, SchemaTrace } from '../../../../core/classify/classification.ts'
import type { Criterion } from '../../../../core/classify/mismatch.ts'
import { classes } from '../../../components/classes.ts'
import { DataTable } from '../../../components/DataTable.tsx'
import { valueColumn, inGivenOrder, type DataColumn } from '../../../components/dataColumns.ts'
import { Icon } from '../../../components/Icon.tsx'
import { LevelName } from '../../../components/LevelChip.tsx'
import { openPage } from '../../../state/route.ts'
import styles from './request.module.css'

type TraceRow = ({ readonly part: true } & SchemaTrace) | ({ readonly part: false } & DanglingTrace)

/** Every schema in the order in which the server tries them, with the result for the request. */
export const TracePane = memo(function TracePane({ answer }: { readonly answer: Classification }) {
  const { trace, dangling, flowSchema, info } = answer
  const columns = useMemo(() => columnsFor(info.isResource ? OF_RESOURCES : OF_PATHS), [info.isResource])
  const rows = useMemo(
    (): readonly TraceRow[] => [
      ...trace.map((one) => ({ part: true as const, ...one })),
      ...dangling.map((one) => ({ part: false as const, ...one })),
    ],
    [trace, dangling],
  )
  return (
    <section className={styles['trace']} aria-label="Flow schemas" data-pane="" tabIndex={-1}>
      <DataTable
        caption="Flow schemas in matching order"
        columns={columns}
        rows={rows}
        rowKey={({ part, flowSchema: name }) => `${part ? '' : 'dangling '}${name}`}
        selectedKey={flowSchema}
        onOpen={({ flowSchema: name }) => openPage('editor', 'draft', `FlowSchema/${name}`)}
        density="compact"
        csvName={`classified-${flowSchema}`}
        foot="Enter or a click opens a schema in the editor."
      />
    </section>
  )
})

const OF_RESOURCES = ['who', 'verb', 'group', 'resource', 'scope'] as const
const OF_PATHS = ['who', 'verb', 'url'] as const

const HEADERS: Readonly<Record<Criterion, readonly [header: string, asks: string]>> = {
  who: ['Who', 'Whether a subject of the rule is this user or one of the groups'],
  verb: ['Verb', 'Whether the rule has the verb'],
  group: ['Group', 'Whether the rule has the API group'],
  resource: ['Resource', 'Whether the rule has the resource, with its subresource'],
  scope: ['Scope', 'Whether the rule has the namespace, or clusterScope for a request without one'],
  url: ['Path', 'Whether the rule has the path'],
}

const isDim = (row: TraceRow): boolean => !row.part || !row.reached

const dimmed = (row: TraceRow): string | undefined => (isDim(row) ? styles['dim'] : undefined)

const columnsFor = (criteria: readonly Criterion[]): readonly DataColumn<TraceRow>[] =>
  inGivenOrder([
    valueColumn('precedence', 'Order', (row) => row.matchingPrecedence, {
      term: 'matching-precedence',
      align: 'right',
      width: 64,
      look: (row) => classes('mono', dimmed(row)),
    }),
    valueColumn('schema', 'Flow schema', (row) => row.flowSchema, {
      term: 'flow-schema',
      look: (row) => classes(dimmed(row), row.part && row.decides && styles['strong']),
    }),
    valueColumn('level', 'Level', (row) => row.priorityLevel, {
      term: 'priority-level',
      cell: (row) => (
        <span className={classes(styles['level'], dimmed(row))}>
          <LevelName name={row.priorityLevel} stale={isDim(row)} />
        </span>
      ),
    }),
    ...criteria.map((criterion): DataColumn<TraceRow> => {
      const [header, title] = HEADERS[criterion]
      const outcome = (row: TraceRow): Outcome => (row.part ? (row.rule?.outcomes[criterion] ?? 'none') : 'none')
      return {
        id: criterion,
        header,
        title,
        width: 58,
        value: outcome,
        cell: (row) => <Check outcome={outcome(row)} dim={isDim(row)} />,
      }
    }),
    {
      id: 'why',
      header: 'Why',
      // All the width that the other columns leave.
      width: '100%',
      value: (row) => row.reason,
      cell: (row) => (
        <span className={classes(styles['why'], dimmed(row))} title={row.reason}>
          {row.reason}
        </span>
      ),
    },
  ])

const SAID: Readonly<Record<Outcome, string>> = { pass: 'yes', fail: 'no', none: 'not checked' }

function Check({ outcome, dim }: { readonly outcome: Outcome; readonly dim: boolean }) {
  return (
    <span className={classes(styles['check'], styles[outcome], dim && styles['dim'])}>
      {outcome === 'none' ? (
        <span aria-hidden="true">·</span>
      ) : (
        <Icon name={outcome === 'pass' ? 'check' : 'cross'} size={13} />
      )}
      <span className="sr-only">{SAID[outcome]}</span>
    </span>
  )
}
