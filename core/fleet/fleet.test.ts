import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LEVEL_STATES } from '../frame/recent.ts'
import type { ServerSummary } from '../contract/fleet.ts'
import type { ServerHealth } from '../contract/source.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { configurationDrift, driftText } from './configuration.ts'
import { compareByTrouble, countFleet, currentNumbers, fleetRows, type ClusterRow, type FleetSource } from './fleet.ts'
import { fleetLines, linesNow, parseFleetSearch, searchFleet, type FleetLine, type FleetWish } from './lines.ts'
import { sentenceText, type Sentence } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { presentFleet } from './present.ts'

const NOW = 1_000_000
const fleetSentence = (clusters: readonly ClusterRow[]) => {
  const { title, evidence } = presentFleet(clusters)
  const text = (sentence: Sentence): string => sentenceText(sentence, plain)
  return { title: text(title), evidence: evidence.map(text).join(' ') }
}

interface Level {
  readonly state: ServerSummary['states'][number][number]
  readonly executing?: number
  readonly rejected?: number
  readonly queued?: number
}

const server = (
  id: string,
  levels: Readonly<Record<string, Level>>,
  more: Partial<ServerSummary> = {},
): ServerSummary => {
  const all = Object.values(levels)
  return {
    id,
    at: NOW - 500,
    version: 'v1.36.3',
    levels: Object.keys(levels),
    states: all.map(({ state }) => [state]),
    executing: all.map(({ executing }) => executing ?? 1),
    limit: all.map(() => 10),
    nominal: all.map(() => 10),
    queued: all.map(({ queued }) => queued ?? 0),
    rejected: all.map(({ rejected }) => rejected ?? 0),
    waitP99: all.map(() => null),
    trend: [],
    ...more,
  }
}

const ok = (id: string): ServerHealth => ({ id, status: 'ok', failures: [] })
const down = (id: string): ServerHealth => ({
  id,
  status: 'failing',
  failures: [{ at: '2026-01-01T00:00:00Z', problem: { code: 'unreachable', message: `${id} refused.` } }],
})

const source = (
  id: number,
  name: string,
  servers: readonly ServerSummary[],
  more: Partial<FleetSource> = {},
): FleetSource => ({
  id,
  name,
  via: 'direct',
  still: false,
  staleAfterMs: 3_000,
  health: servers.map((one) => ok(one.id)),
  servers,
  ...more,
})

const CALM = source(1, 'calm', [server('a', { low: { state: 'flowing', executing: 5 } })])
const BUSY = source(2, 'busy', [
  server('b', {
    low: { state: 'rejecting', executing: 10, rejected: 4, queued: 2 },
    high: { state: 'queueing', queued: 9 },
  }),
  server('c', { low: { state: 'idle', executing: 0 } }, { version: 'v1.33.1' }),
])
const DEAD = source(3, 'dead', [server('d', { low: { state: 'rejecting' } }, { at: NOW - 60_000 })], {
  health: [down('d')],
})
const FLEET = fleetRows([CALM, BUSY, DEAD], NOW)

const WISH: FleetWish = { group: 'none', sort: 'worst', descending: false, open: new Set() }
const keys = (lines: readonly FleetLine[]): string[] => lines.map(({ key }) => key)

test('a cluster shows its worst server and level, sums what adds up and the busiest of what does not', () => {
  expect(FLEET[1]).toMatchObject({ state: 'rejecting', saturation: 1, rejected: 4, queued: 11 })
  expect(FLEET[1]?.worst?.worst?.level).toBe('low')
  expect(FLEET[1]?.versions).toEqual(['v1.33.1', 'v1.36.3'])
})

test('numbers of a server are those of its level rows, and its worst level is the worst of them', () => {
  const state = fc.constantFrom(...LEVEL_STATES)
  const number = fc.option(fc.nat({ max: 50 }), { nil: undefined })
  const levels = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    fc.record({ state, executing: fc.nat(30), rejected: fc.nat(9), queued: fc.nat(9) }),
    {
      maxKeys: 6,
    },
  )
  fc.assert(
    fc.property(levels, fc.array(number, { maxLength: 6 }), (of, limits) => {
      const one = server('s', of)
      const summary = { ...one, limit: one.levels.map((_, index) => limits[index] ?? null) }
      const row = fleetRows([source(1, 'x', [summary])], NOW)[0]?.servers[0]
      const { levels: rows = [], saturation, rejected, queued } = row ?? {}
      const known = rows.flatMap((level) => level.saturation ?? [])
      expect(saturation).toBe(known.length === 0 ? undefined : Math.max(...known))
      expect(rejected).toBe(rows.length === 0 ? undefined : rows.reduce((sum, level) => sum + (level.rejected ?? 0), 0))
      expect(queued).toBe(rows.length === 0 ? undefined : rows.reduce((sum, level) => sum + (level.queued ?? 0), 0))
      expect(row?.worst?.level).toBe(rows.toSorted(compareByTrouble)[0]?.level)
    }),
  )
})

test('a source that cannot be read says why and keeps its last numbers; the others are as they were', () => {
  expect(FLEET[2]).toMatchObject({ state: 'failing', problem: { message: 'd refused.' } })
  expect(FLEET[2]?.worst?.levels[0]).toMatchObject({ state: 'failing', states: ['rejecting'], executing: 1 })
  expect(FLEET.slice(0, 2)).toEqual(fleetRows([CALM, BUSY], NOW))
})

test('a single failed try is no failure while the sample is current; without a sample and a failure it is connecting', () => {
  const [tried, fresh] = fleetRows(
    [{ ...CALM, health: [down('a')] }, source(9, 'new', [], { health: [ok('x')], servers: undefined })],
    NOW,
  )
  expect(tried?.state).toBe('flowing')
  expect(fresh?.state).toBe('connecting')
  expect(fleetRows([{ ...CALM, servers: CALM.servers?.map((one) => ({ ...one, at: 0 })) }], NOW)[0]?.state).toBe(
    'stale',
  )
  expect(fleetRows([{ ...CALM, still: true }], NOW * 2)[0]?.state).toBe('flowing')
})

test('lines: the worst first, and what is open with its servers and levels', () => {
  expect(keys(fleetLines(FLEET, WISH))).toEqual(['2', '3', '1'])
  expect(keys(fleetLines(FLEET, { ...WISH, sort: 'name' }))).toEqual(['2', '1', '3'])
  const open = new Set(['2', '2 b'])
  expect(keys(fleetLines(FLEET, { ...WISH, open }))).toEqual(['2', '2 b', '2 b low', '2 b high', '2 c', '3', '1'])
  expect(keys(fleetLines(FLEET, { ...WISH, sort: 'queued', descending: true }))).toEqual(['2', '3', '1'])
})

test('groups carry the sums of their clusters', () => {
  const lines = fleetLines(FLEET, { ...WISH, group: 'state' })
  expect(keys(lines)).toEqual(['group rejecting', '2', 'group failing', '3', 'group flowing', '1'])
  expect(lines[0]).toMatchObject({ rejected: 4, queued: 11 })
})

test('lines keep their places while their numbers follow', () => {
  const lines = fleetLines(FLEET, { ...WISH, group: 'state', open: new Set(['2', '2 b']) })
  const busier = { ...CALM, servers: [server('a', { low: { state: 'rejecting', rejected: 99 } })] }
  const now = linesNow(lines, fleetRows([busier, BUSY], NOW))
  expect(keys(now)).toEqual(keys(lines).filter((key) => key !== '3'))
  expect(now.at(-1)).toMatchObject({ key: '1', rejected: 99 })
  expect(now.at(-2)).toMatchObject({ key: 'group flowing', state: 'rejecting', rejected: 99 })
})

test.each([
  ['state:rejecting', ['2', '3']],
  ['busy', ['2']],
  ['level:high', ['2']],
  ['queued>5', ['2']],
  ['saturation>=100', ['2']],
  ['-state:failing level:low', ['1', '2']],
  ['version:v1.33*', ['2']],
  ['nothing-like-this', []],
])('search %s', (text, found) => {
  expect(keys(searchFleet(FLEET, parseFleetSearch(text)))).toEqual(found)
})

test('a search leaves the numbers of a cluster whole and shows only the levels that match', () => {
  const [found] = searchFleet(FLEET, parseFleetSearch('level:high'))
  expect(found).toMatchObject({ queued: 11 })
  expect(found?.servers.map(({ levels }) => levels.map(({ level }) => level))).toEqual([['high']])
})

test('the sentence leads with what rejects and names what cannot be read', () => {
  expect(fleetSentence(FLEET)).toEqual({
    title: '1 of 3 clusters is rejecting requests.',
    evidence: 'Worst: busy, low on b, 4.00 /s rejected. d of dead cannot be read.',
  })
  expect(fleetSentence(fleetRows([CALM], NOW))).toEqual({
    title: 'No cluster is rejecting or queueing requests.',
    evidence: '1 cluster, 1 server, all current.',
  })
  const dark = source(3, 'dark', [server('e', { low: { state: 'unknown' } }), server('f', {})])
  const evidence = 'f of dark has no priority levels. e of dark does not show what waits.'
  expect(fleetSentence(fleetRows([dark], NOW))).toEqual({
    title: 'Whether requests wait in 1 cluster is unknown.',
    evidence,
  })
  expect(fleetSentence(fleetRows([source(4, 'bare', [server('g', {})])], NOW))).toEqual({
    title: 'The levels of 1 cluster are not reported.',
    evidence: 'g of bare has no priority levels.',
  })
  expect(fleetSentence(fleetRows([CALM, dark], NOW))).toEqual({
    title: 'No cluster is rejecting or queueing requests, as far as is shown.',
    evidence,
  })
  expect(fleetSentence([]).title).toBe('No cluster is connected.')
  expect(countFleet(FLEET)).toMatchObject({ clusters: 3, servers: 4 })
})

test('differences of configuration: own objects are none from the built-in ones, and each is one from another cluster', () => {
  const version = 'v1.36.3'
  const builtIn = builtInObjects(version)
  const [first] = builtIn.levels.filter(({ metadata }) => metadata.name === 'workload-low')
  if (first === undefined) throw new Error('no workload-low')
  const own = { ...first, metadata: { ...first.metadata, name: 'mine' } }
  const objects = { ...builtIn, levels: [...builtIn.levels, own] }
  expect(configurationDrift(objects, version, undefined)).toEqual({ levels: 0, schemas: 0 })
  expect(driftText(configurationDrift(objects, version, builtIn))).toBe('1 level')
  expect(driftText(configurationDrift({ ...builtIn, schemas: builtIn.schemas.slice(2) }, version, builtIn))).toBe(
    '2 schemas',
  )
  expect(driftText({ levels: 0, schemas: 0 })).toBe('none')
})

test('sums of the fleet and of a cluster leave out servers without a current sample', () => {
  const rejecting = { l: { state: 'rejecting', rejected: 7, queued: 5 } } as const
  const old = { at: NOW - 60_000 }
  const rows = fleetRows(
    [
      source(1, 'half', [server('a', rejecting), server('b', rejecting, old)]),
      source(2, 'gone', [server('c', rejecting, old)]),
    ],
    NOW,
  )
  expect(rows.map(({ rejected, queued }) => [rejected, queued])).toEqual([
    [7, 5],
    [7, 5],
  ])
  expect(currentNumbers(rows)).toMatchObject({ rejected: 7, queued: 5 })
  expect(currentNumbers(rows.slice(1))).toMatchObject({ rejected: undefined, queued: undefined })
})
