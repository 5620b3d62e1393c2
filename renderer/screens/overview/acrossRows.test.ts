import { peakOverMean } from '../../../core/frame/aggregate.ts'
import { describe, expect, test } from 'vitest'
import type { DerivedServer } from '../../../core/frame/derived.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import { levelOrder } from '../../../core/text/levelSlots.ts'
import {
  busiestServer,
  acrossRows,
  pinnedNames,
  serverColumns,
  serverStrip,
  spreadText,
  type ServerLoad,
} from '../../../core/verdict/acrossRows.ts'
import { serversKeyNumbers, keyNumbers } from './keyNumbers.ts'
import {
  derivedLevel,
  derivedServer,
  level,
  scannerFlood,
  server,
  type LevelWish,
} from '../../../core/verdict/levels.fixture.ts'
import { type LevelRow, levelRows } from '../../../core/verdict/levelRows.ts'

const order = levelOrder({})
const member = (id: string, ...wishes: LevelWish[]) => {
  const frame = server({ id, levels: wishes.map(level) })
  return { id, server: frame, rows: levelRows(frame, derivedServer(frame), order) }
}

describe('levels side by side', () => {
  const servers = [
    member('a', { name: 'jobs', executing: 90, queued: 282 }, { name: 'idle' }, { name: 'only-a', executing: 9 }),
    member('b', { name: 'jobs', executing: 24 }, { name: 'idle' }),
    member('c', { name: 'jobs', executing: 19 }, { name: 'idle' }),
  ]
  const rows = acrossRows(servers, order)

  test('names where a level queues, and the imbalance when it means something', () => {
    const jobs = rows.find((row) => row.name === 'jobs')
    expect(jobs).toMatchObject({ queueingOn: ['a'], rejectingOn: [], queuedSeats: 282 })
    expect(jobs?.peakOverMean).toBeCloseTo(2.03, 2)
    expect(rows.find((row) => row.name === 'idle')?.peakOverMean).toBeUndefined()
  })

  test('a level that one server lacks is absent there, not zero', () => {
    expect(Object.keys(rows.find((row) => row.name === 'only-a')?.on ?? {})).toEqual(['a'])
  })

  test('at most six levels are pinned, worst first', () => {
    expect(pinnedNames(servers)).toEqual({ names: ['jobs'], more: 0 })
    const many = member('a', ...Array.from({ length: 9 }, (_, i) => ({ name: `l${i}`, queued: i + 1 })))
    expect(pinnedNames([many])).toMatchObject({ more: 3 })
    expect(pinnedNames([many]).names[0]).toBe('l8')
  })

  test('key numbers of several servers say what is summed', () => {
    const numbers = serversKeyNumbers(servers)
    expect(numbers[0]).toMatchObject({ label: 'executing, per server', value: '99 · 24 · 19', unit: 'seats' })
    expect(numbers.find(({ label }) => label === 'need attention')).toMatchObject({ value: '1', unit: 'of 3 levels' })
    const five = serversKeyNumbers([...servers, member('d', { name: 'jobs' }), member('e', { name: 'jobs' })])
    expect(five[0]).toMatchObject({ label: 'executing, sum of 5', value: '142' })
  })

  test('no level needs attention only where the state of each is known', () => {
    const attention = (levels: readonly LevelRow[]) =>
      serversKeyNumbers([{ server: server({ id: 'a', levels: [] }), rows: levels }]).find(
        ({ label }) => label === 'need attention',
      )?.value
    const calm = member('a', { name: 'jobs' }).rows
    expect(attention(calm)).toBe('0')
    expect(attention(calm.map((row) => ({ ...row, states: ['unknown'] })))).toBe('–')
  })
})

test('key numbers of the scanner flood', () => {
  const frame = scannerFlood()
  const derived = derivedServer(frame, [derivedLevel('workload-low', { waitP99: 14.2 })])
  const numbers = keyNumbers(levelRows(frame, derived, order))
  expect(numbers.map(({ value, unit, whose }) => [value, unit, ...(whose === undefined ? [] : [whose])])).toEqual([
    ['491', '/ 602 seats'],
    ['72', 'seats'],
    ['399', 'requests · 699 seats'],
    ['0', '/s'],
    ['≈ 14.2', 's', 'workload-low'],
  ])
  expect(numbers.map(({ label }) => label).join()).not.toMatch(/limit|granted/i)
})

test('a wait between two units keeps both at one size', () => {
  const wait = (waitP99Range: { above: number; upTo: number }) => {
    const derived = derivedServer(scannerFlood(), [derivedLevel('workload-low', { waitP99: 0.7, waitP99Range })])
    const { value, unit } = keyNumbers(levelRows(scannerFlood(), derived, order)).at(-1) ?? expect.fail()
    return [value, unit]
  }
  expect(wait({ above: 0.5, upTo: 1 })).toEqual(['500 ms–1 s', undefined])
  expect(wait({ above: 0.2, upTo: 0.5 })).toEqual(['200–500', 'ms'])
})

test('unknown key numbers are dashes', () => {
  const mute: LevelFrame = { ...level({ name: 'a' }), limits: {}, seats: {} }
  const frame = server({ levels: [mute] })
  const known = derivedServer(frame, [derivedLevel('a', { rejectedPerSecond: undefined })])
  const early: DerivedServer = { ...known, noRates: 'first-sample' }
  const numbers = keyNumbers(levelRows(frame, early, order))
  expect(numbers.map(({ value }) => value)).toEqual(['–', '–', '0', '–', '–'])
})

test('limits of several servers are a range, never an average', () => {
  expect(spreadText({ min: 33, mean: 40, max: 47, servers: 3 })).toBe('33 to 47')
  expect(spreadText({ min: 45, mean: 45, max: 45, servers: 3 })).toBe('45 each')
  expect(spreadText(undefined)).toBeUndefined()
})

test('the busiest server changes only when another is clearly busier', () => {
  const loads = (a: number | undefined, b: number | undefined) => [
    { id: 'a', executing: a },
    { id: 'b', executing: b },
  ]
  expect(busiestServer(loads(100, 105), 'a')).toBe('a')
  expect(busiestServer(loads(100, 120), 'a')).toBe('b')
  expect(busiestServer(loads(undefined, undefined), undefined)).toBe('a')
  expect(busiestServer(loads(undefined, 3), 'a')).toBe('b')
  expect(busiestServer([], 'a')).toBeUndefined()
})

const load = (id: string, executing: number | undefined): ServerLoad => ({
  id,
  executing,
  nominal: 602,
  queuedSeats: 0,
})

test('peak ÷ mean of the executing seats', () => {
  const strip = serverStrip([load('a', 401), load('b', 491), load('c', 241)])
  expect(strip.busiest?.id).toBe('b')
  expect(strip.peakOverMean).toBeCloseTo(1.3, 2)
})

test('one unknown part, one server, or nothing executing: no index', () => {
  expect(peakOverMean([5, undefined])).toBeUndefined()
  expect(peakOverMean([5])).toBeUndefined()
  expect(peakOverMean([0, 0])).toBeUndefined()
  expect(peakOverMean([4, 0])).toBe(2)
})

test('more than eight servers: busiest, median and idlest', () => {
  const loads = Array.from({ length: 9 }, (_, i) => load(`s${i}`, i))
  expect(serverColumns(loads)).toEqual([
    { id: 's8', role: 'busiest' },
    { id: 's4', role: 'median' },
    { id: 's0', role: 'idlest' },
  ])
  expect(serverColumns(loads.slice(0, 3)).map((column) => column.id)).toEqual(['s0', 's1', 's2'])
})
