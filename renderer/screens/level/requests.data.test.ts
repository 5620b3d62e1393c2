import { expect, it } from 'vitest'
import { AT, requestOf } from './level.fixture.ts'
import { requestRows } from './requests.data.ts'

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
