import type { ObjectSet } from '../config/objects.ts'
import type { Suggestion } from '../contract/advice.ts'
import { distinguisherEdit } from '../diagnose/remedies.ts'
import { plain } from '../text/format.ts'
import type { SchemaFlows } from './boundaryTally.ts'
import { isInNeed, type Place } from './evidence.ts'
import { between, sumOf } from './tally.ts'

/** With fewer requests of a schema, its flows cannot be judged. */
const LEAST_REQUESTS = 100
/** A namespace or a user that sends this part of the requests is the one that floods. */
const DOMINANT = 0.5
/** With this many users in one namespace, there are as many flows, and their hands leave few queues to others. */
const MANY_USERS = 20
/** A user with fewer requests may be there by chance. */
const LEAST_OF_USER = 5

/**
 * Schemas of levels in trouble whose flows do not separate the users or namespaces that flood from those that wait
 * behind them.
 */
export function boundaryAdvice(
  flows: readonly SchemaFlows[],
  places: readonly Place[],
  objects: ObjectSet | undefined,
): readonly Suggestion[] {
  return flows.flatMap((found): readonly Suggestion[] => {
    const place = places.find(({ level }) => level.name === found.level)
    if (place === undefined || !isInNeed(place.level) || found.requests < LEAST_REQUESTS) return []
    const worst = [...found.namespaces]
      .map(([namespace, users]) => ({ namespace, users, requests: sumOf(users) }))
      .toSorted((a, b) => b.requests - a.requests)[0]
    if (worst === undefined || worst.requests < DOMINANT * found.requests) return []
    const wrong = found.by === 'user' ? manyUsers(found, worst) : oneUser(found, worst)
    if (wrong === undefined) return []
    const { to, ...rest } = wrong
    return [
      {
        kind: 'boundary',
        verdict: 'edit',
        title: `Let ${found.schema} distinguish flows by ${to === 'ByUser' ? 'user' : 'namespace'}`,
        ...rest,
        server: place.server.id,
        level: found.level,
        from: found.from,
        to: found.to,
        changes: distinguisherEdit({ objects, version: place.server.version }, found.schema, to),
        impact: [],
      },
    ]
  })
}

interface Worst {
  readonly namespace: string
  readonly users: ReadonlyMap<string, number>
  readonly requests: number
}

type Wrong = Pick<Suggestion, 'text' | 'evidence' | 'unknown'> & { readonly to: 'ByUser' | 'ByNamespace' }

/** Flows are users, and one namespace has very many of them. */
function manyUsers(found: SchemaFlows, { namespace, users, requests }: Worst): Wrong | undefined {
  const others = found.requests - requests
  if (users.size < MANY_USERS || others < LEAST_OF_USER) return undefined
  return {
    to: 'ByNamespace',
    text: `The users of ${namespace} then share one flow, and its hand leaves most queues to others. Currently each user is a flow with its own hand, and together they fill the queues of all flows.`,
    evidence: [
      `${plain.counted(users.size, 'user')} sent ${plain.percent(requests / found.requests)} of ${plain.counted(found.requests, 'request')} of ${found.schema} to namespace ${namespace}, ${between(found)}.`,
    ],
    unknown: [
      'Whether the users of that namespace belong together: as one flow they wait behind each other.',
      'Requests without a namespace then share one flow.',
    ],
  }
}

/** Flows are namespaces, and one user of the namespace sends most of its requests. */
function oneUser(found: SchemaFlows, { namespace, users, requests }: Worst): Wrong | undefined {
  const [heaviest, ...others] = [...users].toSorted(([, a], [, b]) => b - a)
  const behind = others.filter(([, count]) => count >= LEAST_OF_USER)
  if (heaviest === undefined || heaviest[1] < DOMINANT * found.requests || behind.length === 0) return undefined
  return {
    to: 'ByUser',
    text: `Other users of ${namespace} no longer share a flow with ${heaviest[0]}, and do not wait behind its requests.`,
    evidence: [
      `${heaviest[0]} sent ${plain.amount(heaviest[1])} of ${plain.counted(requests, 'request')} to namespace ${namespace} under ${found.schema}, ${between(found)}; ${plain.counted(behind.length, 'other user')} sent ${LEAST_OF_USER} or more.`,
    ],
    unknown: [
      'Whether one person or program has many user names: as several flows they can get more than the one flow did.',
    ],
  }
}
