import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { estimateQuestion, readRequest } from '../conformance/requests.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { requestInfo } from '../request/requestInfo.ts'
import { type SeatExplanation, type ServerContext, digestRequest } from './classification.ts'
import { explainSeats } from './explainSeats.ts'

interface EstimateAnswer {
  readonly initialSeats: string
  readonly finalSeats: string
  readonly additionalLatencyNs: string
}

test("upstream's estimates, with steps that end in the same width", () => {
  let asked = 0
  for (const { in: given, out } of readVectors<unknown, EstimateAnswer>('estimate')) {
    const question = estimateQuestion.parse(given)
    const { sizeBasedGate, watchListGate, stats } = question
    // A version enables both gates or neither.
    if (question.noRequestInfo || sizeBasedGate !== watchListGate) continue
    asked += 1
    const { info, query } = readRequest(question)
    const seats = explainSeats(info, query, question.maxSeats, {
      version: sizeBasedGate ? 'v1.36.3' : 'v1.33.13',
      consistentReadsFromCache: question.consistentReads,
      watchers: question.watchers,
      objects:
        stats.state === 'notfound'
          ? 'none'
          : { count: stats.count, averageSize: stats.avgSize, ageSeconds: stats.state === 'ok' ? 0 : 200 },
    })
    expect({
      initialSeats: String(seats.initial),
      finalSeats: String(seats.final),
      additionalLatencyNs: String(Math.round(seats.additionalLatencyMs * 1e6)),
    }).toEqual({
      initialSeats: out.initialSeats,
      finalSeats: out.finalSeats,
      additionalLatencyNs: out.additionalLatencyNs,
    })
    expect(seats.steps.at(-1)).toMatchObject({ kind: 'width', value: seats.width })
    expect(seats.initial).toBeLessThanOrEqual(Math.max(seats.cap, 1))
  }
  expect(asked).toBeGreaterThan(300)
})

function explained(method: string, url: string, context: ServerContext, levelCap = 37): SeatExplanation {
  const target = parseRequestTarget(url)
  if (target === undefined) throw new Error(url)
  return explainSeats(requestInfo(method, target).info, target.query, levelCap, context)
}
const labels = ({ steps }: SeatExplanation): readonly string[] =>
  steps.map(({ label, value }) => `${label}: ${value ?? ''}`)

test('each step says what the server does', () => {
  const objects = { count: 20_000, averageSize: 4_000 }
  const paged = explained('GET', '/api/v1/pods?limit=500&resourceVersion=7&labelSelector=a', {
    version: 'v1.36',
    objects,
  })
  expect(labels(paged)).toEqual([
    'objects of pods in the whole cluster: 20000',
    'average object size: 4000',
    'a page of a given resourceVersion reads from etcd: ',
    'objects read: half of all, because a selector filters them after etcd: 10000',
    '× average size: 40000000',
    '÷ 100 kB per seat, rounded up: 400',
    "at most, by this level's cap: 37",
    'width: 37',
  ])
  const counted = explained('GET', '/apis/apps/v1/deployments?limit=500', { version: 'v1.33', objects })
  expect(labels(counted)).toEqual([
    'objects of deployments.apps in the whole cluster: 20000',
    'the latest version comes from the watch cache, because etcd reports its progress: ',
    'objects read: all, because the limit does not apply: 20000',
    '÷ 100 objects per seat, rounded up: 200',
    "at most; this level's cap of 37 is higher: 10",
    'width: 10',
  ])
  expect(labels(explained('GET', '/api/v1/pods?watch=1&resourceVersion=7', {}))).toEqual([
    'a watch from a known version, without initial events, takes one seat: 1',
    'width: 1',
  ])
  expect(explained('GET', '/api/v1/pods?limit=many', {})).toMatchObject({
    initial: 37,
    basis: { kind: 'unreadable-query' },
  })
  expect(labels(explained('POST', '/api/v1/namespaces/a/serviceaccounts/b/token', { watchers: 500 }))).toEqual([
    'a token of a service account always takes one seat: 1',
    'width: 1',
  ])
  expect(labels(explained('DELETE', '/api/v1/namespaces/a/pods', {}))).toEqual([
    'deletecollection always takes one seat: 1',
    'width: 1',
  ])
})

// Each as the three servers counted it in apiserver_flowcontrol_work_estimated_seats, with 302 ConfigMaps of 1.56 MB. They
// answer 00 as they answer 0, but estimate by the text.
test.each([
  ['limit=10', 4, 1],
  ['limit=10&resourceVersion=0', 4, 1],
  ['limit=10&resourceVersion=00', 1, 1],
  ['resourceVersion=0', 4, 8],
  ['resourceVersion=00', 4, 8],
  ['resourceVersion=0x0', 4, 8],
  ['watch=1&resourceVersion=0', 1, 8],
  ['watch=1&resourceVersion=00', 1, 1],
])('configmaps?%s costs %i seats on v1.33.13, and %i on v1.36.3 and v1.37.2', (query, counted, sized) => {
  const objects = { count: 302, averageSize: 1_557_414 / 302 }
  const of = (version: string): number =>
    explained('GET', `/api/v1/namespaces/default/configmaps?${query}`, { version, objects }, 8).initial
  expect([of('v1.33.13'), of('v1.36.3'), of('v1.37.2')]).toEqual([counted, sized, sized])
})

test('of a list of unknown size, what the server estimated for its like stands in, within the level’s cap', () => {
  const read = digestRequest({ user: 'a', groups: [], method: 'GET', url: '/api/v1/pods' })
  if (!read.ok) throw new Error(read.problem)
  const { digest, query } = read
  const seats = (context: ServerContext, cap = 15): SeatExplanation => explainSeats(digest.info, query, cap, context)
  expect(seats({}).width).toBe(1)
  const seen = seats({ seen: { seats: 10, requests: 4 } })
  expect(seen).toMatchObject({ initial: 10, width: 10 })
  expect(seen.steps.at(-1)).toMatchObject({ kind: 'width', value: 10 })
  expect(seen.assumptions).toEqual([expect.stringContaining('estimated 10 seats for 4 requests like it')])
  expect(seats({ seen: { seats: 10, requests: 4 } }, 3).width).toBe(3)
  // A count is better than an estimate from similar requests.
  expect(seats({ seen: { seats: 10, requests: 4 }, objects: { count: 5, averageSize: 100 } }).width).toBe(1)
})

test('of no objects, no size has to be assumed', () => {
  const { steps, assumptions } = explained('GET', '/api/v1/pods', { version: 'v1.36', objects: { count: 0 } })
  expect(assumptions).toEqual([])
  expect(steps.some(({ assumed }) => assumed)).toBe(false)
})

test.each([
  ['v1.29.6', 6, 'etcd: consistent reads from the watch cache are off'],
  ['v1.30.14', 6, 'etcd: consistent reads from the watch cache are off'],
  ['v1.31.0', 3, 'the watch cache'],
  ['v1.33.13', 3, 'the watch cache'],
])('where %s reads the latest version from by default', (version, width, source) => {
  const seats = explained('GET', '/api/v1/pods', { version, objects: { count: 300 } })
  expect(seats.width).toBe(width)
  expect(seats.steps.map(({ label }) => label).join()).toContain(`the latest version comes from ${source}`)
  const cached = explained('GET', '/api/v1/pods?resourceVersion=0', { version, objects: { count: 300 } })
  expect(cached.width).toBe(3)
})
