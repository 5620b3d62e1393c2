import { useEffect, useMemo, useState } from 'react'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { classes } from '../../components/classes.ts'
import { GridBody, GridHead, useGrid } from '../../components/grid.tsx'
import table from '../../components/tables.module.css'
import { liveRows } from '../../state/live.ts'
import { useTimePart } from '../../state/time.ts'
import type { StreamColumn } from './columns.tsx'
import styles from './stream.module.css'
import type { HeldRows } from './matches.ts'
import { useSlices, type Query } from './query.ts'

export interface StreamListProps {
  readonly columns: readonly StreamColumn[]
  readonly hold: Hold
  /** Shown above the others, in the order in which they were pinned. */
  readonly pinned: readonly LiveRequest[]
  readonly opened: number | undefined
  readonly stale: boolean
  readonly onOpen: (row: LiveRequest | undefined) => void
  readonly onPin: (row: LiveRequest) => void
  /** Called when the user scrolls to the oldest rows. */
  readonly onOldest: () => void
}

const ROW = 25
/** Number of rows before the end at which older ones are read. */
const NEAR_THE_END = 200

/**
 * Newest requests first, as a grid: arrows, Home, End and Page keys move, Enter opens a row, `p` pins it. A row on the
 * screen is redrawn only when it shows another request or its request changed.
 */
export function StreamList(props: StreamListProps) {
  const { columns, hold, pinned, opened, stale, onOpen, onPin, onOldest } = props
  const count = pinned.length + hold.count
  const rowAt = (index: number): LiveRequest | undefined =>
    index < pinned.length ? pinned[index] : hold.at(index - pinned.length)
  const { scroll, grid, onScroll, ...body } = useGrid({
    caption: 'Live requests',
    columns,
    count,
    rowHeight: ROW,
    virtual: true,
    onKey: ({ key }, at, _, singleKeys) => {
      const row = at.row < 0 ? undefined : rowAt(at.row)
      if (key === 'Enter' && row !== undefined) onOpen(row)
      else if (key === 'Escape' && opened !== undefined) onOpen(undefined)
      else if (key === 'p' && singleKeys && row !== undefined) onPin(row)
      else return false
      return true
    },
  })

  // A focused cell may be removed with its column or its row, and no event reports that.
  useEffect(() => {
    if (scroll.current?.contains(document.activeElement) !== true) hold.hold('focus', false)
  })

  const scrolled = (): void => {
    onScroll()
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroll.current ?? {}
    hold.hold('scrolled', scrollTop >= ROW)
    if (scrollHeight - scrollTop - clientHeight < NEAR_THE_END * ROW) onOldest()
  }
  return (
    <div
      ref={scroll}
      className={classes(styles['scroll'], stale && styles['stale'])}
      onScroll={scrolled}
      onPointerEnter={() => hold.hold('pointer', true)}
      onPointerLeave={() => hold.hold('pointer', false)}
      onFocus={({ target }) => hold.hold('focus', isRow(target))}
      onBlur={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || scroll.current?.contains(relatedTarget) !== true)
          hold.hold('focus', false)
      }}
    >
      <table className={classes(table['grid'], table['fixed'], styles['stream'])} {...grid}>
        <GridHead columns={columns} place={body.place} />
        <GridBody
          rows={body}
          columns={columns}
          rowAt={rowAt}
          lookOf={({ seq }, index) => ({
            // Places stay while requests pass through them: text changes instead of elements.
            key: index,
            selected: seq === opened,
            lead: index < pinned.length && 'pinned',
            className: classes(
              table['opens'],
              seq === opened && table['selected'],
              index < pinned.length && styles['pinned'],
              index === pinned.length - 1 && table['lastPinned'],
            ),
          })}
          calm
          onOpen={onOpen}
        />
      </table>
    </div>
  )
}

/** The header does not move, so only a row holds the list. */
const isRow = (target: EventTarget): boolean => target instanceof Element && target.closest('tbody') !== null

/** Why the list does not follow. */
export type HoldReason = 'pointer' | 'focus' | 'scrolled'

interface Hold {
  readonly count: number
  /** Place 0 is the newest shown row. */
  readonly at: (place: number) => LiveRequest | undefined
  /** The reason why the list is held; absent while it follows. */
  readonly why: HoldReason | 'paused' | undefined
  /** Rows that arrived since then and are not shown. */
  readonly newer: number
  readonly hold: (reason: HoldReason, on: boolean) => void
  readonly release: () => void
  /** Older rows were read: the held list includes them. */
  readonly extend: () => void
}

const NONE: readonly HoldReason[] = []

/**
 * The rows that the list shows: the newest, or, while it is held, those that existed when the hold began. Held rows
 * stay, even when newer ones need their room; their values keep updating.
 */
export function useHold(query: Query): Hold {
  const paused = useTimePart((time) => time.paused)
  const [reasons, setReasons] = useState(NONE)
  const [loads, setLoads] = useState(0)
  const why = paused ? 'paused' : reasons[0]
  const held = why !== undefined
  const [end, setEnd] = useState<number>()
  const [asked, setAsked] = useState(query)
  // The newest row when the hold begins is the last one shown.
  if (held && end === undefined) setEnd(liveRows.end)
  if (!held && end !== undefined) setEnd(undefined)
  // Another filter is a new query, which covers everything up to now; while time is paused there is nothing newer.
  if (query !== asked) {
    setAsked(query)
    if (held && !paused) setEnd(liveRows.end)
  }
  const older = loads + useSlices()
  const rows = useMemo(() => (end === undefined ? undefined : heldRows(query, end, older)), [query, end, older])
  return {
    count: rows?.count ?? query.matches.count,
    at: (place) => {
      if (rows === undefined) {
        const seq = query.matches.seqAt(place)
        return seq === undefined ? undefined : liveRows.at(seq)
      }
      const row = rows.at(place)
      return row === undefined ? undefined : (liveRows.at(row.seq) ?? row)
    },
    why,
    newer: end === undefined ? 0 : query.matches.after(end - 1),
    hold: (reason, on) =>
      setReasons((old) => {
        if (old.includes(reason) === on) return old
        return on ? [...old, reason] : old.filter((one) => one !== reason)
      }),
    release: () => setReasons(NONE),
    extend: () => setLoads((old) => old + 1),
  }
}

/** `_older`: rises when older rows arrived or were tested. */
const heldRows = (query: Query, end: number, _older: number): HeldRows => query.matches.hold(end)
