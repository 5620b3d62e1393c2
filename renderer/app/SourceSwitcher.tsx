import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import { unixMsOf } from '../../core/units.ts'
import { showConnection, useConnection } from '../state/connection.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { Popover } from '../components/Popover.tsx'
import { openScreen } from '../state/route.ts'
import { selectionStore } from '../state/selection.ts'
import { useView, type View } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { closeOverlay, setOverlay, shellStore } from '../state/shell.ts'
import { MiddleCut } from '../components/LevelChip.tsx'
import styles from './TopBar.module.css'

/**
 * Cluster, server and method; the servers of all connected sources with their health, and the link to connect another
 * source.
 */
export function SourceSwitcher() {
  const { connections, connection } = useConnection()
  const view = useView()
  const { server } = view
  const open = shellStore(({ overlay }) => overlay === 'source')
  return (
    <Popover
      open={open}
      onOpenChange={(next) => setOverlay('source', next)}
      label="Source and server"
      align="start"
      className={styles['popover']}
      ownFocus
      content={
        <Listbox
          label="Source and server"
          options={sourceOptions(connections, connection, server?.id, (id) => ageIn(view, id))}
        />
      }
    >
      <button
        type="button"
        className={classes(styles['control'], styles['source'])}
        aria-haspopup="listbox"
        aria-keyshortcuts="Control+O"
      >
        {connection === undefined ? (
          <span className="faint">No source</span>
        ) : (
          <>
            <span className={styles['names']}>
              <b className={styles['ellipsis']}>
                <MiddleCut text={connection.source.name} />
              </b>
              {server !== undefined && (
                <span className={classes('mono', styles['ellipsis'], styles['server'])}>
                  <MiddleCut text={server.id} />
                </span>
              )}
            </span>
            <span className={classes('faint', styles['optional'], styles['ellipsis'])}>{connection.source.via}</span>
          </>
        )}
        <Icon name="chevron" size={12} />
      </button>
    </Popover>
  )
}

/** Age of one server's frame: that of the shown server, plus or minus the difference of their times. */
function ageIn({ frame, server, ageMs }: View, id: string): number | undefined {
  const other = frame?.servers.find((entry) => entry.id === id)
  return other === undefined || server === undefined ? undefined : ageMs + unixMsOf(server.at) - unixMsOf(other.at)
}

function sourceOptions(
  connections: readonly Connected[],
  connection: Connected | undefined,
  shown: string | undefined,
  ageOf: (id: string) => number | undefined,
): ListboxOption[] {
  const choose = (action: () => void) => (): void => {
    closeOverlay('source')
    action()
  }
  return [
    ...connections.flatMap(({ id, source, servers, still }) =>
      servers.map((health): ListboxOption => {
        const here = id === connection?.id
        return {
          id: here ? health.id : `${id} ${health.id}`,
          selected: here && health.id === shown,
          content: (
            <Server
              source={connections.length > 1 ? source.name : undefined}
              health={health}
              ageMs={here && !still ? ageOf(health.id) : undefined}
              kind={still ? source.kind : undefined}
            />
          ),
          onChoose: choose(() => {
            showConnection(id)
            selectionStore.getState().setServer(health.id)
          }),
        }
      }),
    ),
    {
      id: 'add',
      selected: false,
      content: (
        <>
          <Icon name="connection" size={13} />{' '}
          {connections.length === 0 ? 'Connect to a source' : 'Add or change source'}
        </>
      ),
      onChoose: choose(() => openScreen('connection')),
    },
  ]
}

interface ServerProps {
  /** Named where several sources are connected. */
  readonly source: string | undefined
  readonly health: ServerHealth
  /** Only available for the source that is shown. */
  readonly ageMs: number | undefined
  /** Of a source that does not move on: its samples have no age. */
  readonly kind: string | undefined
}

function Server({ source, health, ageMs, kind }: ServerProps) {
  const { id, status } = health
  return (
    <>
      <span className={classes(styles['dot'], status !== 'ok' && styles[status])} aria-hidden="true" />
      {source !== undefined && <b className={styles['ellipsis']}>{source}</b>}
      <span className="mono">{id}</span>
      <span className="push light faint">
        {status !== 'ok' ? status : ageMs === undefined ? (kind ?? 'connected') : `${format.age(ageMs)} ago`}
      </span>
    </>
  )
}

interface ListboxOption {
  readonly id: string
  readonly selected: boolean
  readonly content: ReactNode
  readonly onChoose: () => void
}

/** A list of choices. Arrows, Home and End move through it; Enter or Space chooses. */
function Listbox({ label, options }: { readonly label: string; readonly options: readonly ListboxOption[] }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const items = list.current?.querySelectorAll<HTMLElement>('[role="option"]')
    const selected = Array.from(items ?? []).find((item) => item.ariaSelected === 'true')
    ;(selected ?? items?.[0])?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = Array.from(list.current?.querySelectorAll<HTMLElement>('[role="option"]') ?? [])
    const at = items.findIndex((item) => item === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (to !== undefined) items[Math.max(0, Math.min(items.length - 1, to))]?.focus()
    else if (event.key === 'Enter' || event.key === ' ') options[at]?.onChoose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div ref={list} role="listbox" aria-label={label} tabIndex={-1} className="stack">
      {options.map(({ id, selected, content, onChoose }) => (
        <div
          key={id}
          role="option"
          aria-selected={selected}
          tabIndex={-1}
          className={styles['option']}
          onClick={onChoose}
          onKeyDown={onKeyDown}
        >
          {content}
        </div>
      ))}
    </div>
  )
}
