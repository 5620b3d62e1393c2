import { Command } from 'cmdk'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { LevelChip } from '../components/LevelChip.tsx'
import { useConnected } from '../state/connection.ts'
import { openTerm } from '../state/glossary.ts'
import { openPage, openScreen } from '../state/route.ts'
import { settingsNow } from '../state/settings.ts'
import { useTimePart } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { levelOrder } from '../theme/levelSlots.ts'
import { act } from './actions.ts'
import { run } from './commands.ts'
import { matchItems, paletteItems, PREFIX_HELP, type PaletteFacts, type PaletteItem } from './palette.data.ts'
import { rosterRows } from './roster.data.ts'
import { SCREEN_ENTRIES } from './screens.tsx'
import { closeOverlay, setOverlay, shellStore } from './shellStore.ts'
import styles from './Dialog.module.css'

/** Reaches anything by its name. */
export function Palette() {
  const open = shellStore(({ overlay }) => overlay === 'palette')
  return (
    <Dialog.Root open={open} onOpenChange={(next) => setOverlay('palette', next)}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles['veil']} />
        <Dialog.Content className={styles['dialog']} aria-describedby={undefined}>
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <Search />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Search() {
  const [query, setQuery] = useState('')
  const paused = useTimePart((time) => time.paused)
  const connected = useConnected() !== undefined
  // What can be reached is read once: results must not move under the hand that chooses.
  const [facts] = useState(reachable)
  const found = matchItems(paletteItems({ ...facts, paused, connected }), query)
  const groups = [...new Set(found.map(({ group }) => group))]
  return (
    <Command label="Go to" shouldFilter={false} loop>
      <Command.Input
        className={styles['input']}
        value={query}
        onValueChange={setQuery}
        placeholder="Screen, level, schema, saved filter, action or term"
      />
      <Command.List className={styles['results']} label="Results">
        {found.length === 0 && (
          <Command.Empty className={styles['result']}>Nothing is called “{query}” here.</Command.Empty>
        )}
        {groups.map((group) => (
          <Command.Group key={group} heading={group}>
            {found
              .filter((item) => item.group === group)
              .map((item) => (
                <Result key={item.id} item={item} />
              ))}
          </Command.Group>
        ))}
      </Command.List>
      <p className={styles['foot']}>{PREFIX_HELP}</p>
    </Command>
  )
}

function Result({ item }: { readonly item: PaletteItem }) {
  const { id, group, label, detail, key } = item
  return (
    <Command.Item value={id} className={styles['result']} onSelect={() => choose(item)}>
      {group === 'Levels' && <LevelChip name={label} decorative />}
      <span className={styles['nowrap']}>{label}</span>
      {detail !== undefined && <span className={styles['detail']}>{detail}</span>}
      {key !== undefined && <span className={`${styles['kbd']} ${styles['end']}`}>{key}</span>}
    </Command.Item>
  )
}

function choose({ does }: PaletteItem): void {
  closeOverlay('palette')
  switch (does.kind) {
    case 'run':
      return run(does.command)
    case 'level':
      return openScreen('level', does.level)
    case 'action':
      return act(does.action)
    case 'filter':
      return void showFiltered(does.filter)
    case 'term':
      return openTerm(does.term)
  }
}

/** The page of live requests comes with its code, as it does by its address. */
async function showFiltered(filter: string): Promise<void> {
  const { setFilter } = await import('../screens/live/query.ts')
  setFilter(filter)
  openPage('classify', 'live')
}

function reachable(): Pick<PaletteFacts, 'screens' | 'levels' | 'schemas' | 'filters'> {
  const { server, derivedServer } = viewStore.getState()
  const rows = rosterRows(server, derivedServer, levelOrder(settingsNow().levelSlots))
  return {
    screens: SCREEN_ENTRIES,
    levels: rows.map(({ name, executing, limit, trouble }) => ({
      name,
      detail: `${executing ?? '–'}${limit === undefined ? '' : `/${limit}`} seats${trouble === undefined ? '' : `, ${trouble}`}`,
    })),
    filters: settingsNow().liveFilters,
    schemas: (server?.levels ?? []).flatMap(({ name: level, schemas }) => schemas.map(({ name }) => ({ name, level }))),
  }
}
