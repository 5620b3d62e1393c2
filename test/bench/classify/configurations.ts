import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../../core/config/builtIn.ts'
import type { FlowSchema, ObjectSet, PolicyRules, ResourceRule, Subject } from '../../../core/config/objects.ts'
import type { RequestSample } from '../../../core/contract/objects.ts'
import { splitmix } from '../engine/splitmix.ts'

const builtIn: ObjectSet = {
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemas],
}

/** The built-in objects with as many schemas of tenants as it takes to have `schemas`. */
export const configurationWith = (schemas: number): ObjectSet => ({
  levels: builtIn.levels,
  schemas: [...builtIn.schemas, ...Array.from({ length: schemas - builtIn.schemas.length }, (_, i) => tenantSchema(i))],
})

const rule = (rest: Partial<ResourceRule>): ResourceRule => ({
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  namespaces: ['*'],
  ...rest,
})

/** Four sorts of schemas as people write them, before service-accounts and global-default in the matching order. */
function tenantSchema(i: number): FlowSchema {
  const namespace = `tenant-${i}`
  const account = (name: string): Subject => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } })
  const sorts: readonly PolicyRules[] = [
    {
      subjects: [account('*')],
      resourceRules: [
        rule({ namespaces: [namespace] }),
        rule({ resources: ['nodes', 'pods'], clusterScope: true, verbs: ['get', 'list', 'watch'] }),
      ],
    },
    {
      subjects: [account('operator'), account('builder')],
      resourceRules: [rule({ apiGroups: ['', 'apps'], resources: ['pods', 'deployments', 'deployments/scale'] })],
    },
    {
      subjects: [{ kind: 'Group', group: { name: `team-${i}` } }],
      resourceRules: [rule({ verbs: ['list', 'watch'], clusterScope: true })],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/version/*'] }],
    },
    {
      subjects: [{ kind: 'Group', group: { name: 'system:serviceaccounts' } }],
      resourceRules: [rule({ verbs: ['delete', 'deletecollection'], namespaces: [namespace] })],
    },
  ]
  const chosen = sorts[i % sorts.length]
  return {
    metadata: { name: `schema-${i}` },
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      matchingPrecedence: 1_000 + i,
      distinguisherMethod: { type: 'ByUser' },
      rules: chosen === undefined ? [] : [chosen],
    },
  }
}

const REQUESTS = 1_024
const URLS = [
  ['GET', (namespace: string) => `/api/v1/namespaces/${namespace}/pods?limit=500`],
  ['GET', (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps/settings`],
  ['POST', (namespace: string) => `/api/v1/namespaces/${namespace}/pods`],
  ['PATCH', (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`],
  ['PUT', (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/leader`],
  ['DELETE', (namespace: string) => `/api/v1/namespaces/${namespace}/pods/web-0`],
  ['GET', () => '/api/v1/nodes?watch=1&resourceVersion=5'],
  ['GET', () => '/healthz'],
] as const

const AUTHENTICATED = 'system:authenticated'

function sender(kind: number, i: number): Pick<RequestSample, 'user' | 'groups'> {
  const account = (namespace: string, name: string) => ({
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  })
  switch (kind) {
    case 0:
      return { user: `system:node:node-${i}`, groups: ['system:nodes', AUTHENTICATED] }
    case 1:
      return { user: `person-${i}`, groups: [`team-${i}`, 'people', AUTHENTICATED] }
    case 2:
      return { user: 'system:kube-controller-manager', groups: [AUTHENTICATED] }
    case 3:
      return account('kube-system', `controller-${i}`)
    default:
      return account(`tenant-${i}`, kind === 4 ? 'operator' : 'web')
  }
}

/** Requests of nodes, people, controllers and, half of them, service accounts of as many tenants as there are schemas. */
export const requestsFor = (schemas: number): readonly RequestSample[] =>
  Array.from({ length: REQUESTS }, (_, i) => {
    const hash = splitmix(i)
    const tenant = Number(hash % BigInt(schemas))
    const [method, urlIn] = URLS[Number((hash >> 16n) % BigInt(URLS.length))] ?? URLS[0]
    return { ...sender(Number((hash >> 32n) % 8n), tenant), method, url: urlIn(`tenant-${tenant}`) }
  })
