import { memo, type ReactNode } from 'react'
import type { BorrowingRule } from '../../../core/engine/allocation.ts'
import type { AdjustmentLedger, AdjustmentLedgerEntry } from '../../../core/impact/adjustmentLedger.ts'
import { Button } from '../../components/Button.tsx'
import { classes } from '../../components/classes.ts'
import { toCsv } from '../../components/csv.ts'
import { downloadCsv } from '../../components/download.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { scrollRegion } from '../../components/scrollRegion.ts'
import { Term } from '../../components/Term.tsx'
import { hrefOf } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import type { KnownRound } from './rounds.data.ts'
import { Blank } from './Blank.tsx'
import styles from './table.module.css'

export interface LedgerPaneProps {
  readonly ledger: AdjustmentLedger
  readonly round: KnownRound
  readonly selected: string | undefined
  readonly server: string
}

const FEW = 12

/** What became of every seat: lent into the pool, borrowed from it, used, idle; exempt on top. */
export const LedgerPane = memo(function LedgerPane({ ledger, round, selected, server }: LedgerPaneProps) {
  return (
    <Pane
      title="Borrow ledger"
      unit="seats"
      note={`in use: sampled at ${format.time(round.step.at)}. There is one pool: whose seat went to whom is not tracked`}
      actions={
        <Button
          small
          aria-label="Save the borrow ledger as CSV"
          onClick={() => downloadCsv(`borrow-ledger-${server}-${round.step.number}`, ledgerCsv(ledger))}
        >
          <Icon name="download" size={13} /> CSV
        </Button>
      }
    >
      <div className={styles['scroll']} {...scrollRegion('Borrow ledger, all levels')}>
        <table className={classes(styles['table'], styles['ledger'], ledger.entries.length > FEW && styles['many'])}>
          <caption className="sr-only">{`Borrow ledger of ${server}, seats`}</caption>
          <thead>
            <tr>
              <th scope="col">Priority level</th>
              <Head>
                <Term id="nominal-limit">Nominal</Term>
              </Head>
              <Head>
                − <Term id="lend">lent</Term>
              </Head>
              <Head>
                + <Term id="borrow">borrowed</Term>
              </Head>
              <Head>
                = <Term id="current-limit">limit</Term>
              </Head>
              <Head>
                <Term id="sampled">≈</Term> in use
              </Head>
              <Head>≈ idle</Head>
              <Head title="Seats in use beyond the limit: an over-wide request, or a limit that was lowered">
                ≈ over
              </Head>
              <th scope="col" className={styles['fill']}>
                <span className="sr-only">Remark</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {ledger.entries.map((entry) => (
              <EntryRow key={entry.name} entry={entry} selected={entry.name === selected} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Sum of limited levels</th>
              <td className={styles['num']}>{format.seats(ledger.nominal - ledger.exemptNominal)}</td>
              <td className={classes(styles['num'], ledger.lent > 0 && styles['lent'])}>{minus(ledger.lent)}</td>
              <td className={classes(styles['num'], ledger.borrowed > 0 && styles['borrowed'])}>
                {format.change(ledger.borrowed)}
              </td>
              <td className={classes(styles['num'], styles['strong'])}>{format.seats(ledger.current)}</td>
              <td className={styles['num']}>{format.seats(ledger.used)}</td>
              <td className={styles['num']}>{format.seats(ledger.idle)}</td>
              <Blank />
              <td className={styles['quiet']}>{restNote(ledger, round)}</td>
            </tr>
            <ExemptRow ledger={ledger} rule={round.expected.rule} />
          </tfoot>
        </table>
      </div>
    </Pane>
  )
})

function Head({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <th scope="col" className={styles['num']} title={title}>
      {children}
    </th>
  )
}

const minus = (seats: number): string => format.change(seats === 0 ? 0 : -seats)

function EntryRow({ entry, selected }: { readonly entry: AdjustmentLedgerEntry; readonly selected: boolean }) {
  const { name, nominal, lent, borrowed, current, used, idle, over = 0 } = entry
  return (
    <tr aria-current={selected ? 'true' : undefined} className={selected ? styles['selected'] : undefined}>
      <th scope="row">
        <a href={hrefOf('level', name)} className={styles['level']}>
          <LevelName name={name} />
        </a>
      </th>
      <td className={styles['num']}>{format.seats(nominal)}</td>
      <td className={classes(styles['num'], lent > 0 ? styles['lent'] : styles['quiet'])}>{minus(lent)}</td>
      <td className={classes(styles['num'], borrowed > 0 ? styles['borrowed'] : styles['quiet'])}>
        {format.change(borrowed)}
      </td>
      <td className={classes(styles['num'], styles['strong'])}>{format.seats(current)}</td>
      <td className={styles['num']}>{format.seats(used)}</td>
      <td className={classes(styles['num'], idle === 0 && styles['quiet'])}>{format.seats(idle)}</td>
      <td className={classes(styles['num'], over > 0 ? styles['capped'] : styles['quiet'])}>{format.seats(over)}</td>
      <Blank />
    </tr>
  )
}

function ExemptRow({ ledger, rule }: { readonly ledger: AdjustmentLedger; readonly rule: BorrowingRule }) {
  const { exemptShare, exemptOnTop, exemptNominal, exemptExecuting } = ledger
  return (
    <tr>
      <th scope="row">
        <LevelName name="exempt" />
      </th>
      <td className={styles['num']}>{format.seats(exemptNominal)}</td>
      <Blank span={2} />
      <td className={styles['num']}>{format.seats(exemptShare + exemptOnTop)}</td>
      <td className={styles['num']}>{format.seats(exemptExecuting)}</td>
      <Blank span={2} />
      <td className={styles['quiet']}>
        {rule === 'exempt-in-solver'
          ? 'its limit is part of the common sum (servers up to 1.30), but nothing limits it'
          : 'on top of all limits: nothing limits it'}
      </td>
    </tr>
  )
}

/** Where the two sides of the pool do not meet, and why. */
function restNote({ undistributed, unknown }: AdjustmentLedger, { expected }: KnownRound): string {
  const lacking = unknown.length === 0 ? '' : `; not reported: ${unknown.join(', ')}`
  if (undistributed === 0) return `what is lent is borrowed${lacking}`
  const seats = `${format.seats(Math.abs(undistributed))} ${Math.abs(undistributed) === 1 ? 'seat' : 'seats'}`
  if (expected.regime !== 'solver') return `${seats} withheld for exempt${lacking}`
  return `${seats} ${undistributed > 0 ? 'less' : 'more'} by rounding each limit${lacking}`
}

function ledgerCsv({ entries }: AdjustmentLedger): string {
  return toCsv(
    ['Level', 'Nominal', 'Lent', 'Borrowed', 'Limit', 'In use', 'Idle', 'Over'],
    entries.map((entry) => [
      entry.name,
      entry.nominal,
      entry.lent,
      entry.borrowed,
      entry.current,
      entry.used,
      entry.idle,
      entry.over,
    ]),
  )
}
