import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { isTyping } from './keys.ts'
import { chartCsv, exportName, thinned, type ChartTable, download, downloadCsv, cellText } from './csv.ts'
import { ErrorBoundary } from './States.tsx'
import { Icon } from './Icon.tsx'
import { Pane } from './Pane.tsx'
import { ExportMenu, type Measured } from './Promql.tsx'
import { levelCode } from '../state/levels.ts'
import styles from './Pane.module.css'
import { format } from '../theme/format.ts'
import type { DataColumn } from './dataColumns.ts'
import { PlainTable } from './PlainTable.tsx'
import { unixMsOf } from '../../core/units.ts'
import { connectionStore } from '../state/connection.ts'
import { timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'

export interface ChartFrameProps {
  readonly title: string
  readonly unit?: string | undefined
  readonly note?: ReactNode
  /** The numbers behind the drawing; a function is called only when the table is needed. */
  readonly table: ChartTable | (() => ChartTable)
  /** Name of exported files, without time and extension; unique to each chart. */
  readonly fileName: string
  /** The subject of the chart, for its picture: a level. */
  readonly subject?: string | undefined
  /** Levels that the drawing labels by their codes; its picture spells them out. */
  readonly codes?: readonly string[]
  /** One sentence about what the drawing shows now; makes the drawing an image to screen readers. */
  readonly label?: string | undefined
  /** Keys of colours and marks, before the buttons. */
  readonly legend?: ReactNode
  /** The time of the numbers; absent for the shown range or sample. */
  readonly time?: ChartTime | undefined
  /** What its lines or cells measure; absent where no metric holds it. */
  readonly promql?: Measured | undefined
  /** Controls of the chart itself, before the table and export buttons. */
  readonly actions?: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}

const read = (table: ChartFrameProps['table']): ChartTable => (typeof table === 'function' ? table() : table)

/**
 * A chart with everything that every chart has: title, unit, the table behind it (T), pictures and CSV, and an error
 * boundary. The drawing is mounted only while it is on the screen.
 */
export function ChartFrame(props: ChartFrameProps) {
  const {
    title,
    unit,
    note,
    table,
    fileName,
    subject,
    codes = [],
    label,
    legend,
    time,
    promql,
    actions,
    className,
    children,
  } = props
  const [asTable, setAsTable] = useState(false)
  const drawing = useRef<HTMLDivElement>(null)
  const noteBox = useRef<HTMLSpanElement>(null)
  const legendBox = useRef<HTMLSpanElement>(null)
  const { ref, visible, height } = useOnScreen()
  const { numbers, refresh } = useNumbers(table, fileName, visible && asTable ? SHOWN_MS : HIDDEN_MS)

  const csv = (): string =>
    chartCsv(read(table), time === undefined ? sampleInstant() : typeof time === 'number' ? time : undefined)
  const instants = (): Partial<Measured> =>
    typeof time === 'number' ? { atMs: time } : { ranged: time === 'range' || read(table).times === true }
  const nameNow = (): string => exportName(fileName, Date.now())
  const picture = async (): Promise<void> => {
    const { pictureOf } = await import('./picture.ts')
    if (drawing.current === null) return
    const heading = [title, unit, subject].filter((part) => part !== undefined).join(' · ')
    const origin = originOf(time ?? (read(table).times === true ? 'range' : undefined))
    const spelled = codes.map((name) => `${levelCode(name)} ${name}`)
    const caption = { heading, origin: [...origin, ...spelled], legends: [noteBox.current, legendBox.current] }
    download(`${nameNow()}.png`, await pictureOf(drawing.current, caption))
  }
  const toggle = (): void => {
    refresh()
    setAsTable((was) => !was)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 't' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return
    event.preventDefault()
    event.stopPropagation()
    toggle()
  }
  const entries = [
    ...(asTable ? [] : [{ label: 'Save as PNG', onSelect: () => void picture().catch(() => undefined) }]),
    { label: 'Save as CSV', onSelect: () => downloadCsv(nameNow(), csv()) },
    { label: 'Copy as CSV', onSelect: () => void navigator.clipboard.writeText(csv()).catch(() => undefined) },
  ]
  const buttons = (
    <>
      {legend !== undefined && <span ref={legendBox}>{legend}</span>}
      {actions}
      <button
        type="button"
        className="icon-button"
        aria-pressed={asTable}
        aria-label={`${title} as table`}
        aria-keyshortcuts="t"
        title="Show as table (T)"
        onClick={toggle}
      >
        <Icon name="table" />
      </button>
      <ExportMenu
        of={title}
        entries={entries}
        copies={promql === undefined ? [] : [{ label: 'Copy as PromQL', measured: { ...instants(), ...promql } }]}
      />
    </>
  )
  const image = label === undefined ? {} : { role: 'img', 'aria-label': label }
  return (
    <Pane
      title={title}
      unit={unit}
      note={note === undefined ? undefined : <span ref={noteBox}>{note}</span>}
      actions={buttons}
      className={className}
      onKeyDown={onKeyDown}
    >
      <div ref={ref} onFocus={refresh}>
        {!asTable && (
          <div ref={drawing} className="shrink-x placed" {...image}>
            {visible ? (
              <ErrorBoundary title={title}>{children}</ErrorBoundary>
            ) : (
              <div style={{ height }} aria-hidden="true" />
            )}
          </div>
        )}
        <div className={asTable ? styles['table'] : 'sr-only'}>
          <NumbersTable title={title} table={numbers} focusable={asTable} />
        </div>
      </div>
    </Pane>
  )
}

/** How often the table behind a chart is read again: while it is shown, and while only screen readers can read it. */
const SHOWN_MS = 1_000
const HIDDEN_MS = 5_000

/** The table behind a chart: read initially, on focus, on toggling and at intervals, not with every sample. */
function useNumbers(
  table: ChartFrameProps['table'],
  identity: string,
  everyMs: number,
): { numbers: ChartTable; refresh: () => void } {
  const latest = useRef(table)
  useEffect(() => {
    latest.current = table
  })
  const [numbers, setNumbers] = useState<ChartTable>(() => read(table))
  const refresh = useCallback(() => {
    const now = read(latest.current)
    setNumbers({ ...now, rows: thinned(now.rows) })
  }, [])
  const empty = numbers.rows.length === 0
  const arrived = empty && typeof table !== 'function' && table.rows.length > 0
  useEffect(refresh, [refresh, identity, arrived])
  // A table that is computed on demand may be empty at first: read it again soon.
  const pause = empty ? SHOWN_MS : everyMs
  useEffect(() => {
    const timer = setInterval(refresh, pause)
    return () => clearInterval(timer)
  }, [pause, refresh])
  return { numbers, refresh }
}

/** The numbers behind a chart as a plain table, named like the chart. */
function NumbersTable(props: { readonly title: string; readonly table: ChartTable; readonly focusable: boolean }) {
  const { title, table, focusable } = props
  const columns = table.columns.map((header, at): DataColumn<ChartTable['rows'][number]> => ({
    id: header,
    header,
    align: at === 0 ? 'left' : 'right',
    rowHeader: at === 0,
    cell: ({ [at]: value }) =>
      at === 0 && table.times === true && typeof value === 'number' ? format.time(value) : cellText(value),
  }))
  return (
    <PlainTable
      caption={title}
      columns={columns}
      rows={table.rows}
      // Rows of a snapshot never move: their position is their identity.
      rowKey={(_, index) => index}
      // A scrolling table must be reachable by keyboard; a hidden one must not be.
      tabIndex={focusable ? 0 : -1}
    />
  )
}

/**
 * Whether an element is on the screen or near it. Starts as true, so that the first paint is complete; `height` is its
 * last measured height, which keeps its place while its content is unmounted.
 */
function useOnScreen(): { ref: RefObject<HTMLDivElement | null>; visible: boolean; height: number } {
  const ref = useRef<HTMLDivElement>(null)
  const [state, setState] = useState({ visible: true, height: 0 })
  useEffect(() => {
    const element = ref.current
    if (element === null || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        setState((old) =>
          entry.isIntersecting
            ? { ...old, visible: true }
            : { visible: false, height: old.visible ? entry.boundingClientRect.height : old.height },
        )
      },
      { rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, ...state }
}

/**
 * The time of a chart's numbers: the shown range; one instant, in Unix milliseconds; or no instant at all, because they
 * are calculated.
 */
type ChartTime = number | 'range' | 'calculated'

/** The instant of the shown sample, Unix milliseconds. */
function sampleInstant(): number | undefined {
  const { server } = viewStore.getState()
  return server === undefined ? undefined : unixMsOf(server.at)
}

/** Origin and time of the numbers in a picture: source, server, and sample or range. */
function originOf(time: ChartTime | undefined): readonly string[] {
  const { connection } = connectionStore.getState()
  const { server } = viewStore.getState()
  const { from, to } = timeStore.getState()
  const source = connection?.source.name
  const at = typeof time === 'number' ? time : time === undefined ? sampleInstant() : undefined
  const sample = at === undefined ? undefined : `sample of ${format.dateTime(at)} ${format.zone()}`
  const range =
    time === 'range' && to > from
      ? `range ${format.dateTime(from)} to ${format.dateTime(to)} ${format.zone()}`
      : undefined
  return [source, server?.id === source ? undefined : server?.id, sample, range].filter((part) => part !== undefined)
}
