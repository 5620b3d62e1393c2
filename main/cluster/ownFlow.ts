import type { IncomingHttpHeaders } from 'node:http'
import { stringify } from 'yaml'
import { FLOW_CONTROL_GROUP, type ReviewContext, FLOW_CONTROL_RESOURCES } from './accessReview.ts'
import { listObjects } from './listObjects.ts'
import type { Stored } from '../../core/config/schema.ts'
import { serviceAccountOf } from '../../core/classify/identity.ts'

type SchemaObject = Stored<'FlowSchema'>

/** How the server classified a request of the console: from the headers of its response (specification 4.14). */
export interface FlowUids {
  readonly schema: string
  readonly level: string
}

export function flowUids(headers: IncomingHttpHeaders): FlowUids | undefined {
  const schema = headers['x-kubernetes-pf-flowschema-uid']
  const level = headers['x-kubernetes-pf-prioritylevel-uid']
  return typeof schema === 'string' && typeof level === 'string' ? { schema, level } : undefined
}

/** The schema and level that match the console's own requests, and whether other work shares that level. */
export interface OwnFlow {
  readonly schema: string
  readonly precedence: number
  readonly level: string
  readonly exempt: boolean
  readonly shared: boolean
}

/** Resolves the headers through the objects; `undefined` when these may not be listed or do not contain them. */
export async function readOwnFlow(context: ReviewContext, uids: FlowUids): Promise<OwnFlow | undefined> {
  const schemas = await listObjects('FlowSchema', context)
  const levels = await listObjects('PriorityLevelConfiguration', context)
  return schemas.ok && levels.ok ? findOwnFlow(uids, schemas.items, levels.items) : undefined
}

export function findOwnFlow(
  uids: FlowUids,
  schemas: readonly SchemaObject[],
  levels: readonly Stored<'PriorityLevelConfiguration'>[],
): OwnFlow | undefined {
  const schema = schemas.find((candidate) => candidate.metadata.uid === uids.schema)
  const level = levels.find((candidate) => candidate.metadata.uid === uids.level)
  if (schema === undefined || level === undefined) return undefined
  const { name } = level.metadata
  const feeding = schemas.filter((candidate) => candidate.spec.priorityLevelConfiguration.name === name)
  return {
    schema: schema.metadata.name,
    precedence: schema.spec.matchingPrecedence,
    level: name,
    exempt: level.spec.type === 'Exempt',
    shared: !feeding.every(isNarrow),
  }
}

/** Whether a schema matches only reads of the server itself and of flow-control objects: no workload uses it. */
function isNarrow({ spec }: SchemaObject): boolean {
  const groups = (spec.rules ?? []).flatMap((rule) => rule.resourceRules ?? []).flatMap((rule) => rule.apiGroups ?? [])
  return groups.every((group) => group === FLOW_CONTROL_GROUP)
}

/**
 * The permissions that can be granted separately: each part always stands for the same rules, so a role's name
 * identifies its contents.
 */
const GRANTS = ['version', 'metrics', 'dumps', 'objects', 'edit'] as const
export type Grant = (typeof GRANTS)[number]

const DUMPS = '/debug/api_priority_and_fairness'
const RULES: Readonly<Record<Grant, object>> = {
  version: { nonResourceURLs: ['/version'], verbs: ['get'] },
  metrics: { nonResourceURLs: ['/metrics'], verbs: ['get'] },
  dumps: {
    nonResourceURLs: [`${DUMPS}/dump_priority_levels`, `${DUMPS}/dump_queues`, `${DUMPS}/dump_requests`],
    verbs: ['get'],
  },
  objects: { apiGroups: [FLOW_CONTROL_GROUP], resources: [...FLOW_CONTROL_RESOURCES], verbs: ['get', 'list', 'watch'] },
  edit: {
    apiGroups: [FLOW_CONTROL_GROUP],
    resources: [...FLOW_CONTROL_RESOURCES],
    verbs: ['create', 'update', 'patch', 'delete'],
  },
}

const ROLE_GROUP = 'rbac.authorization.k8s.io'

/**
 * ClusterRole and ClusterRoleBinding that give `user` the grants, as YAML for `kubectl apply`. The names are derived
 * from the grants and the user, so that applying them never revokes what an earlier report granted.
 */
export function roleYaml(user: string, grants: readonly Grant[]): string {
  const wanted = GRANTS.filter((grant) => grants.includes(grant))
  const name = `apf-console-${wanted.join('-')}`
  return documents(`What the console lacks as user ${user}`, [
    {
      apiVersion: `${ROLE_GROUP}/v1`,
      kind: 'ClusterRole',
      metadata: { name },
      rules: wanted.map((grant) => RULES[grant]),
    },
    {
      apiVersion: `${ROLE_GROUP}/v1`,
      kind: 'ClusterRoleBinding',
      // Names of RBAC objects may contain any characters but these two.
      metadata: { name: `${name}:${user.replaceAll(/[/%]/g, '-')}` },
      roleRef: { apiGroup: ROLE_GROUP, kind: 'ClusterRole', name },
      subjects: [roleSubject(user)],
    },
  ])
}

function roleSubject(user: string): object {
  const account = serviceAccountOf(user)
  return account === undefined
    ? { apiGroup: ROLE_GROUP, kind: 'User', name: user }
    : { kind: 'ServiceAccount', ...account }
}

/**
 * The matching precedence of the console's own schema: before the service accounts and the defaults, after the system's
 * own.
 */
const OWN_PRECEDENCE = 450

/**
 * A priority level for the console and the flow schema that assigns `user` to it, as YAML (specification 1). `flow` is
 * where the requests go now; the console's own schema must be matched before that schema.
 */
export function ownLevelYaml(user: string, flow: OwnFlow | undefined): string {
  const now =
    flow === undefined
      ? 'The current level of its requests could not be read'
      : `Schema ${flow.schema} currently assigns its requests to level ${flow.level}, which other clients share`
  const account = serviceAccountOf(user)
  const subject =
    account === undefined ? { kind: 'User', user: { name: user } } : { kind: 'ServiceAccount', serviceAccount: account }
  const precedence = Math.max(2, Math.min(OWN_PRECEDENCE, (flow?.precedence ?? Number.POSITIVE_INFINITY) - 1))
  return documents(
    `A priority level of the console's own, so that it sees the server under overload.\n# ${now}; 5 shares are about 2 % of the seats of a server with the built-in levels`,
    [
      {
        apiVersion: `${FLOW_CONTROL_GROUP}/v1`,
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'apf-console' },
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 5,
            lendablePercent: 0,
            limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 50 } },
          },
        },
      },
      {
        apiVersion: `${FLOW_CONTROL_GROUP}/v1`,
        kind: 'FlowSchema',
        metadata: { name: `apf-console-${dnsName(user)}` },
        spec: {
          priorityLevelConfiguration: { name: 'apf-console' },
          matchingPrecedence: precedence,
          distinguisherMethod: { type: 'ByUser' },
          rules: [
            {
              subjects: [subject],
              nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics', `${DUMPS}/*`, '/version'] }],
              resourceRules: [{ verbs: ['*'], apiGroups: [FLOW_CONTROL_GROUP], resources: ['*'], clusterScope: true }],
            },
          ],
        },
      },
    ],
  )
}

/** A valid name of a Kubernetes object (RFC 1123), derived from any user name. */
function dnsName(user: string): string {
  return user
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 200)
}

function documents(comment: string, objects: readonly object[]): string {
  const yaml = objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }))
  return `# ${comment}.\n${yaml.join('---\n')}`
}
