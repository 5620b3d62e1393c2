import { GLOSSARY_TOPICS, GLOSSARY, type TermId } from '../components/glossary.ts'
import type { ScreenName } from '../state/route.logic.ts'
import type { Command } from './keymap.ts'

export type PaletteGroup = 'Screens' | 'Levels' | 'Flow schemas' | 'Saved filters' | 'Actions' | 'Glossary'

export interface PaletteItem {
  readonly id: string
  readonly group: PaletteGroup
  readonly label: string
  readonly detail?: string
  /** The key that does the same. */
  readonly key?: string
  readonly does:
    | { readonly kind: 'run'; readonly command: Command }
    | { readonly kind: 'level'; readonly level: string }
    | { readonly kind: 'action'; readonly action: string }
    /** Of live requests. */
    | { readonly kind: 'filter'; readonly filter: string }
    | { readonly kind: 'term'; readonly term: TermId }
}

const PREFIXES: Readonly<Record<string, PaletteGroup>> = {
  '>': 'Actions',
  '@': 'Levels',
  '#': 'Flow schemas',
  '=': 'Saved filters',
  '?': 'Glossary',
}

export const PREFIX_HELP = '> action   @ level   # schema   = saved filter   ? term'

/** The group that a prefix asks for, and the words to look for. */
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

const MOST = 40

/** Items that hold every word, best first: whole label, start of label, start of a word, anywhere. */
export function matchItems(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const { group, words } = parseQuery(query)
  return items
    .filter((item) => (group === undefined ? item.group !== 'Glossary' || words.length > 0 : item.group === group))
    .map((item) => ({ item, score: scoreOf(item, words, group !== undefined) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ item }) => item)
}

/** Definitions are searched only when the glossary was asked for: they hold every common word. */
function scoreOf({ label, group, detail = '' }: PaletteItem, words: readonly string[], asked: boolean): number {
  const more = group !== 'Glossary' || asked ? detail.toLowerCase() : ''
  if (words.length === 0) return 1
  const name = label.toLowerCase()
  let sum = 0
  for (const word of words) {
    if (name === word) sum += 8
    else if (name.startsWith(word)) sum += 5
    else if (name.split(/[^a-z0-9]+/).some((part) => part.startsWith(word))) sum += 3
    else if (name.includes(word)) sum += 2
    else if (more.includes(word)) sum += 1
    else return 0
  }
  return sum
}

export interface PaletteFacts {
  readonly screens: readonly { readonly name: ScreenName; readonly label: string; readonly key: string }[]
  /** Levels in their order, with a few words about their state. */
  readonly levels: readonly { readonly name: string; readonly detail: string }[]
  readonly schemas: readonly { readonly name: string; readonly level: string }[]
  /** Saved filters of live requests, as they are typed. */
  readonly filters: readonly string[]
  readonly paused: boolean
  readonly connected: boolean
}

const ACTIONS: readonly (readonly [label: string, key: string, kind: Exclude<Command['kind'], 'screen' | 'cursor'>])[] =
  [
    ['Back to live', 'L', 'live'],
    ['Copy the time range', 't c', 'copy-range'],
    ['Paste a time range', 't v', 'paste-range'],
    ['Previous range', 'Backspace', 'back'],
    ['Choose source and server', 'Ctrl O', 'source'],
    ['Sidebar or rail', 'Ctrl B', 'rail'],
    ['Shortcuts and glossary', '?', 'help'],
  ]

/** Everything that the palette can reach now. */
export function paletteItems({
  screens,
  levels,
  schemas,
  filters,
  paused,
  connected,
}: PaletteFacts): readonly PaletteItem[] {
  const item = (
    group: PaletteGroup,
    label: string,
    does: PaletteItem['does'],
    more: Partial<PaletteItem> = {},
  ): PaletteItem => ({
    id: `${group} ${label}`,
    group,
    label,
    does,
    ...more,
  })
  const action = (label: string, name: string): PaletteItem => item('Actions', label, { kind: 'action', action: name })
  return [
    ...screens.map(({ name, label, key }) =>
      item('Screens', label, { kind: 'run', command: { kind: 'screen', screen: name } }, { key }),
    ),
    ...levels.map(({ name, detail }) => item('Levels', name, { kind: 'level', level: name }, { detail })),
    ...schemas.map(({ name, level }) =>
      item('Flow schemas', name, { kind: 'level', level }, { id: `schema ${level} ${name}`, detail: `feeds ${level}` }),
    ),
    ...filters.map((filter) =>
      item('Saved filters', filter, { kind: 'filter', filter }, { detail: 'filters live requests' }),
    ),
    item('Actions', paused ? 'Go on' : 'Pause', { kind: 'run', command: { kind: 'pause' } }, { key: 'Space' }),
    ...ACTIONS.map(([label, key, kind]) => item('Actions', label, { kind: 'run', command: { kind } }, { key })),
    action('Dark theme', 'theme-dark'),
    action('Light theme', 'theme-light'),
    action('Theme of the system', 'theme-system'),
    action('Compact rows', 'density-compact'),
    action('Regular rows', 'density-regular'),
    action('Clock in UTC', 'clock-utc'),
    action('Clock in local time', 'clock-local'),
    action('Explore a simulated cluster', 'simulation'),
    action('Play the recorded demo', 'demo'),
    ...(connected ? [action('Disconnect', 'disconnect')] : []),
    ...GLOSSARY_TOPICS.flatMap(({ ids }) =>
      ids.map((id) => {
        const [term, sentence] = GLOSSARY[id]
        return item('Glossary', term, { kind: 'term', term: id }, { detail: sentence })
      }),
    ),
  ]
}
