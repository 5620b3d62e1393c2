import { memo, useCallback, useMemo, useState, type ReactNode } from 'react'
import type { Series } from '../../../core/history/series.ts'
import { barScale } from '../../charts/seatBar.data.ts'
import { Sparkline } from '../../charts/Sparkline.tsx'
import { useSize } from '../../charts/plot.tsx'
import { Button, Check } from '../../components/Button.tsx'
import { DataTable } from '../../components/DataTable.tsx'
import { Menu } from '../../components/Menu.tsx'
import { classes } from '../../components/classes.ts'
import { LOW, useMedia } from '../../components/hooks.ts'
import { useSelection } from '../../state/selection.ts'
import { format } from '../../theme/format.ts'
import { openLevel } from '../../state/route.ts'
import { pinnedNames } from '../../../core/verdict/acrossRows.ts'
import { levelColumns, levelPromql, OPTIONAL_COLUMNS, toggleColumn, useOptionalColumns } from './levelColumns.tsx'
import type { LevelRow } from '../../../core/verdict/levelRows.ts'
import styles from './overview.module.css'

export interface LevelTableProps {
  readonly rows: readonly LevelRow[]
  readonly series: Series | undefined
  /** Unix milliseconds at both ends of the shown range. */
  readonly from: number
  readonly to: number
  readonly stale: boolean
  /** Name of exported files, without extension. */
  readonly csvName: string
}

/** Beyond this many levels, rows are lower and those in trouble are repeated above the others. */
const FEW = 12
/** Beyond this many, rows are virtual. */
const MANY = 40
const NONE: readonly LevelRow[] = []

/** One row per level, in fixed order. */
export const LevelTable = memo(function LevelTable(props: LevelTableProps) {
  const { rows, series, from, to, stale, csvName } = props
  const [box, { width }] = useSize()
  const low = useMedia(LOW)
  const optional = useOptionalColumns()
  const [pin, setPin] = useState(true)
  const selected = useSelection().level
  const several = rows.length > FEW
  const scale = useMemo(() => barScale(rows.map(({ seats }) => seats)), [rows])
  const explained = useMemo(
    () => rows.toSorted((a, b) => (b.seats.nominal ?? 0) - (a.seats.nominal ?? 0))[0]?.name,
    [rows],
  )
  const sparkline = useCallback(
    (name: string, w: number, h: number): ReactNode => {
      const level = series?.levels.find((candidate) => candidate.name === name)
      if (series === undefined || level === undefined) return null
      return (
        <Sparkline
          series={series}
          level={level}
          width={w}
          height={h}
          from={from}
          to={to}
          limits={name !== 'exempt'}
          stale={stale}
        />
      )
    },
    [series, from, to, stale],
  )
  const columns = useMemo(
    () =>
      levelColumns({
        width,
        compact: low || several,
        scale,
        stale,
        range: format.span((to - from) / 1_000),
        sparkline,
        optional,
        explained,
      }),
    [width, low, several, scale, stale, to, from, sparkline, optional, explained],
  )
  const many = rows.length > MANY
  const pinned = useMemo(() => {
    const { names } = pinnedNames([{ id: '', rows }])
    return rows.filter(({ name }) => names.includes(name))
  }, [rows])
  return (
    <div
      ref={box}
      className={classes(
        styles['levels'],
        several && styles['several'],
        many && styles['many'],
        stale && styles['stale'],
      )}
    >
      <DataTable
        caption="Priority levels"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.name}
        selectedKey={selected}
        onOpen={(row) => openLevel(row.server, row.name)}
        csvName={csvName}
        promql={levelPromql}
        virtual={many}
        pinned={pin && several ? pinned : NONE}
        {...(several ? { density: 'compact' as const } : {})}
        foot={
          <>
            {several && <PinSwitch pin={pin} onPin={setPin} />}
            <Menu
              entries={OPTIONAL_COLUMNS.map(([id, label]) => ({
                label: `${optional.has(id) ? 'Hide' : 'Show'} ${label}`,
                onSelect: () => toggleColumn(id),
              }))}
            >
              <Button small>Columns</Button>
            </Menu>
          </>
        }
      />
    </div>
  )
})

/** Whether copies of troubled rows are shown above the others. */
export const PinSwitch = (props: { readonly pin: boolean; readonly onPin: (pin: boolean) => void }) => (
  <Check label="pin levels that need attention" checked={props.pin} onChange={props.onPin} />
)
