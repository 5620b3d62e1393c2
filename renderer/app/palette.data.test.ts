import { describe, expect, it } from 'vitest'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { CONCEPT_IDS } from '../../core/glossary/concepts.ts'
import { GLOSSARY, GLOSSARY_TOPICS } from '../../core/glossary/glossary.ts'
import { pagesOf, SCREENS } from '../../core/contract/screens.ts'
import { ACTION_INFO, unavailableActions, type ActionFacts } from './actions.ts'
import { commandOf } from './keymap.ts'
import { COMMAND_INFO, matchItems, paletteItems, parseQuery, type PaletteFacts } from './palette.data.ts'
import { SCREEN_ENTRIES } from './screens.tsx'

const NOTHING: PaletteFacts = {
  screens: [],
  levels: [],
  schemas: [],
  flows: [],
  queues: [],
  servers: [],
  sources: [],
  scenarios: [],
  filters: [],
  exports: [],
  ranges: [],
  speeds: [],
  onLive: false,
  paused: false,
  isOver: false,
  notSteered: 'No simulation is connected.',
  unavailable: {},
}

const INSIDE: Pick<PaletteFacts, 'flows' | 'queues'> = {
  flows: [
    {
      name: 'inventory:crawler',
      flow: 'system:serviceaccount:inventory:crawler',
      schema: 'service-accounts',
      level: 'workload-low',
    },
    { name: 'all of catch-all', flow: '', schema: 'catch-all', level: 'catch-all' },
    { name: 'system:apiserver', flow: 'system:apiserver', schema: 'exempt', level: 'exempt' },
  ],
  queues: [{ index: 17, level: 'workload-low', pending: 3 }],
}

const items = paletteItems({
  ...NOTHING,
  screens: SCREEN_ENTRIES,
  levels: [
    { name: 'workload-low', detail: '307/307 seats, rejecting' },
    { name: 'workload-high', detail: '64/75 seats' },
  ],
  schemas: [{ name: 'service-accounts', level: 'workload-low' }],
  flows: [
    {
      name: 'inventory:crawler',
      flow: 'system:serviceaccount:inventory:crawler',
      schema: 'service-accounts',
      level: 'workload-low',
    },
  ],
  queues: [{ index: 17, level: 'workload-low', pending: 3 }],
  servers: ['apiserver-a:6443'],
  sources: [
    {
      name: 'prod-eu-1',
      detail: 'context of ~/.kube/config',
      spec: SimulationSpecSchema.parse({ kind: 'simulation' }),
    },
  ],
  scenarios: [
    { name: 'S2', title: 'Priority inversion' },
    { name: 'S13', title: 'A controller that hammers' },
  ],
  filters: ['wait>1s', 'pl:workload-low verb:list'],
  exports: ['Export Seats', 'Save Priority levels as CSV'],
  ranges: [300, 3_600],
  speeds: [1, 10],
  notSteered: undefined,
})
const labels = (query: string): string[] => matchItems(items, query).map(({ label }) => label)

describe('the palette', () => {
  it('reads prefixes', () => {
    expect(parseQuery('@work low')).toEqual({ group: 'Levels', words: ['work', 'low'] })
    expect(parseQuery('>')).toEqual({ group: 'Actions', words: [] })
    expect(parseQuery('  Work')).toEqual({ words: ['work'] })
  })

  it('keeps to the group that was asked for', () => {
    expect(labels('@')).toEqual(['workload-low', 'workload-high'])
    expect(labels('#serv')).toEqual(['service-accounts'])
    expect(new Set(matchItems(items, '>').map(({ group }) => group))).toEqual(new Set(['Actions', 'Settings']))
  })

  it('finds saved filters by what they ask, or all of them by their prefix', () => {
    expect(labels('=')).toEqual(['wait>1s', 'pl:workload-low verb:list'])
    expect(labels('wait>1')).toEqual(['wait>1s'])
    expect(matchItems(items, 'verb:list')[0]?.does).toEqual({ kind: 'filter', filter: 'pl:workload-low verb:list' })
  })

  it('needs every word, and puts the better match first', () => {
    expect(labels('low work')[0]).toBe('workload-low')
    expect(labels('rejecting')).toContain('workload-low')
    expect(labels('workload nothing')).toEqual([])
  })

  it('has the glossary only when words or the prefix ask for it', () => {
    expect(matchItems(items, '').some(({ group }) => group === 'Glossary')).toBe(false)
    expect(labels('? watermark')).toEqual(['high watermark'])
    expect(labels('seat-sec')).toEqual(['seat-second'])
  })

  it('names the action by what it would do', () => {
    expect(labels('> pause')).toContain('Pause')
    expect(matchItems(paletteItems({ ...NOTHING, paused: true }), '> resume').map(({ label }) => label)).toContain(
      'Resume',
    )
    expect(labels('> back to live')).toContain('Back to live')
    const ofOver = paletteItems({ ...NOTHING, isOver: true })
    expect(matchItems(ofOver, '> back to live').map(({ label }) => label)).not.toContain('Back to live')
    expect(matchItems(ofOver, '> last sample').map(({ label }) => label)).toContain('Go to the last sample')
  })

  it.each([
    ['S2', 'S2: Priority inversion'],
    ['priority inversion', 'S2: Priority inversion'],
    ['hammer', 'S13: A controller that hammers'],
    ['settings', 'Settings'],
    ['preferences', 'Settings'],
    ['update', 'Settings'],
    ['incident', 'Write an incident report'],
    ['report', 'Write an incident report'],
    ['postmortem', 'Write an incident report'],
    ['first difference', 'First difference of two runs'],
    ['token', 'Connect your cluster'],
    ['password', 'Connect your cluster'],
    ['fix', 'Try a fix'],
    ['remedy', 'Try a fix'],
    ['why', 'Why are requests rejected?'],
    ['429', 'Why are requests rejected?'],
    ['dark', 'Dark theme'],
    ['time zone', 'Clock in UTC'],
    ['compact', 'Compact rows'],
    ['journal', 'Editor: Journal'],
    ['undo', 'Undo applied changes'],
    ['apply', 'Apply the draft'],
    ['replay', 'Recordings'],
    ['fleet', 'Fleet'],
    ['drift', 'Editor: Drift'],
    ['advice', 'Editor: Advisor'],
    ['queue 17', 'queue 17 of workload-low'],
    ['crawler', 'inventory:crawler'],
    ['service-acc', 'service-accounts'],
    ['prod', 'prod-eu-1'],
    ['csv', 'Save Priority levels as CSV'],
    ['last 1 h', 'Range: last 1 h'],
    ['read-only', 'Switch editing off'],
    ['pause', 'Pause'],
    ['notifications', 'Alerts'],
    ['keyboard', 'Shortcuts and glossary'],
  ])('finds by “%s” among the first three: %s', (query, label) => {
    expect(labels(query).slice(0, 3)).toContain(label)
  })

  it('finds things by the words that people have for them', () => {
    expect(labels('429')).toContain('Why are requests rejected?')
    expect(labels('csv')).toContain('Save Priority levels as CSV')
    expect(labels('kubectl')).toContain('Connect your cluster')
    expect(labels('help')[0]).toBe('Shortcuts and glossary')
    expect(labels('crawler')).toContain('inventory:crawler')
    expect(labels('queue 17')).toContain('queue 17 of workload-low')
    expect(labels('night')).toContain('Dark theme')
    expect(labels('resume')).toContain('Pause')
    expect(labels('1 h')).toContain('Range: last 1 h')
    expect(labels('prod')).toContain('prod-eu-1')
  })

  it('opens flow and queue themselves, where the reader is', () => {
    const targets = (facts: Partial<PaletteFacts>) =>
      paletteItems({ ...NOTHING, ...INSIDE, ...facts })
        .filter(({ group }) => group === 'Flows' || group === 'Queues')
        .map(({ does }) => does)
    expect(targets({})).toEqual([
      { kind: 'inside', level: 'workload-low', filter: 'flow:inventory:crawler' },
      { kind: 'inside', level: 'catch-all', filter: 'flow:"all of catch-all"' },
      { kind: 'inside', level: 'exempt', filter: 'user:system:apiserver' },
      { kind: 'inside', level: 'workload-low', filter: 'queue:17' },
    ])
    expect(targets({ onLive: true })).toEqual([
      { kind: 'filter', filter: 'flow:system:serviceaccount:inventory:crawler' },
      { kind: 'filter', filter: 'schema:catch-all' },
      { kind: 'filter', filter: 'user:system:apiserver' },
      { kind: 'filter', filter: 'level:workload-low queue:17' },
    ])
  })

  it('puts what was used lately first', () => {
    const recent = ['Settings Dark theme', 'Screens Classify: Coverage']
    const [first, second, third] = matchItems(items, '', recent)
    expect([first?.label, second?.label]).toEqual(['Dark theme', 'Classify: Coverage'])
    expect([first?.group, third?.group]).toEqual(['Recent', 'Screens'])
    const [low] = matchItems(items, 'workload', ['Levels workload-high'])
    expect(low?.label).toBe('workload-high')
  })

  it('shows what cannot be done now, with the reason', () => {
    const facts: ActionFacts = {
      connected: true,
      notSteered: 'No simulation is connected.',
      simulationStopped: false,
      levels: true,
      requests: false,
      drafted: 1,
      mayUndoDraft: true,
      mayRedoDraft: false,
      editing: 'off',
    }
    const now = paletteItems({ ...NOTHING, unavailable: unavailableActions(facts) })
    const why = (label: string) => now.find((one) => one.label === label)?.unavailable
    expect(why('Apply the draft')).toBe('Editing is off.')
    expect(why('Switch editing on')).toBeUndefined()
    expect(why('Run the draft beside live traffic')).toBe('This source does not report individual requests.')
    expect(why('Redo the edit of the draft')).toBe('There is no edit to redo.')
    expect(why('Resume the simulation')).toBe('No simulation is connected.')
    expect(why('Export')).toBe('Nothing on this screen can be exported.')
    const impossible = unavailableActions({ ...facts, editing: 'impossible', why: 'These are files.' })
    expect([impossible['editing-on'], impossible.apply]).toEqual(['These are files.', 'These are files.'])
  })

  it('reaches every screen, page, command, action and term: one table of all that there is', () => {
    const reached = new Set(
      items.map(({ does }) =>
        does.kind === 'screen'
          ? [does.screen, does.page].filter(Boolean).join('/')
          : does.kind === 'run'
            ? `command ${does.command.kind}`
            : does.kind === 'action'
              ? `action ${does.action}`
              : does.kind === 'term'
                ? `term ${does.term}`
                : `any ${does.kind}`,
      ),
    )
    // The palette and Escape are already available while it is open.
    const commands = Object.keys(COMMAND_INFO).filter((kind) => kind !== 'palette' && kind !== 'clear')
    const all = [
      ...SCREENS.flatMap((screen) => [screen, ...pagesOf(screen).map((page) => `${screen}/${page}`)]),
      ...commands.map((kind) => `command ${kind}`),
      ...Object.keys(ACTION_INFO).map((name) => `action ${name}`),
      ...GLOSSARY_TOPICS.flatMap(({ ids }) => ids.map((id) => `term ${id}`)),
      ...CONCEPT_IDS.map((id) => `term ${id}`),
      ...['level', 'inside', 'range', 'speed', 'server', 'source', 'scenario', 'filter', 'export'].map(
        (kind) => `any ${kind}`,
      ),
    ]
    expect([...reached].toSorted()).toEqual(all.toSorted())
    expect(GLOSSARY_TOPICS.flatMap(({ ids }) => ids).toSorted()).toEqual(Object.keys(GLOSSARY).toSorted())
  })

  it('has every screen in the sidebar, with number keys in its order', () => {
    expect(SCREEN_ENTRIES.map(({ name }) => name)).toEqual([...SCREENS])
    // The magnifier is that of Go to.
    expect(new Set([...SCREEN_ENTRIES.map(({ icon }) => icon), 'search']).size).toBe(SCREENS.length + 1)
    expect(SCREEN_ENTRIES.map(({ key }) => key)).toEqual([
      'H',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
      'W',
      'A',
      'D',
      '9',
      'Ctrl ,',
      '0',
    ])
    for (const { name, key } of SCREEN_ENTRIES) {
      const stroke = {
        key: key.replace('Ctrl ', ''),
        command: key.startsWith('Ctrl '),
        shift: false,
        alt: false,
        typing: false,
        onControl: false,
      }
      expect(commandOf(stroke, true)).toEqual({ kind: 'screen', screen: name })
    }
  })

  it('gives every item an identity of its own', () => {
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })
})
