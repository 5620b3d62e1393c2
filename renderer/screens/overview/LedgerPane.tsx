import { memo, useCallback, useMemo } from 'react'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { SeatLedger } from '../../charts/SeatLedger.tsx'
import { differenceNote, ledgerOf, nominalNote, type Ledger } from '../../charts/seatLedger.data.ts'
import { GEOMETRY, type LedgerVariant } from '../../charts/seatLedgerRows.tsx'
import { useSize } from '../../charts/plot.tsx'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { NoteMark } from '../../components/NowLine.tsx'
import type { Measured } from '../../components/Promql.tsx'
import { LOW, useMedia } from '../../components/hooks.ts'
import { openLevel } from '../../state/route.ts'
import styles from './overview.module.css'

/** More levels than this are connected by hairlines: ribbons could not be distinguished. */
const RIBBONS_UP_TO = 12

function variantOf(ledger: Ledger, low: boolean): LedgerVariant {
  if (ledger.entries.length > RIBBONS_UP_TO) return 'plain'
  if (ledger.lent === 0 && ledger.borrowed === 0) return 'plain'
  return low ? 'equation' : 'ribbons'
}

/** Accounts for every seat: one row per level, exempt on top, then the sums. */
function accountTable(ledger: Ledger): ChartTable {
  const rows = ledger.entries.map((entry) => [
    entry.name,
    entry.nominal,
    entry.lent,
    entry.borrowed,
    entry.current,
    entry.executing,
    entry.free,
  ])
  const unknown = ledger.unknown.map((name) => [name, ...Array.from({ length: 6 }, () => undefined)])
  const { exempt } = ledger
  const onTop =
    exempt === undefined ? [] : [['exempt, outside the sum', 0, 0, 0, undefined, exempt.executing, undefined]]
  return {
    columns: ['Level', 'Nominal', 'Lent', 'Borrowed', 'Current limit', 'Executing', 'Free'],
    rows: [
      ...rows,
      ...unknown,
      ['sum', ledger.nominal, ledger.lent, ledger.borrowed, ledger.current, ledger.executing, ledger.free],
      ...onTop,
    ],
  }
}

const ACCOUNT: Measured = {
  measures: ['limitedNominal', 'lent', 'borrowed', 'limit', 'executing'],
  each: ['priority_level'],
}

/** Pixels: the mark of the first note is between the words "current limit" and their bars. */
const MARK = 16
const MARK_LEFT = 67
const middleOf = (variant: LedgerVariant): number => {
  const { y, height } = GEOMETRY[variant].current
  return y + height / 2
}

interface LedgerPaneProps {
  readonly server: ServerFrame
  readonly order: readonly string[]
  readonly stale: boolean
}

export const LedgerPane = memo(function LedgerPane({ server, order, stale }: LedgerPaneProps) {
  const [box, { width }] = useSize()
  const low = useMedia(LOW)
  const ledger = useMemo(() => ledgerOf(server, order), [server, order])
  const open = useCallback((level: string) => openLevel(server.id, level), [server.id])
  const difference = differenceNote(ledger)
  const variant = variantOf(ledger, low)
  return (
    <ChartFrame
      title="Seat ledger"
      unit="seats"
      note={ledger.entries.length === 0 ? 'limits are not reported' : nominalNote(ledger)}
      table={() => accountTable(ledger)}
      fileName={`seat-ledger-${server.id}`}
      promql={ACCOUNT}
      codes={ledger.entries.length > RIBBONS_UP_TO ? [] : ledger.entries.map(({ name }) => name)}
      legend={<Legend />}
    >
      <div className="pad-x pad-b-6">
        <div ref={box} className={styles['ledgerBox']}>
          {width > 0 && ledger.entries.length > 0 && (
            <NoteMark
              note="seats"
              style={{ position: 'absolute', left: MARK_LEFT, top: middleOf(variant) - MARK / 2 }}
            />
          )}
          {width > 0 && ledger.entries.length > 0 && (
            <SeatLedger ledger={ledger} width={width} variant={variant} stale={stale} onOpen={open} />
          )}
        </div>
        <LedgerNotes ledger={ledger} difference={difference} />
      </div>
    </ChartFrame>
  )
})

function LedgerNotes({ ledger, difference }: { readonly ledger: Ledger; readonly difference: string | undefined }) {
  const unknown =
    ledger.unknown.length === 0
      ? undefined
      : `not accounted for, their limits are not reported: ${ledger.unknown.join(', ')}.`
  const text = [difference, unknown].filter((part) => part !== undefined).join(' ')
  return <p className={styles['ledgerNote']}>{text}</p>
}

const SWATCHES = {
  executing: 'fill-text-2',
  free: styles['freeSwatch'],
  lent: 'fill-none stroke-lent dashed',
  borrowed: styles['borrowedSwatch'],
}

const Legend = () => (
  <span className={styles['legend']}>
    {(['executing', 'free', 'lent', 'borrowed'] as const).map((kind) => (
      <span key={kind}>
        <svg width="16" height="10" aria-hidden="true" focusable="false">
          <rect
            className={SWATCHES[kind]}
            x={kind === 'lent' ? 0.5 : 0}
            y={kind === 'lent' ? 0.5 : 0}
            width={kind === 'lent' ? 15 : 16}
            height={kind === 'lent' ? 9 : 10}
          />
        </svg>
        {kind}
      </span>
    ))}
  </span>
)
