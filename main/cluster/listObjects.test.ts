import fc from 'fast-check'
import { expect, test } from 'vitest'
import { profileFor } from '../../core/engine/profiles.ts'
import { estimateWork, type ObjectStatistics } from '../../core/engine/workEstimator.ts'
import { readRequestLine } from '../../core/request/requestInfo.ts'
import type { Send } from './http.ts'
import { listObjects } from './listObjects.ts'

interface Server {
  readonly minor: number
  readonly count: number
  /** Bytes; absent if the server does not know it. */
  readonly averageSize: number | undefined
  readonly consistentReadsFromCache: boolean
  /** Whether it has polled its statistics since its start. */
  readonly polled: boolean
}

const GROUP = 'flowcontrol.apiserver.k8s.io'
const level = (at: number) => ({
  metadata: { name: `level-${at}`, resourceVersion: String(at + 1) },
  spec: { type: 'Exempt' },
})

function pageOf({ minor, count, averageSize, polled }: Server): string {
  if (!polled) return ''
  if (minor < 34) return `apiserver_storage_objects{resource="prioritylevelconfigurations.${GROUP}"} ${count}\n`
  const labels = `{group="${GROUP}",resource="prioritylevelconfigurations"}`
  const bytes = averageSize === undefined ? -1 : averageSize * count
  return `apiserver_resource_objects${labels} ${count}\napiserver_resource_size_estimate_bytes${labels} ${bytes}\n`
}

/** An API server that answers, and the seats that upstream estimates for each request on an exempt level. */
function serve(server: Server): { readonly send: Send; readonly seats: [string, number][] } {
  const { minor, count, averageSize, consistentReadsFromCache, polled } = server
  const statistics: ObjectStatistics = polled
    ? { state: 'ok', count, averageSize: averageSize ?? -1 }
    : { state: 'not-found' }
  const seats: [string, number][] = []
  const answer = (path: string, query: URLSearchParams): string => {
    if (path === '/metrics') return pageOf(server)
    if (query.get('watch') === 'true') {
      const events = Array.from({ length: count }, (_, at) => JSON.stringify({ type: 'ADDED', object: level(at) }))
      return events.map((event) => `${event}\n`).join('')
    }
    const from = Number(query.get('continue') ?? 0)
    const to = Math.min(count, from + Number(query.get('limit') ?? count))
    const items = Array.from({ length: to - from }, (_, at) => level(from + at))
    return JSON.stringify({ metadata: { resourceVersion: '9', ...(to < count && { continue: String(to) }) }, items })
  }
  const send: Send = ({ url }, onChunk) => {
    const read = readRequestLine('GET', `${url.pathname}${url.search}`)
    if (!read.ok) throw new Error(read.problem)
    const profile = { ...profileFor(`v1.${minor}.0`).estimator, consistentReadsFromCache }
    const sources = { objectStatistics: () => statistics, interestedWatches: () => 0 }
    seats.push([`${url.pathname}${url.search}`, estimateWork(read.info, read.query, 0, profile, sources).initialSeats])
    const bytes = new TextEncoder().encode(answer(url.pathname, url.searchParams))
    if (bytes.length > 0) onChunk(bytes)
    return Promise.resolve({ ok: true, status: 200, headers: {}, bytes: bytes.length, ms: 1 })
  }
  return { send, seats }
}

const servers: fc.Arbitrary<Server> = fc
  .record({
    minor: fc.integer({ min: 29, max: 37 }),
    count: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 1_200 })),
    averageSize: fc.option(fc.integer({ min: 100, max: 20_000 }), { nil: undefined }),
    consistent: fc.boolean(),
    polled: fc.boolean(),
  })
  // Lists are read from the cache since 1.31, and only if etcd reports its progress.
  .map(({ consistent, ...server }) => ({ ...server, consistentReadsFromCache: consistent && server.minor >= 31 }))

test('all objects are read at one seat a request, whatever the server and what it knows', async () => {
  await fc.assert(
    fc.asyncProperty(servers, async (server) => {
      const { send, seats } = serve(server)
      const settings = { send, headers: {}, secrets: [] }
      const listed = await listObjects('PriorityLevelConfiguration', { base: 'https://127.0.0.1', settings })
      expect(listed).toMatchObject({ ok: true, strange: [] })
      expect(listed.ok && listed.items).toHaveLength(server.count)
      expect(seats.filter(([, cost]) => cost > 1)).toEqual([])
    }),
    { numRuns: 100 },
  )
})
