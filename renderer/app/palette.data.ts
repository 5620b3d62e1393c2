import { format } from '../theme/format.ts'
import type { WishedSource } from '../state/connection.ts'
import { filterText } from '../../core/filter/filter.ts'
import { EXEMPT } from '../../core/config/objects.ts'
import { CONCEPT_IDS, CONCEPTS } from '../../core/glossary/concepts.ts'
import { GLOSSARY_TOPICS, GLOSSARY } from '../../core/glossary/glossary.ts'
import type { EntryId } from '../state/glossary.ts'
import type { PageName, ScreenName } from '../../core/contract/screens.ts'
import { ACTION_INFO, type ActionName } from './actions.ts'
import type { Command } from './keymap.ts'
import type { ScreenEntry } from './screens.tsx'

/** In the order in which they are shown for equally good matches. */
export const PALETTE_GROUPS = [
  'Recent',
  'Screens',
  'Levels',
  'Flow schemas',
  'Flows',
  'Queues',
  'Actions',
  'Settings',
  'Scenarios',
  'Sources',
  'Saved filters',
  'Glossary',
] as const
export type PaletteGroup = (typeof PALETTE_GROUPS)[number]

/** What an item opens or does. */
export type PaletteTarget =
  | { readonly kind: 'run'; readonly command: Command }
  | { readonly kind: 'screen'; readonly screen: ScreenName; readonly page?: PageName }
  | { readonly kind: 'level'; readonly level: string }
  /** A level with a filter of its requests. */
  | { readonly kind: 'inside'; readonly level: string; readonly filter: string }
  | { readonly kind: 'action'; readonly action: ActionName }
  /** Seconds. */
  | { readonly kind: 'range'; readonly seconds: number }
  | { readonly kind: 'speed'; readonly speed: number }
  | { readonly kind: 'server'; readonly server: string }
  | { readonly kind: 'source'; readonly spec: WishedSource }
  /** Of the library. */
  | { readonly kind: 'scenario'; readonly name: string }
  /** Of live requests. */
  | { readonly kind: 'filter'; readonly filter: string }
  /** Accessible name of the export button of a pane. */
  | { readonly kind: 'export'; readonly button: string }
  | { readonly kind: 'term'; readonly term: EntryId }

export interface PaletteItem {
  readonly id: string
  readonly group: PaletteGroup
  readonly label: string
  readonly detail?: string
  /** The key that does the same. */
  readonly key?: string | undefined
  /** Synonyms, searched like the label. */
  readonly also?: string | undefined
  /** Why it is not available now. */
  readonly unavailable?: string | undefined
  readonly does: PaletteTarget
}

const PREFIXES: Readonly<Record<string, PaletteGroup>> = {
  '>': 'Actions',
  '@': 'Levels',
  '#': 'Flow schemas',
  '~': 'Flows',
  '=': 'Saved filters',
  '?': 'Glossary',
}

export const PREFIX_HELP = '> action   @ level   # schema   ~ flow   = saved filter   ? term'

/** The group that a prefix selects, and the words to search for. */
export function parseQuery(query: string): { readonly group?: PaletteGroup; readonly words: readonly string[] } {
  const trimmed = query.trimStart()
  const group = PREFIXES[trimmed[0] ?? '']
  const text = group === undefined ? trimmed : trimmed.slice(1)
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return group === undefined ? { words } : { group, words }
}

const MOST = 60
/** Shown only when words or their prefix match them. */
const ON_REQUEST: ReadonlySet<PaletteGroup> = new Set(['Flows', 'Queues', 'Scenarios', 'Glossary'])

/**
 * Items that contain every word, best match first: whole label, start of label, start of a word, anywhere. `recent`
 * holds ids, newest first; these lead while nothing is typed, and otherwise lead equally good matches.
 */
export function matchItems(
  items: readonly PaletteItem[],
  query: string,
  recent: readonly string[] = [],
): readonly PaletteItem[] {
  const { group, words } = parseQuery(query)
  const found = items
    .filter((item) =>
      group === undefined
        ? words.length > 0 || !ON_REQUEST.has(item.group)
        : item.group === group || (group === 'Actions' && item.group === 'Settings'),
    )
    .map((item) => ({ item, score: scoreOf(item, words, group !== undefined), age: recent.indexOf(item.id) }))
    .filter(({ score }) => score > 0)
    .map((one) => ({ ...one, age: one.age === -1 ? recent.length : one.age }))
    .toSorted((a, b) => b.score - a.score || a.age - b.age)
    .slice(0, MOST)
  const isRecent = ({ age }: { readonly age: number }): boolean => words.length === 0 && age < recent.length
  return found.map((one) => (group === undefined && isRecent(one) ? { ...one.item, group: 'Recent' } : one.item))
}

/** Definitions are searched only when the glossary was selected: they contain every common word. */
function scoreOf(
  { label, group, also = '', detail = '' }: PaletteItem,
  words: readonly string[],
  asked: boolean,
): number {
  const more = group !== 'Glossary' || asked ? detail.toLowerCase() : ''
  if (words.length === 0) return 1
  const name = label.toLowerCase()
  const others = also.toLowerCase().split(' ')
  let sum = 0
  for (const word of words) {
    if (name === word) sum += 8
    else if (name.startsWith(word) || others.includes(word)) sum += 5
    else if ([...name.split(/[^a-z0-9]+/), ...others].some((part) => part.startsWith(word))) sum += 3
    else if (name.includes(word)) sum += 2
    else if (more.includes(word)) sum += 1
    else return 0
  }
  return sum
}

export interface PaletteFacts {
  readonly screens: readonly Pick<ScreenEntry, 'name' | 'label' | 'key' | 'also' | 'pages'>[]
  /** Levels in their order, with a few words about their state. */
  readonly levels: readonly { readonly name: string; readonly detail: string }[]
  readonly schemas: readonly { readonly name: string; readonly level: string }[]
  /** Flows and queues of the newest debug dump. */
  readonly flows: readonly {
    readonly name: string
    readonly flow: string
    readonly schema: string
    readonly level: string
  }[]
  readonly queues: readonly { readonly index: number; readonly level: string; readonly pending: number }[]
  readonly servers: readonly string[]
  readonly sources: readonly { readonly name: string; readonly detail: string; readonly spec: WishedSource }[]
  readonly scenarios: readonly { readonly name: string; readonly title: string }[]
  /** Saved filters of live requests, as they are typed. */
  readonly filters: readonly string[]
  /** Accessible names of the export buttons on the screen. */
  readonly exports: readonly string[]
  /** Seconds. */
  readonly ranges: readonly number[]
  readonly speeds: readonly number[]
  /** Whether live requests are on the screen. */
  readonly onLive: boolean
  readonly paused: boolean
  /** Whether the shown source has no live to go back to. */
  readonly isOver: boolean
  /** Why the simulation cannot be controlled. */
  readonly notSteered?: string | undefined
  /** Why each unavailable action is unavailable now. */
  readonly unavailable: Readonly<Partial<Record<ActionName, string>>>
}

type PlainCommand = Exclude<Command['kind'], 'screen' | 'cursor'>

/** Every command that has a key. A command that does nothing by itself from here has no label. */
export const COMMAND_INFO: Readonly<
  Record<PlainCommand, { readonly label?: string; readonly key: string; readonly also?: string }>
> = {
  palette: { key: 'Ctrl K' },
  clear: { key: 'Esc' },
  'next-pane': { label: 'Next pane', key: 'F6' },
  'previous-pane': { label: 'Previous pane', key: 'Shift F6' },
  'previous-level': { label: 'Previous level', key: '[' },
  'next-level': { label: 'Next level', key: ']' },
  pause: { label: 'Pause', key: 'Space', also: 'stop hold freeze resume play' },
  fix: { label: 'Try a fix', key: 'R', also: 'remedy solve cure draft isolate cause repair' },
  live: { label: 'Back to live', key: 'L', also: 'now follow' },
  'zoom-in': { label: 'Zoom in', key: '+' },
  'zoom-out': { label: 'Zoom out', key: '−' },
  'pan-earlier': { label: 'Move the range earlier', key: '<', also: 'pan' },
  'pan-later': { label: 'Move the range later', key: '>', also: 'pan' },
  back: { label: 'Previous range', key: 'Backspace' },
  forward: { label: 'Next range', key: 'Shift Backspace' },
  'copy-range': { label: 'Copy the time range', key: 't c' },
  'paste-range': { label: 'Paste a time range', key: 't v' },
  source: { label: 'Choose source and server', key: 'Ctrl O', also: 'cluster switch kubeconfig' },
  rail: { label: 'Sidebar or rail', key: 'Ctrl B' },
  help: { label: 'Shortcuts and glossary', key: '?', also: 'help keys keyboard manual' },
}

const isPlain = (kind: string): kind is PlainCommand => Object.hasOwn(COMMAND_INFO, kind)
const isAction = (name: string): name is ActionName => Object.hasOwn(ACTION_INFO, name)

/** Everything that the palette can reach now. */
export function paletteItems(facts: PaletteFacts): readonly PaletteItem[] {
  const item = (
    group: PaletteGroup,
    label: string,
    does: PaletteTarget,
    more: Partial<PaletteItem> = {},
  ): PaletteItem => ({ id: `${group} ${label}`, group, label, does, ...more })
  const { unavailable, notSteered, onLive } = facts
  /** Flow and queue are shown where the user is: among the live requests, otherwise on their level. */
  const inside = (level: string, ofLevel: string, ofLive: string): PaletteTarget =>
    onLive ? { kind: 'filter', filter: ofLive } : { kind: 'inside', level, filter: ofLevel }
  return [
    ...facts.screens.flatMap(({ name, label, key, also, pages = [] }) => [
      item('Screens', label, { kind: 'screen', screen: name }, { key, also }),
      ...pages.map((page) =>
        item(
          'Screens',
          `${label}: ${page.label}`,
          { kind: 'screen', screen: name, page: page.name },
          { also: page.also },
        ),
      ),
    ]),
    ...facts.levels.map(({ name, detail }) => item('Levels', name, { kind: 'level', level: name }, { detail })),
    ...facts.schemas.map(({ name, level }) =>
      item('Flow schemas', name, { kind: 'level', level }, { id: `schema ${level} ${name}`, detail: `feeds ${level}` }),
    ),
    ...facts.flows.map((flow) => {
      const { name, schema, level } = flow
      const ofLevel = filterText(level === EXEMPT ? 'user' : 'flow', name)
      const detail = `${schema} in ${level}`
      return item('Flows', name, inside(level, ofLevel, liveFlow(flow)), { id: `flow ${schema} ${name}`, detail })
    }),
    ...facts.queues.map(({ index, level, pending }) =>
      item(
        'Queues',
        `queue ${index} of ${level}`,
        inside(level, `queue:${index}`, `${filterText('level', level)} queue:${index}`),
        { detail: format.counted(pending, 'request waits', 'requests wait') },
      ),
    ),
    ...Object.entries(COMMAND_INFO).flatMap(([kind, { label, key, also }]) => {
      if (label === undefined || !isPlain(kind)) return []
      const shown =
        kind === 'pause' && facts.paused ? 'Resume' : kind === 'live' && facts.isOver ? 'Go to the last sample' : label
      return item('Actions', shown, { kind: 'run', command: { kind } }, { id: `command ${kind}`, key, also })
    }),
    ...Object.entries(ACTION_INFO).flatMap(([name, { group, label, also, key }]) => {
      if (!isAction(name)) return []
      return item(group, label, { kind: 'action', action: name }, { also, key, unavailable: unavailable[name] })
    }),
    ...facts.ranges.map((seconds) =>
      item('Actions', `Range: last ${rangeText(seconds)}`, { kind: 'range', seconds }, { also: 'time window' }),
    ),
    ...facts.speeds.map((speed) =>
      item(
        'Actions',
        `Simulation speed ×${speed}`,
        { kind: 'speed', speed },
        { also: 'faster slower', unavailable: notSteered },
      ),
    ),
    ...facts.exports.map((button) =>
      item('Actions', button, { kind: 'export', button }, { also: 'csv png download save picture' }),
    ),
    ...(facts.exports.length === 0
      ? [
          item(
            'Actions',
            'Export',
            { kind: 'export', button: '' },
            {
              also: 'csv png download save picture',
              unavailable: 'Nothing on this screen can be exported.',
            },
          ),
        ]
      : []),
    ...facts.servers.map((server) =>
      item('Sources', server, { kind: 'server', server }, { id: `server ${server}`, detail: 'server of this source' }),
    ),
    ...facts.sources.map(({ name, detail, spec }) =>
      item('Sources', name, { kind: 'source', spec }, { id: `source ${detail} ${name}`, detail }),
    ),
    ...facts.scenarios.map(({ name, title }) =>
      item('Scenarios', `${name}: ${title}`, { kind: 'scenario', name }, { also: 'simulate what-if' }),
    ),
    ...facts.filters.map((filter) =>
      item('Saved filters', filter, { kind: 'filter', filter }, { detail: 'filters live requests' }),
    ),
    ...GLOSSARY_TOPICS.flatMap(({ ids }) =>
      ids.map((id) => {
        const [term, sentence] = GLOSSARY[id]
        return item('Glossary', term, { kind: 'term', term: id }, { detail: sentence })
      }),
    ),
    ...CONCEPT_IDS.map((id) => {
      const { title, paragraphs } = CONCEPTS[id]
      return item('Glossary', title, { kind: 'term', term: id }, { also: 'concept guide', detail: paragraphs[0] })
    }),
  ]
}

/** Live requests name a flow by its whole distinguisher; a flow without one is all of its schema. */
const liveFlow = ({ flow, schema, level }: PaletteFacts['flows'][number]): string => {
  if (level === EXEMPT) return filterText('user', flow)
  return flow === '' ? filterText('schema', schema) : filterText('flow', flow)
}

function rangeText(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return `${seconds / 60} min`
}
