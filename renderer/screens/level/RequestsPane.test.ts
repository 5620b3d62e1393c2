import { expect, it, describe } from 'vitest'
import fc from 'fast-check'
import { compileFilter, filterText, parseFilter } from '../../../core/filter/filter.ts'
import { AT, requestOf } from './level.fixture.ts'
import { requestRows, REQUEST_VOCABULARY, type RequestRow } from './RequestsPane.tsx'

it('puts the longest waiting first, then what runs longest', () => {
  const rows = requestRows(
    [
      requestOf({ path: 'run-short', arrivedAt: AT - 900, startedAt: AT - 800 }),
      requestOf({ path: 'wait-short', arrivedAt: AT - 1_000 }),
      requestOf({ path: 'run-long', arrivedAt: AT - 9_000, startedAt: AT - 5_000 }),
      requestOf({ path: 'wait-long', arrivedAt: AT - 8_000 }),
    ],
    AT,
  )
  expect(rows.map((row) => row.path)).toEqual(['wait-long', 'wait-short', 'run-long', 'run-short'])
  expect(rows[2]).toMatchObject({ state: 'executing', waited: 4, running: 5 })
  expect(rows[0]).toMatchObject({ state: 'waiting', waited: 8, running: undefined })
})

it('names what a request is about: resource, name, subresource, or the path', () => {
  const target = (change: Parameters<typeof requestOf>[0]): string | undefined =>
    requestRows([requestOf(change)], AT)[0]?.target
  expect(target({})).toBe('pods')
  expect(target({ name: 'web-1', subresource: 'status' })).toBe('pods/status web-1')
  expect(target({ resource: '', path: '/healthz' })).toBe('/healthz')
})

it('takes the wider of both stages for its seats', () => {
  expect(requestRows([requestOf({ initialSeats: 1, finalSeats: 4 })], AT)[0]?.seats).toBe(4)
})

it('gives equal requests keys of their own', () => {
  const rows = requestRows([requestOf(), requestOf(), requestOf()], AT)
  expect(new Set(rows.map((row) => row.key)).size).toBe(3)
})

const row = (change: Parameters<typeof requestOf>[0] = {}): RequestRow => {
  const [only] = requestRows([requestOf(change)], AT)
  if (only === undefined) throw new Error('one request makes one row')
  return only
}
const shows = (filter: string, change: Parameters<typeof requestOf>[0] = {}): boolean =>
  compileFilter(parseFilter(filter, REQUEST_VOCABULARY), REQUEST_VOCABULARY)(row(change))

describe('tokens', () => {
  it.each([
    ['flow:scanner', true],
    ['flow:inventory:scanner', true],
    ['flow:alice', false],
    ['verb:list ns:tenant-1', true],
    ['verb:list ns:tenant-2', false],
    ['-verb:list', false],
    ['queue:3', true],
    ['queue:33', false],
    ['queue:', true],
    ['wait>1s', true],
    ['wait>2500ms', false],
    ['wait<5', true],
    ['-wait>1s', false],
    ['run>0s', false],
    ['seats>=1', true],
    ['seats>1', false],
    ['state:waiting', true],
    ['PODS', true],
    ['secrets', false],
    ['', true],
  ])('%s shows the row: %s', (filter, expected) => expect(shows(filter)).toBe(expected))

  it('explain themselves when they are not understood, and hide nothing', () => {
    expect(parseFilter('wait>soon', REQUEST_VOCABULARY)).toMatchObject([{ kind: 'unknown', text: 'wait>soon' }])
    expect(parseFilter('flow>3', REQUEST_VOCABULARY)).toMatchObject([{ kind: 'unknown' }])
    expect(shows('wait>soon flow>3 flow:')).toBe(true)
  })

  it('take a colon inside a name for text', () => {
    expect(parseFilter('system:node', REQUEST_VOCABULARY)).toEqual([{ kind: 'free', value: 'system:node', not: false }])
  })
})

it('a filter written for a value shows the rows that have it', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
      (flow) => {
        expect(shows(filterText('flow', row({ flow }).flow), { flow })).toBe(true)
      },
    ),
  )
})

it('never throws, whatever is typed', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typeof shows(text)).toBe('boolean')
    }),
  )
})
