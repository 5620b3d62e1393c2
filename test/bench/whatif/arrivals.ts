import { readRequestLine } from '../../../core/request/requestInfo.ts'
import { drawNs, exponential, seededRandom } from '../../../core/simulate/random.ts'
import type { Arrivals } from '../../../core/whatif/arrivals.ts'

export const REQUESTS = 100_000
const USERS = 200

/** 100,000 requests of 200 users in 100 s, which fill a level's queues from time to time. */
export function arrivals(): Arrivals {
  const read = readRequestLine('GET', '/api/v1/namespaces/default/pods/one')
  if (!read.ok) throw new Error(read.problem)
  const { info, query } = read
  const random = seededRandom(1)
  const users = Array.from({ length: USERS }, (_, i) => ({ name: `user-${i}`, groups: ['system:authenticated'] }))
  let atNs = 0
  const list = Array.from({ length: REQUESTS }, () => {
    atNs += drawNs(exponential(1), random)
    const user = users[Math.floor(random() * USERS)] ?? { name: '', groups: [] }
    return { atNs, request: { user, info, query }, client: user.name, executionNs: drawNs(exponential(60), random) }
  })
  return { startUnixMs: 0, fromNs: 0, endNs: atNs, list, notes: [] }
}
