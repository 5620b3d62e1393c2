import { useMemo, useState } from 'react'
import type { ClusterRow } from '../../../core/fleet/fleet.ts'
import {
  fleetLines,
  linesNow,
  parseFleetSearch,
  searchFleet,
  SORTINGS,
  type FleetLine,
  type FleetWish,
  type Grouping,
} from '../../../core/fleet/lines.ts'
import { classes } from '../../components/classes.ts'
import { hasFixedColumns, leastWidth, nextSorting, type DataColumn } from '../../components/dataColumns.ts'
import { GridBody, GridHead, useGrid, VIRTUAL_FROM } from '../../components/grid.tsx'
import { NARROW, useCalm, useMedia } from '../../components/hooks.ts'
import table from '../../components/tables.module.css'
import { showServer } from '../../state/fleet.ts'
import { openLevel, openScreen } from '../../state/route.ts'
import { selectionStore } from '../../state/selection.ts'
import { fleetColumns } from './fleetColumns.tsx'
import styles from './fleet.module.css'

/** Rows change places at most this often, and never under the pointer. */
const RESORT_MS = 10_000
const ROW = 26

export interface FleetTableProps {
  readonly clusters: readonly ClusterRow[]
  readonly search: string
  readonly group: Grouping
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Clusters with their servers and levels as a grid: arrows, Home, End and Page keys move, Space opens a row, Enter
 * opens the subject of the row, `s` sorts by the column.
 */
export function FleetTable({ clusters, search, group, now }: FleetTableProps) {
  const narrow = useMedia(NARROW)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set())
  const [sorting, setSorting] = useState<{ readonly column: string; readonly descending: boolean }>()
  const [pointed, setPointed] = useState(false)
  const toggle = useMemo(() => (key: string) => setOpen((old) => toggled(old, key)), [])
  const ordered = useOrder(clusters, pointed)
  const tokens = useMemo(() => parseFleetSearch(search), [search])
  const wish = useMemo((): FleetWish => {
    const sort = SORTINGS.find((one) => one === sorting?.column) ?? 'worst'
    return { group, sort, descending: sorting?.descending ?? false, open }
  }, [group, sorting, open])
  const order = useMemo(() => fleetLines(searchFleet(ordered, tokens), wish), [ordered, tokens, wish])
  const lines = useMemo(() => (ordered === clusters ? order : linesNow(order, clusters)), [order, ordered, clusters])
  // Ages are shown in whole seconds, so rows are drawn again with the clock.
  const columns = useMemo(
    () => fleetColumns({ narrow, open, onToggle: toggle, ageOf: (at) => Math.max(0, now - at) }),
    [narrow, open, toggle, now],
  )
  const sortBy = ({ id, value }: DataColumn<FleetLine>): void => {
    if (!SORTINGS.some((one) => one === id)) return
    const numeric = lines.some((line) => typeof value?.(line) === 'number')
    setSorting((old) => nextSorting(old, id, numeric))
  }
  const { scroll, grid, onScroll, ...body } = useGrid({
    caption: 'Fleet',
    columns,
    count: lines.length,
    rowHeight: ROW,
    virtual: lines.length > VIRTUAL_FROM,
    onKey: ({ key }, at, column, singleKeys) => {
      const line = lines[at.row]
      if (
        column !== undefined &&
        ((key === 's' && singleKeys) || (at.row === -1 && (key === 'Enter' || key === ' ')))
      ) {
        sortBy(column)
      } else if (line !== undefined && key === ' ' && opens(line)) toggle(line.key)
      else if (line !== undefined && key === 'Enter') openLine(line)
      else return false
      return true
    },
  })
  return (
    <div
      ref={scroll}
      className={classes(table['scroll'], styles['scroll'])}
      onScroll={onScroll}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
    >
      <table
        className={classes(table['grid'], table['compact'], hasFixedColumns(columns) && table['fixed'])}
        style={{ minWidth: leastWidth(columns) }}
        {...grid}
      >
        <GridHead columns={columns} sorting={sorting} sortBy={sortBy} place={body.place} />
        <GridBody
          rows={body}
          columns={columns}
          rowAt={(index) => lines[index]}
          lookOf={({ key, kind, state }) => ({
            key,
            className: classes(
              kind === 'group' ? styles['group'] : table['opens'],
              (state === 'stale' || state === 'failing') && styles['old'],
            ),
          })}
          calm
          onOpen={openLine}
        />
      </table>
      {lines.length === 0 && <p className="pad-x pad-y-10 muted">Nothing in the fleet matches this search.</p>}
    </div>
  )
}

function toggled(old: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(old)
  if (!next.delete(key)) next.add(key)
  return next
}

const opens = ({ kind }: FleetLine): boolean => kind === 'cluster' || kind === 'server'

/** Opens the subject of a line: a level, the Overview of a server, or that of a cluster at its worst server. */
function openLine(line: FleetLine): void {
  if (line.kind === 'group') return
  const server = line.kind === 'cluster' ? line.worst?.server : line.server
  showServer(line.source, server, () => {
    if (line.kind === 'level') return openLevel(line.server, line.level)
    selectionStore.getState().setServer(server)
    openScreen('overview')
  })
}

/**
 * The rows that determine the order of the lines: those of a while ago, unless the clusters or servers have changed.
 */
function useOrder(clusters: readonly ClusterRow[], held: boolean): readonly ClusterRow[] {
  const calm = useCalm(clusters, RESORT_MS)
  const [kept, setKept] = useState(clusters)
  const next = !sameMembers(kept, clusters) ? clusters : !held && sameMembers(calm, clusters) ? calm : kept
  if (next !== kept) setKept(next)
  return next
}

const sameMembers = (a: readonly ClusterRow[], b: readonly ClusterRow[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ key, servers }, index) => {
      const other = b[index]
      return (
        other?.key === key &&
        other.servers.length === servers.length &&
        servers.every((server, at) => {
          const same = other.servers[at]
          return same?.key === server.key && same.levelCount === server.levelCount
        })
      )
    }))
