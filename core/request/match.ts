import type { FlowSchema, NonResourceRule, PolicyRules, ResourceRule, Subject } from '../config/objects.ts'
import type { RequestInfo } from './requestInfo.ts'

/** Who asks, after impersonation. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
}

/** What flow schemas look at (specification 2.1). */
export interface RequestDigest {
  readonly user: User
  readonly info: RequestInfo
}

/** `*` means everything only as the one element of a list (trap T33). */
const contains = (list: readonly string[] | undefined, item: string): boolean =>
  list !== undefined && ((list.length === 1 && list[0] === '*') || list.includes(item))

/** Specification 2.3. */
export function matchesSubject(subject: Subject, user: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user !== undefined && (subject.user.name === '*' || subject.user.name === user.name)
    case 'Group':
      return subject.group !== undefined && (subject.group.name === '*' || user.groups.includes(subject.group.name))
    case 'ServiceAccount': {
      if (subject.serviceAccount === undefined) return false
      const { namespace, name } = subject.serviceAccount
      const prefix = `system:serviceaccount:${namespace}:`
      return name === '*' ? user.name.startsWith(prefix) : user.name === prefix + name
    }
    default:
      return false
  }
}

/** The four things that a resource rule asks (specification 2.4). */
export const matchesVerb = ({ verbs }: ResourceRule | NonResourceRule, info: RequestInfo): boolean =>
  contains(verbs, info.verb)
export const matchesResource = ({ resources }: ResourceRule, info: RequestInfo): boolean =>
  contains(resources, resourceOf(info))
export const matchesGroup = ({ apiGroups }: ResourceRule, info: RequestInfo): boolean =>
  contains(apiGroups, info.apiGroup)
export const matchesScope = ({ clusterScope, namespaces }: ResourceRule, { namespace }: RequestInfo): boolean =>
  namespace === '' ? clusterScope === true : contains(namespaces, namespace)

/** With the subresource, as rules name it: `pods/status`. */
export const resourceOf = ({ resource, subresource }: RequestInfo): string =>
  subresource === '' ? resource : `${resource}/${subresource}`

export const matchesResourceRule = (rule: ResourceRule, info: RequestInfo): boolean =>
  matchesVerb(rule, info) && matchesResource(rule, info) && matchesGroup(rule, info) && matchesScope(rule, info)

/** Every entry also matches what lies below it, with or without a `*` at its end (trap T32). */
function matchesUrl(entry: string, path: string): boolean {
  if (entry === '*' || entry === path) return true
  const bare = entry.endsWith('*') ? entry.slice(0, -1) : entry
  return path.startsWith(bare.endsWith('/') ? bare : `${bare}/`)
}

/** Specification 2.5. */
export const matchesUrls = ({ nonResourceURLs }: NonResourceRule, { path }: RequestInfo): boolean =>
  (nonResourceURLs ?? []).some((entry) => matchesUrl(entry, path))

export const matchesNonResourceRule = (rule: NonResourceRule, info: RequestInfo): boolean =>
  matchesVerb(rule, info) && matchesUrls(rule, info)

export function matchesRules(rules: PolicyRules, { user, info }: RequestDigest): boolean {
  if (!(rules.subjects ?? []).some((subject) => matchesSubject(subject, user))) return false
  return info.isResource
    ? (rules.resourceRules ?? []).some((rule) => matchesResourceRule(rule, info))
    : (rules.nonResourceRules ?? []).some((rule) => matchesNonResourceRule(rule, info))
}

/** Whether any rule of the schema matches, whatever level it refers to. */
export const matchesFlowSchema = ({ spec }: FlowSchema, digest: RequestDigest): boolean =>
  (spec.rules ?? []).some((rules) => matchesRules(rules, digest))
