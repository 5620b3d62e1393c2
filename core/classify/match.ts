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

/** Specification 2.4. */
export function matchesResourceRule(rule: ResourceRule, info: RequestInfo): boolean {
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  return (
    contains(rule.verbs, info.verb) &&
    contains(rule.resources, resource) &&
    contains(rule.apiGroups, info.apiGroup) &&
    (info.namespace === '' ? rule.clusterScope === true : contains(rule.namespaces, info.namespace))
  )
}

/** Every entry also matches what lies below it, with or without a `*` at its end (trap T32). */
function matchesUrl(entry: string, path: string): boolean {
  if (entry === '*' || entry === path) return true
  const bare = entry.endsWith('*') ? entry.slice(0, -1) : entry
  return path.startsWith(bare.endsWith('/') ? bare : `${bare}/`)
}

/** Specification 2.5. */
export function matchesNonResourceRule(rule: NonResourceRule, info: RequestInfo): boolean {
  return contains(rule.verbs, info.verb) && (rule.nonResourceURLs ?? []).some((entry) => matchesUrl(entry, info.path))
}

export function matchesRules(rules: PolicyRules, { user, info }: RequestDigest): boolean {
  if (!(rules.subjects ?? []).some((subject) => matchesSubject(subject, user))) return false
  return info.isResource
    ? (rules.resourceRules ?? []).some((rule) => matchesResourceRule(rule, info))
    : (rules.nonResourceRules ?? []).some((rule) => matchesNonResourceRule(rule, info))
}

/** Whether any rule of the schema matches, whatever level it refers to. */
export const matchesFlowSchema = ({ spec }: FlowSchema, digest: RequestDigest): boolean =>
  (spec.rules ?? []).some((rules) => matchesRules(rules, digest))
