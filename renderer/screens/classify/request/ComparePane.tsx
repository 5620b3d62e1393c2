import { memo, useMemo } from 'react'
import type { Classification, SchemaTrace } from '../../../../core/classify/classification.ts'
import { factsTable, isChanged } from '../../../../core/classify/present.ts'
import { AnswerGrid, type AnswerCells } from '../../../components/answer/Answer.tsx'
import { classes } from '../../../components/classes.ts'
import { DataTable } from '../../../components/DataTable.tsx'
import { valueColumn, inGivenOrder } from '../../../components/dataColumns.ts'
import { LevelName } from '../../../components/LevelChip.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { openPage } from '../../../state/route.ts'
import { UNKNOWN } from '../../../../core/text/format.ts'
import { comparedSchemas, verdictText, type ComparedSchema } from './answer.data.ts'
import styles from './request.module.css'

/** The answers of the present and of the proposed configuration side by side. */
export const ComparePane = memo(function ComparePane(props: {
  readonly now: Classification
  readonly draft: Classification
}) {
  const { now, draft } = props
  const facts = useMemo(() => factsTable(now, draft), [now, draft])
  const schemas = useMemo(() => comparedSchemas(now, draft), [now, draft])
  const cells = useMemo((): AnswerCells => {
    const fact = (text: string, row: number, isChange: boolean) => (
      <span className={classes('block wraps breaks', isChange ? 'strong' : styles['plain'])}>
        {row === 0 ? <LevelName name={text} /> : text}
        {isChange && <span className="sr-only"> (differs)</span>}
      </span>
    )
    return {
      Now: (text, row) => fact(text, row, false),
      Draft: (text, row) => fact(text, row, isChanged(facts.rows[row] ?? [])),
    }
  }, [facts])
  const differing = facts.rows.filter(isChanged).length
  return (
    <>
      <Pane
        title="The answer now and with the draft"
        note={differing === 0 ? 'no differences' : `${differing} of ${facts.rows.length} differ`}
      >
        <AnswerGrid
          table={{ ...facts, title: 'The answer now and with the draft' }}
          cells={cells}
          ordered
          widths={FACT_WIDTH}
          density="compact"
        />
      </Pane>
      <Pane title="Schemas now and with the draft" className="line-above">
        <DataTable
          caption="Schemas now and with the draft"
          columns={SCHEMA_COLUMNS}
          rows={schemas}
          rowKey={({ name }) => name}
          onOpen={({ name }) => openPage('editor', 'draft', `FlowSchema/${name}`)}
          density="compact"
        />
      </Pane>
    </>
  )
})

const FACT_WIDTH = { Fact: 200 }

const levelCell = (trace: SchemaTrace | undefined) =>
  trace === undefined ? '–' : <LevelName name={trace.priorityLevel} stale={!trace.reached} />

const SCHEMA_COLUMNS = inGivenOrder<ComparedSchema>([
  valueColumn('order', 'Order', ({ now, draft }) => orderText(now, draft), {
    term: 'matching-precedence',
    align: 'right',
    look: () => 'mono',
  }),
  valueColumn('schema', 'Flow schema', ({ name }) => name, {
    term: 'flow-schema',
    look: ({ differs }) => (differs ? 'strong' : styles['dim']),
  }),
  valueColumn('levelNow', 'Level now', ({ now }) => now?.priorityLevel, { cell: (row) => levelCell(row.now) }),
  valueColumn('now', 'Now', ({ now }) => verdictText(now), { cell: (row) => <Verdict trace={row.now} /> }),
  valueColumn('levelDraft', 'Level in the draft', ({ draft }) => draft?.priorityLevel, {
    cell: (row) => levelCell(row.draft),
  }),
  valueColumn('draft', 'Draft', ({ draft }) => verdictText(draft), { cell: (row) => <Verdict trace={row.draft} /> }),
])

function orderText(now: SchemaTrace | undefined, draft: SchemaTrace | undefined): string {
  const [was, is] = [now?.matchingPrecedence, draft?.matchingPrecedence]
  return was === is || was === undefined || is === undefined ? String(is ?? was ?? UNKNOWN) : `${was} → ${is}`
}

function Verdict({ trace }: { readonly trace: SchemaTrace | undefined }) {
  return (
    <span
      className={trace?.decides === true ? 'good strong' : trace?.reached === true ? styles['plain'] : styles['dim']}
      title={trace?.reason}
    >
      {verdictText(trace)}
    </span>
  )
}
