import { Command } from 'cmdk'
import { Dialog } from 'radix-ui'
import { useEffect, useMemo, useState } from 'react'
import { create } from 'zustand'
import { EXEMPT } from '../../core/config/objects.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { LevelChip } from '../components/LevelChip.tsx'
import { onAnswer } from '../state/answer.ts'
import { client } from '../state/client.ts'
import { connectionStore } from '../state/connection.ts'
import { useDump } from '../state/dumps.ts'
import { flowKeyOf, flowName } from '../../core/frame/flow.ts'
import { openTerm } from '../state/glossary.ts'
import { openInLevel, openPage, openScreen, routeNow, useRoute } from '../state/route.ts'
import { selectionStore } from '../state/selection.ts'
import { settingsNow } from '../state/settings.ts'
import { controlSimulation } from '../state/simulation.ts'
import { PRESETS } from '../state/time.logic.ts'
import { timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { levelOrder } from '../../core/text/levelSlots.ts'
import { closeOverlay, setOverlay, shellStore } from '../state/shell.ts'
import { act, connectTo, unavailableNow, whyNotSteered } from './actions.ts'
import { run } from './commands.ts'
import { matchItems, paletteItems, PREFIX_HELP, type PaletteFacts, type PaletteItem } from './palette.data.ts'
import { rosterRows } from './shell.data.ts'
import { SCREEN_ENTRIES, screensFor } from './screens.tsx'
import { SPEEDS } from './TopBar.tsx'
import { refusalOf } from '../state/limits.ts'
import styles from '../components/Dialog.module.css'

/** Ids of the items chosen and screens left in this session, newest first. */
const recentStore = create<{ readonly recent: readonly string[] }>(() => ({ recent: [] }))
const MOST_RECENT = 6

const remember = (id: string): void =>
  recentStore.setState(({ recent }) => ({ recent: [id, ...recent.filter((one) => one !== id)].slice(0, MOST_RECENT) }))

/** Reaches anything by its name. */
export function Palette() {
  const open = shellStore(({ overlay }) => overlay === 'palette')
  const { screen } = useRoute()
  // Where one was is a likely next wish, however one came there.
  useEffect(
    () => () => {
      const entry = SCREEN_ENTRIES.find(({ name }) => name === screen)
      if (entry !== undefined) remember(`Screens ${entry.label}`)
    },
    [screen],
  )
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
  const [recent] = useState(() => recentStore.getState().recent)
  // Read once: results must not move while the user chooses one.
  const [facts] = useState(reachable)
  const sources = useSources()
  const scenarios = useScenarios()
  const inside = useInside()
  const items = useMemo(
    () => paletteItems({ ...facts, sources, scenarios, ...inside }),
    [facts, sources, scenarios, inside],
  )
  const found = matchItems(items, query, recent)
  const groups = [...new Set(found.map(({ group }) => group))]
  // What is still read may answer what was entered.
  const [entered, setEntered] = useState<string>()
  const [first] = found
  useEffect(() => {
    if (first !== undefined && entered === query) choose(first)
  }, [first, entered, query])
  return (
    <Command label="Go to" shouldFilter={false} loop>
      <Command.Input
        className={styles['input']}
        value={query}
        onValueChange={setQuery}
        onKeyDown={({ key }) => key === 'Enter' && first === undefined && setEntered(query)}
        placeholder="Screen, level, schema, flow, action, setting, source or term"
      />
      <Command.List className={styles['results']} label="Results">
        {/* As an option that cannot be chosen: a list box must not be empty. */}
        {found.length === 0 && (
          <Command.Item className={styles['result']} value="" disabled>
            No results for “{query}”.
          </Command.Item>
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
  const { id, label, detail, key, does, unavailable } = item
  const more = unavailable ?? detail
  return (
    <Command.Item
      value={id}
      className={styles['result']}
      disabled={unavailable !== undefined}
      onSelect={() => choose(item)}
    >
      {does.kind === 'level' && item.id.startsWith('Levels ') && <LevelChip name={label} decorative />}
      <span className="nowrap">{label}</span>
      {more !== undefined && <span className="shrink-x cut faint">{more}</span>}
      {key !== undefined && <span className={`${styles['kbd']} rigid push`}>{key}</span>}
    </Command.Item>
  )
}

function choose({ id, does }: PaletteItem): void {
  closeOverlay('palette')
  remember(id)
  switch (does.kind) {
    case 'run':
      return run(does.command)
    case 'screen':
      return does.page === undefined ? openScreen(does.screen) : openPage(does.screen, does.page)
    case 'level':
      return openScreen('level', does.level)
    case 'inside':
      return openInLevel(does.level, does.filter)
    case 'action':
      return act(does.action)
    case 'range':
      return timeStore.getState().setRange(does.seconds)
    case 'speed':
      // The transport reports what failed; the speeds offered here are those that it offers.
      return void controlSimulation({ speed: does.speed }).catch(() => undefined)
    case 'server':
      return selectionStore.getState().setServer(does.server)
    case 'source':
      return connectTo(does.spec)
    case 'scenario':
      return void showScenario(does.name)
    case 'filter':
      return void showFiltered(does.filter)
    case 'export':
      return pressExport(does.button)
    case 'term':
      return openTerm(does.term)
  }
}

async function showScenario(name: string): Promise<void> {
  const { scenarioStore } = await import('../screens/whatif/scenarioRuns.ts')
  scenarioStore.setState({ selected: name })
  openPage('whatif', 'scenarios')
}

/** The page of live requests loads with its code, as it does by its address. */
async function showFiltered(filter: string): Promise<void> {
  const { setFilter } = await import('../screens/live/query.ts')
  setFilter(filter)
  openScreen('live')
}

const EXPORTS = 'main button[aria-label^="Export "], main button[aria-label^="Save "][aria-label$=" as CSV"]'

const exportButtons = (): readonly HTMLButtonElement[] =>
  Array.from(document.querySelectorAll<HTMLButtonElement>(EXPORTS)).filter((one) => one.getClientRects().length > 0)

/** A table is saved at once; the menu of a chart opens, and the focus is on its button. */
function pressExport(label: string): void {
  const button = exportButtons().find((one) => one.getAttribute('aria-label') === label)
  if (button === undefined) return
  button.scrollIntoView({ block: 'nearest' })
  button.focus()
  if (label.endsWith(' as CSV')) button.click()
  else button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
}

type Reachable = Omit<PaletteFacts, 'sources' | 'scenarios' | 'flows' | 'queues'>

function reachable(): Reachable {
  const { server, derivedServer, frame } = viewStore.getState()
  const { connection } = connectionStore.getState()
  const rows = rosterRows(server, derivedServer, levelOrder(settingsNow().levelSlots))
  const labels = exportButtons().map((button) => button.getAttribute('aria-label') ?? '')
  return {
    screens: screensFor(connection?.etcd === true),
    levels: rows.map(({ name, executing, limit, trouble }) => ({
      name,
      detail: `${executing ?? '–'}${limit === undefined ? '' : `/${limit}`} seats${trouble === undefined ? '' : `, ${trouble}`}`,
    })),
    filters: settingsNow().liveFilters,
    schemas: (server?.levels ?? []).flatMap(({ name: level, schemas }) => schemas.map(({ name }) => ({ name, level }))),
    servers: (frame?.servers ?? []).map(({ id }) => id),
    exports: [...new Set(labels)],
    ranges: PRESETS,
    speeds: SPEEDS,
    onLive: routeNow().screen === 'live',
    paused: timeStore.getState().paused,
    isOver: connection?.still === true,
    notSteered: whyNotSteered(),
    unavailable: unavailableNow(),
  }
}

/** Contexts of this machine, and sources used before. */
function useSources(): PaletteFacts['sources'] {
  const [sources, setSources] = useState<PaletteFacts['sources']>([])
  useEffect(() => {
    if (refusalOf('sources.connect') !== undefined) return undefined
    let open = true
    const read = async (): Promise<void> => {
      const [contexts, recent] = await Promise.all([
        client().call('sources.contexts', {}),
        client().call('sources.recent', null),
      ])
      if (!open) return
      setSources([
        ...recent.map(({ name, spec }) => ({ name, detail: `used before, ${spec.kind}`, spec })),
        ...contexts
          .filter(({ problem }) => problem === undefined)
          .map(({ file, context, server }) => ({
            name: context,
            detail: `context of ${file}, ${server}`,
            spec: { kind: 'scrape', target: { kind: 'kubeconfig', file, context }, cadence: {} } as const,
          })),
      ])
    }
    // Without an answer the other items are still available.
    read().catch(() => undefined)
    return () => {
      open = false
    }
  }, [])
  return sources
}

/** The library, once it was read: it does not change while the console runs. */
function useScenarios(): PaletteFacts['scenarios'] {
  const [scenarios, setScenarios] = useState<PaletteFacts['scenarios']>([])
  useEffect(
    () =>
      refusalOf('whatIf.scenarios') === undefined
        ? onAnswer(() => client().call('whatIf.scenarios', null), setScenarios)
        : undefined,
    [],
  )
  return scenarios
}

/** Flows and queues of the first dump that arrives while the palette is open. */
function useInside(): Pick<PaletteFacts, 'flows' | 'queues'> {
  const dump = useDump(viewStore.getState().server?.id)
  const [first, setFirst] = useState<DumpFrame>()
  if (first === undefined && dump !== undefined) setFirst(dump)
  return useMemo(() => {
    const flows = new Map(
      (first?.requests ?? []).map((request) => {
        const { schema, level } = request
        // Exempt requests are distinguished by user, as on the Level screen.
        const flow = level === EXEMPT ? (request.user ?? request.flow) : request.flow
        return [flowKeyOf({ schema, flow }), { name: flowName(flow, schema), flow, schema, level }]
      }),
    )
    const queues = (first?.queues ?? []).map(({ index, level, pending }) => ({ index, level, pending }))
    return { flows: [...flows.values()], queues: queues.toSorted((a, b) => b.pending - a.pending) }
  }, [first])
}
