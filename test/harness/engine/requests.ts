import type { User } from '../../../core/request/match.ts'
import { type RequestLine, readRequestLine } from '../../../core/request/requestInfo.ts'
import type { EngineRequest } from '../../../core/engine/ticket.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../../core/config/builtIn.ts'
import type { EngineConfiguration } from '../../../core/engine/apfEngine.ts'

export const DEFAULT_OBJECTS: EngineConfiguration = {
  levels: [...suggestedLevels, ...mandatoryLevels],
  schemas: [...suggestedSchemas, ...mandatorySchemas],
}

const LINES: readonly (readonly [method: string, target: string])[] = [
  ['GET', '/api/v1/namespaces/default/pods/one'],
  ['GET', '/apis/apps/v1/namespaces/default/deployments/web'],
  ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n'],
  ['PATCH', '/api/v1/namespaces/default/pods/one/status'],
  ['POST', '/api/v1/namespaces/default/events'],
  ['DELETE', '/api/v1/namespaces/default/pods/one'],
  ['GET', '/api/v1/pods?limit=500&resourceVersion=0'],
  ['GET', '/api/v1/namespaces/default/configmaps?labelSelector=app%3Dweb'],
  ['GET', '/api/v1/pods?watch=1&resourceVersion=12'],
  ['GET', '/api/v1/namespaces/default/pods?watch=1'],
  ['GET', '/healthz/etcd'],
  ['POST', '/api/v1/namespaces/default/pods/one/exec'],
]

/** Objects that lists of the requests below are estimated by. */
export const OBJECT_STATISTICS = [
  ['pods', 20_000, 4_000],
  ['configmaps', 900, 2_000],
] as const

export const requestLines: readonly Extract<RequestLine, { ok: true }>[] = LINES.map(([method, target]) => {
  const line = readRequestLine(method, target)
  if (!line.ok) throw new Error(line.problem)
  return line
})

const EVERYBODY = 'system:authenticated'
/** Groups of the service accounts of a namespace: one list for all of them. */
const serviceAccountGroups = Array.from({ length: 100 }, (_, i) => [
  'system:serviceaccounts',
  `system:serviceaccounts:ns-${i}`,
  EVERYBODY,
])

/** Users of every kind that the default schemas distinguish; the `i`th of any number. */
export function userNumber(i: number): User {
  switch (i % 8) {
    case 0:
      return { name: `system:node:node-${i}`, groups: ['system:nodes', EVERYBODY] }
    case 1:
      return { name: `user-${i}`, groups: [EVERYBODY] }
    case 2:
      return { name: 'system:kube-controller-manager', groups: [EVERYBODY] }
    case 3:
      return {
        name: `system:serviceaccount:kube-system:controller-${i}`,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', EVERYBODY],
      }
    case 4:
      return i % 64 === 4
        ? { name: 'admin', groups: ['system:masters', EVERYBODY] }
        : { name: `outsider-${i}`, groups: [] }
    default:
      return {
        name: `system:serviceaccount:ns-${i % 100}:account-${i}`,
        groups: serviceAccountGroups[i % 100] ?? [],
      }
  }
}

/** One request for each pairing of users and lines that comes up when both are gone through in turn. */
export function requestsOf(users: number): readonly EngineRequest<undefined>[] {
  return Array.from({ length: users * requestLines.length }, (_, i) => {
    const line = requestLines[i % requestLines.length]
    if (line === undefined) throw new Error('there are no request lines')
    return { user: userNumber(i % users), info: line.info, query: line.query, payload: undefined }
  })
}
