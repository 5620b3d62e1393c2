import type { ObjectSet, PolicyRules } from '../config/objects.ts'
import type { RequestSample } from '../contract/objects.ts'
import { knownResource } from './builtInResources.ts'
import { identityOf, serviceAccountOf, accountName } from './identity.ts'
import { type ResourceFields, addressOf, fieldsOf } from './requestFields.ts'
import { type Landing, landings } from './configuration.ts'

/** A similar request that goes to another flow schema. */
export interface NearbyRequest extends Landing {
  /** The difference: `account in namespace kube-system`, `GET /readyz instead`. */
  readonly change: string
  readonly request: RequestSample
}

type Candidate = Pick<NearbyRequest, 'change' | 'request'>

const MOST = 6
const SOME_NAME = 'some-name'
const MASTERS = 'system:masters'
const KUBE_SYSTEM = 'kube-system'
/** Every user is in one of them, so membership is not a change. */
const EVERYBODY = new Set(['system:authenticated', 'system:unauthenticated', '*'])

/** Similar requests that go to other flow schemas, the simplest change first and one for each schema. */
export function whatWouldChange(objects: ObjectSet, request: RequestSample, most = MOST): readonly NearbyRequest[] {
  const land = landings(objects)
  const here = land(request)
  if (!here.ok) return []
  const known = new Set([here.flowSchema])
  const found: NearbyRequest[] = []
  for (const candidate of candidates(objects, request)) {
    const there = land(candidate.request)
    if (!there.ok || known.has(there.flowSchema)) continue
    known.add(there.flowSchema)
    found.push({ ...candidate, flowSchema: there.flowSchema, priorityLevel: there.priorityLevel })
    if (found.length === most) break
  }
  return found
}

function candidates({ schemas }: ObjectSet, request: RequestSample): readonly Candidate[] {
  const rules = schemas.flatMap(({ spec }) => spec.rules ?? [])
  return [...otherSenders(request), ...otherRequests(request), ...namedByRules(rules, request)]
}

const as = (request: RequestSample, user: string): RequestSample => ({
  ...request,
  user,
  groups: [...identityOf(user).groups],
})

/** The part of a user's name that may be the name of a service account. */
const shortName = (user: string): string => user.split(/[^a-z0-9-]+/i).findLast((part) => part !== '') ?? 'some-account'

function otherSenders(request: RequestSample): readonly Candidate[] {
  const { user, groups } = request
  const account = serviceAccountOf(user)
  const name = account?.name ?? shortName(user)
  const kubeSystem: Candidate = {
    change: account === undefined ? 'a service account of kube-system' : `account in namespace ${KUBE_SYSTEM}`,
    request: as(request, accountName(KUBE_SYSTEM, name)),
  }
  const otherKind: Candidate =
    account === undefined
      ? { change: 'a service account', request: as(request, accountName('default', name)) }
      : { change: 'not a service account', request: as(request, name) }
  return [
    ...(account?.namespace === KUBE_SYSTEM ? [] : [kubeSystem]),
    ...(groups.includes(MASTERS)
      ? []
      : [{ change: `user in group ${MASTERS}`, request: { ...request, groups: [...groups, MASTERS] } }]),
    otherKind,
  ]
}

function otherRequests(request: RequestSample): readonly Candidate[] {
  const fields = fieldsOf(request)
  const probe: Candidate = { change: 'GET /readyz instead', request: { ...request, method: 'GET', url: '/readyz' } }
  if (fields?.kind !== 'resource') {
    const pods: Candidate = {
      change: 'a list of pods instead',
      request: { ...request, method: 'GET', url: '/api/v1/pods' },
    }
    return [probe, pods]
  }
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'].filter((verb) => verb !== fields.verb)
  return [
    probe,
    ...verbs.flatMap((verb) => withFields(request, `${verb} instead of ${fields.verb}`, withVerb(fields, verb))),
  ]
}

const withVerb = (fields: ResourceFields, verb: string): ResourceFields => {
  const ofObject = !['list', 'watch', 'create'].includes(verb)
  return {
    ...fields,
    verb,
    name: ofObject ? fields.name || SOME_NAME : '',
    subresource: ofObject ? fields.subresource : '',
    options: [],
  }
}

function withFields(request: RequestSample, change: string, fields: ResourceFields): readonly Candidate[] {
  const address = addressOf(fields)
  return 'problem' in address ? [] : [{ change, request: { ...request, ...address } }]
}

/** Subjects and targets that the rules of the configuration name. */
function namedByRules(rules: readonly PolicyRules[], request: RequestSample): readonly Candidate[] {
  const subjects = rules.flatMap((rule) => rule.subjects ?? [])
  const fields = fieldsOf(request)
  return [
    ...subjects.flatMap(({ user, group, serviceAccount }): Candidate[] => {
      if (group !== undefined && !EVERYBODY.has(group.name)) {
        return [
          { change: `user in group ${group.name}`, request: { ...request, groups: [...request.groups, group.name] } },
        ]
      }
      if (user !== undefined && user.name !== '*')
        return [{ change: `user ${user.name}`, request: as(request, user.name) }]
      if (serviceAccount === undefined) return []
      const { namespace, name } = serviceAccount
      const change = `account in namespace ${namespace}`
      return [{ change, request: as(request, accountName(namespace, name === '*' ? shortName(request.user) : name)) }]
    }),
    ...(fields?.kind === 'resource' ? rules.flatMap((rule) => otherResources(rule, request, fields)) : []),
  ]
}

function otherResources(rule: PolicyRules, request: RequestSample, fields: ResourceFields): readonly Candidate[] {
  return (rule.resourceRules ?? []).flatMap(({ resources, namespaces = [] }) => [
    ...namespaces
      .filter((namespace) => namespace !== '*' && fields.namespace !== '')
      .flatMap((namespace) => withFields(request, `in namespace ${namespace}`, { ...fields, namespace })),
    ...resources.flatMap((resource) => {
      const known = knownResource(resource)
      const { namespace } = fields
      if (known === undefined || known.resource === fields.resource) return []
      const place = known.namespaced ? namespace || 'default' : ''
      return withFields(request, `${resource} instead of ${fields.resource}`, {
        ...fields,
        ...known,
        subresource: '',
        namespace: place,
        options: [],
      })
    }),
  ])
}
