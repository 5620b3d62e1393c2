import { plural } from '../text/format.ts'
import type { NonResourceRule, PolicyRules, ResourceRule, Subject } from '../config/objects.ts'
import { listed } from '../text/text.ts'

/** The criteria of a rule, in the order of the columns on the screen. */
export const CRITERIA = ['who', 'verb', 'group', 'resource', 'scope', 'url'] as const
export type Criterion = (typeof CRITERIA)[number]

/** A list of names that does not contain that of the request. An empty `found` is the core group, or no verb at all. */
export interface NotListed<C extends Criterion> {
  readonly criterion: C
  readonly cause: 'not-listed'
  readonly wanted: readonly string[]
  readonly found: string
}

/** Why a rule does not match, as data (specification 2.3 – 2.5); `mismatchText` formats it. */
export type Mismatch =
  | { readonly criterion: 'who'; readonly cause: 'not-listed'; readonly subjects: readonly Subject[] }
  /** The rule has only rules for the other type of request, or none at all. */
  | { readonly criterion: 'resource' | 'url'; readonly cause: 'other-rules-only' }
  | { readonly criterion: 'resource' | 'url'; readonly cause: 'no-rules' }
  | NotListed<'verb'>
  | NotListed<'group'>
  | NotListed<'resource'>
  | NotListed<'url'>
  | {
      readonly criterion: 'scope'
      readonly cause: 'not-listed'
      /** Namespace of the request; empty when it has none. */
      readonly found: string
      readonly namespaces: readonly string[]
      readonly clusterScope: boolean
    }

/** Names that a sentence contains before the rest are only counted. */
const MOST_NAMES = 3

function enumerate(names: readonly string[], word: 'and' | 'or'): string {
  const shown = names.length > MOST_NAMES + 1 ? names.slice(0, MOST_NAMES) : names
  const rest = names.length - shown.length
  return listed(rest === 0 ? shown : [...shown, `${rest} more`], word)
}

function subjectText({ kind, user, group, serviceAccount }: Subject): string {
  if (kind === 'User' && user !== undefined) return user.name === '*' ? 'any user' : `user ${user.name}`
  if (kind === 'Group' && group !== undefined) return group.name === '*' ? 'any group' : `group ${group.name}`
  if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
    const { namespace, name } = serviceAccount
    return name === '*' ? `a ${namespace} service account` : `service account ${namespace}/${name}`
  }
  return 'an invalid subject'
}

function whoText(subjects: readonly Subject[]): string {
  const [first] = subjects
  if (first === undefined) return 'has no subjects'
  const groups = subjects.flatMap(({ kind, group }) => (kind === 'Group' && group !== undefined ? [group.name] : []))
  if (groups.length === subjects.length) {
    return plural(groups.length, `not in group ${groups.join('')}`, `in none of the groups ${enumerate(groups, 'and')}`)
  }
  return `needs ${enumerate(subjects.map(subjectText), 'or')}`
}

const groupText = (group: string): string => (group === '' ? 'the core group' : group)

function scopeText({ found, namespaces, clusterScope }: Extract<Mismatch, { criterion: 'scope' }>): string {
  if (found === '') {
    return clusterScope ? 'covers the request' : 'clusterScope is false and the request has no namespace'
  }
  if (namespaces.length === 0) return `covers only requests without a namespace, and the request is for ${found}`
  const names = `${plural(namespaces.length, 'namespace', 'namespaces')} ${enumerate(namespaces, 'and')}`
  return `names ${names}, and the request is for ${found}`
}

const coverText = (what: string, wanted: readonly string[]): string =>
  wanted.length === 0 ? `names no ${what}` : `covers ${enumerate(wanted, 'and')}`

/** One sentence without a subject and a full stop, to follow the schema's name. */
export function mismatchText(mismatch: Mismatch): string {
  if (mismatch.cause === 'no-rules') return 'has neither resource rules nor non-resource rules'
  if (mismatch.cause === 'other-rules-only') {
    return mismatch.criterion === 'resource' ? 'only has non-resource rules' : 'only has resource rules'
  }
  switch (mismatch.criterion) {
    case 'who':
      return whoText(mismatch.subjects)
    case 'verb':
      return `${coverText('verb', mismatch.wanted)}, and the verb is ${mismatch.found === '' ? 'none' : mismatch.found}`
    case 'group':
      return `${coverText('API group', mismatch.wanted.map(groupText))}, and the request is for ${groupText(mismatch.found)}`
    case 'resource':
      return `${coverText('resource', mismatch.wanted)}, and the request is for ${mismatch.found}`
    case 'scope':
      return scopeText(mismatch)
    case 'url':
      return `${coverText('path', mismatch.wanted)}, and the request is for ${mismatch.found}`
  }
}

export const isAll = (list: readonly string[] | undefined): boolean => list?.length === 1 && list[0] === '*'

function resourceRuleText(rule: ResourceRule): string {
  const { verbs, resources, apiGroups, namespaces, clusterScope } = rule
  const where = isAll(namespaces)
    ? clusterScope === true
      ? ''
      : ' in every namespace'
    : clusterScope === true && (namespaces ?? []).length === 0
      ? ' outside namespaces'
      : ` in ${enumerate(namespaces ?? [], 'and')}`
  const what = isAll(resources)
    ? `all resources${isAll(apiGroups) ? '' : ` of ${enumerate(apiGroups.map(groupText), 'and')}`}`
    : enumerate(resources, 'and')
  return `${isAll(verbs) ? '' : `${enumerate(verbs, 'and')} `}${what}${where}`
}

const nonResourceRuleText = ({ verbs, nonResourceURLs }: NonResourceRule): string =>
  `${isAll(verbs) ? '' : `${enumerate(verbs, 'and')} `}${isAll(nonResourceURLs) ? 'all paths' : enumerate(nonResourceURLs, 'and')}`

/** Why a rule matches: `group system:serviceaccounts, all resources`. Indexes are those of the parts that match. */
export function matchText(
  rules: PolicyRules,
  subject: number,
  part: { readonly kind: 'resourceRules' | 'nonResourceRules'; readonly index: number },
): string {
  const who = rules.subjects[subject]
  const resource = part.kind === 'resourceRules' ? rules.resourceRules?.[part.index] : undefined
  const path = part.kind === 'nonResourceRules' ? rules.nonResourceRules?.[part.index] : undefined
  return [
    ...(who === undefined ? [] : [subjectText(who)]),
    ...(resource === undefined ? [] : [resourceRuleText(resource)]),
    ...(path === undefined ? [] : [nonResourceRuleText(path)]),
  ].join(', ')
}
