import type { Suggestion } from '../contract/advice.ts'
import { plain } from '../text/format.ts'
import { isInNeed, type Place } from './evidence.ts'
import type { LevelCallers } from './callerTally.ts'
import { between, sumOf } from './tally.ts'
import { listed } from '../text/text.ts'

/** With fewer requests of a level, a dominant user cannot be determined. */
const LEAST_REQUESTS = 100
/** A user that sends this part of the requests of a level dominates it. */
const DOMINANT = 0.5
/** This many addresses, each with this many requests, are considered instances. */
const LEAST_ADDRESSES = 3
const LEAST_OF_ADDRESS = 5

/** Names given to components of Kubernetes, unlike those of service accounts. */
const isFixedName = (user: string): boolean => user.startsWith('system:') && !user.startsWith('system:serviceaccount:')

/** A user of a level whose instances, at several addresses, are one flow that sends most of its requests. */
export function callerAdvice(callers: readonly LevelCallers[], places: readonly Place[]): readonly Suggestion[] {
  return callers.flatMap((found) => {
    const { level, requests, from, to, users } = found
    const place = places.find((one) => one.level.name === level)
    if (place === undefined || requests < LEAST_REQUESTS) return []
    return [...users].flatMap(([user, addresses]): readonly Suggestion[] => {
      const own = sumOf(addresses)
      const instances = [...addresses]
        .filter(([, count]) => count >= LEAST_OF_ADDRESS)
        .toSorted(([, a], [, b]) => b - a)
      if (own < DOMINANT * requests || instances.length < LEAST_ADDRESSES || isFixedName(user)) return []
      return [
        {
          kind: 'users',
          verdict: isInNeed(place.level) ? 'edit' : 'precaution',
          title: `Give each instance of ${user} a user name of its own`,
          text: `Its instances are one flow of ${level}: they share one hand of queues and wait behind each other. With names of their own, each is a flow that fair queuing serves in its turn.`,
          server: place.server.id,
          level,
          from,
          to,
          evidence: [
            `${user} sent ${plain.percent(own / requests)} of ${plain.counted(requests, 'request')} of ${level} whose flow is their user, ${between(found)}, from ${plain.counted(instances.length, 'address', 'addresses')} with ${plain.amount(LEAST_OF_ADDRESS)} requests or more: ${listed(instances.slice(0, 3).map(([address, count]) => `${address} (${plain.amount(count)})`))}${instances.length > 3 ? ' and others' : ''}.`,
          ],
          unknown: [
            'Addresses may be those of proxies: one can stand for several instances, and one instance can use several.',
            'As several flows the instances together can get more than the one flow did, at the cost of other users of the level.',
          ],
          changes: [],
          impact: [],
        },
      ]
    })
  })
}
