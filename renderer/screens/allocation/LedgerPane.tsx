import { memo } from 'react'
import type { BorrowingRule } from '../../../core/engine/allocation.ts'
import type { AdjustmentLedger, AdjustmentLedgerEntry } from '../../../core/impact/adjustmentLedger.ts'
import { classes, scrollRegion } from '../../components/classes.ts'
import { valueColumn, numberColumn, tableCsv, type DataColumn } from '../../components/dataColumns.ts'
import { downloadCsv } from '../../components/csv.ts'
import { TableExport } from '../../components/DataTable.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable, type FootRow } from '../../components/PlainTable.tsx'
import { Term } from '../../components/Term.tsx'
import { format } from '../../theme/format.ts'
import type { KnownRound } from './rounds.data.ts'
import { copiesOf, LevelLink } from './StepTable.tsx'
import styles from './allocation.module.css'

interface LedgerPaneProps {
  readonly ledger: AdjustmentLedger
  readonly round: KnownRound
  readonly selected: string | undefined
  readonly server: string
}

const FEW = 12

/** The account of every seat: lent into the pool, borrowed from it, used, idle; exempt on top. */
export const LedgerPane = memo(function LedgerPane({ ledger, round, selected, server }: LedgerPaneProps) {
  return (
    <Pane
      title="Borrow ledger"
      unit="seats"
      note={`in use: sampled at ${format.time(round.step.at)}. One pool: lenders and borrowers are not paired`}
      actions={
        <TableExport
          of="Borrow ledger"
          save={() => downloadCsv(`borrow-ledger-${server}-${round.step.number}`, tableCsv(COLUMNS, ledger.entries))}
          copies={copiesOf(MEASURED, round.step.at)}
        />
      }
    >
      <div className="line-above line-below scroll-x focus-inside" {...scrollRegion('Borrow ledger, all levels')}>
        <PlainTable
          caption={`Borrow ledger of ${server}, seats`}
          className={classes(styles['table'], styles['ledger'], ledger.entries.length > FEW && styles['many'])}
          columns={COLUMNS}
          rows={ledger.entries}
          rowKey={({ name }) => name}
          selectedKey={selected}
          foot={[sumsOf(ledger, restNote(ledger, round)), exemptOf(ledger, round.expected.rule)]}
        />
      </div>
    </Pane>
  )
})

const minus = (seats: number): string => format.change(seats === 0 ? 0 : -seats)

const COLUMNS: readonly DataColumn<AdjustmentLedgerEntry>[] = [
  valueColumn('level', 'Level', ({ name }) => name, {
    head: 'Priority level',
    rowHeader: true,
    cell: ({ name }) => <LevelLink name={name} />,
  }),
  numberColumn('nominal', 'Nominal', ({ nominal }) => nominal, { term: 'nominal-limit' }),
  numberColumn('lent', 'Lent', ({ lent }) => lent, {
    head: (
      <>
        − <Term id="lend">lent</Term>
      </>
    ),
    cell: ({ lent }) => minus(lent),
    look: ({ lent }) => (lent > 0 ? 'lent' : 'faint'),
  }),
  numberColumn('borrowed', 'Borrowed', ({ borrowed }) => borrowed, {
    head: (
      <>
        + <Term id="borrow">borrowed</Term>
      </>
    ),
    cell: ({ borrowed }) => format.change(borrowed),
    look: ({ borrowed }) => (borrowed > 0 ? 'borrowed' : 'faint'),
  }),
  numberColumn('limit', 'Limit', ({ current }) => current, {
    head: (
      <>
        = <Term id="current-limit">limit</Term>
      </>
    ),
    look: () => 'strong',
  }),
  numberColumn('used', 'In use', ({ used }) => used, {
    head: (
      <>
        <Term id="sampled">≈</Term> in use
      </>
    ),
  }),
  numberColumn('idle', 'Idle', ({ idle }) => idle, {
    head: '≈ idle',
    look: ({ idle }) => (idle === 0 ? 'faint' : undefined),
  }),
  numberColumn('over', 'Over', ({ over }) => over, {
    head: '≈ over',
    title: 'Seats in use beyond the limit: an over-wide request, or a limit that was lowered',
    cell: ({ over = 0 }) => format.seats(over),
    look: ({ over = 0 }) => (over > 0 ? 'warn' : 'faint'),
  }),
  { id: 'remark', header: 'Remark', hiddenHeader: true, width: '100%', cell: () => '' },
]

const MEASURED = [
  ['Nominal', 'limitedNominal'],
  ['Lent', 'lent'],
  ['Borrowed', 'borrowed'],
  ['Limit', 'limit'],
  ['In use', 'executing'],
] as const satisfies Parameters<typeof copiesOf>[0]

const sumsOf = (ledger: AdjustmentLedger, remark: string): FootRow => ({
  level: { text: 'Sum of limited levels' },
  nominal: { text: format.seats(ledger.nominal - ledger.exemptNominal) },
  lent: { text: minus(ledger.lent), look: ledger.lent > 0 ? 'lent' : undefined },
  borrowed: { text: format.change(ledger.borrowed), look: ledger.borrowed > 0 ? 'borrowed' : undefined },
  limit: { text: format.seats(ledger.current), look: 'strong' },
  used: { text: format.seats(ledger.used) },
  idle: { text: format.seats(ledger.idle) },
  remark: { text: remark, look: 'faint' },
})

const exemptOf = (ledger: AdjustmentLedger, rule: BorrowingRule): FootRow => ({
  level: { text: <LevelName name="exempt" /> },
  nominal: { text: format.seats(ledger.exemptNominal) },
  limit: { text: format.seats(ledger.exemptShare + ledger.exemptOnTop) },
  used: { text: format.seats(ledger.exemptExecuting) },
  remark: {
    text:
      rule === 'exempt-in-solver'
        ? 'its limit is part of the common sum (servers up to 1.30), but it is unlimited'
        : 'on top of all limits: unlimited',
    look: 'faint',
  },
})

/** Where the two sides of the pool do not balance, and why. */
function restNote({ undistributed, unknown }: AdjustmentLedger, { expected }: KnownRound): string {
  const lacking = unknown.length === 0 ? '' : `; not reported: ${unknown.join(', ')}`
  if (undistributed === 0) return `all lent seats are borrowed${lacking}`
  const seats = format.counted(Math.abs(undistributed), 'seat')
  if (expected.regime !== 'solver') return `${seats} withheld for exempt${lacking}`
  return `${seats} ${undistributed > 0 ? 'less' : 'more'} by rounding each limit${lacking}`
}
