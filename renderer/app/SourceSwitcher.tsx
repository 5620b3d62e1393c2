import { Popover } from 'radix-ui'
import type { Connection, ServerHealth } from '../../core/contract/source.ts'
import { unixMsOf } from '../../core/units.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { useConnection } from '../state/connection.ts'
import { openScreen } from '../state/route.ts'
import { selectionStore } from '../state/selection.ts'
import { useView, type View } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { closeOverlay, setOverlay, shellStore } from '../state/shell.ts'
import { Listbox, type ListboxOption } from './Listbox.tsx'
import styles from './TopBar.module.css'

/** Cluster, server and method; a list of servers with their health, and the way to another source. */
export function SourceSwitcher() {
  const { connection } = useConnection()
  const view = useView()
  const { server } = view
  const open = shellStore(({ overlay }) => overlay === 'source')
  return (
    <Popover.Root open={open} onOpenChange={(next) => setOverlay('source', next)}>
      <Popover.Trigger
        className={classes(styles['control'], styles['source'])}
        aria-haspopup="listbox"
        aria-keyshortcuts="Control+O"
      >
        {connection.state === 'none' ? (
          <span className={styles['quiet']}>No source</span>
        ) : (
          <>
            <b className={styles['ellipsis']}>{connection.source.name}</b>
            {server !== undefined && <span className={classes('mono', styles['ellipsis'])}>{server.id}</span>}
            <span className={classes(styles['quiet'], styles['optional'], styles['ellipsis'])}>
              {connection.source.via}
            </span>
          </>
        )}
        <Icon name="chevron" size={12} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={styles['popover']}
          align="start"
          sideOffset={5}
          collisionPadding={8}
          aria-label="Source and server"
          onOpenAutoFocus={(event) => event.preventDefault()}
        >
          <Listbox label="Source and server" options={options(connection, server?.id, (id) => ageIn(view, id))} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Age of one server's frame: the shown server's, older or newer by the difference of their times. */
function ageIn({ frame, server, ageMs }: View, id: string): number | undefined {
  const other = frame?.servers.find((entry) => entry.id === id)
  return other === undefined || server === undefined ? undefined : ageMs + unixMsOf(server.at) - unixMsOf(other.at)
}

function options(
  connection: Connection,
  shown: string | undefined,
  ageOf: (id: string) => number | undefined,
): ListboxOption[] {
  const servers = connection.state === 'none' ? [] : connection.servers
  const choose = (action: () => void) => (): void => {
    closeOverlay('source')
    action()
  }
  return [
    ...servers.map((health): ListboxOption => ({
      id: health.id,
      selected: health.id === shown,
      content: <Server health={health} ageMs={ageOf(health.id)} />,
      onChoose: choose(() => selectionStore.getState().setServer(health.id)),
    })),
    {
      id: 'add',
      selected: false,
      content: (
        <>
          <Icon name="connection" size={13} /> {servers.length === 0 ? 'Connect to a source' : 'Add or change source'}
        </>
      ),
      onChoose: choose(() => openScreen('connection')),
    },
  ]
}

function Server({ health, ageMs }: { readonly health: ServerHealth; readonly ageMs: number | undefined }) {
  const { id, status } = health
  return (
    <>
      <span className={classes(styles['dot'], status !== 'ok' && styles[status])} aria-hidden="true" />
      <span className="mono">{id}</span>
      <span className={styles['end']}>{status === 'ok' ? `${format.age(ageMs)} ago` : status}</span>
    </>
  )
}
