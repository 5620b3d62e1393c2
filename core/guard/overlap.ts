import { type User, matchesNonResourceRule, matchesSubject } from '../request/match.ts'
import type { FlowSchema, NonResourceRule, PolicyRules, ResourceRule, Subject } from '../config/objects.ts'
import { AUTHENTICATED, SERVICE_ACCOUNTS, UNAUTHENTICATED, pathInfos, usersOf } from './representatives.ts'

/** Whether there is a request that both schemas match, whatever comes before them. */
export const overlap = (a: FlowSchema, b: FlowSchema): boolean =>
  some(a.spec.rules, b.spec.rules, (x, y) => some(x.subjects, y.subjects, subjectsMeet) && requestsMeet(x, y))

const some = <T>(a: readonly T[] | undefined, b: readonly T[] | undefined, meet: (x: T, y: T) => boolean): boolean =>
  (a ?? []).some((x) => (b ?? []).some((y) => meet(x, y)))

const requestsMeet = (a: PolicyRules, b: PolicyRules): boolean =>
  some(a.resourceRules, b.resourceRules, resourcesMeet) || some(a.nonResourceRules, b.nonResourceRules, pathsMeet)

/** A user of both has the name that one of them asks for, and what groups both of them ask for. */
const subjectsMeet = (a: Subject, b: Subject): boolean =>
  some(usersOf(a), usersOf(b), (x, y) => {
    const groups = [...new Set([...x.groups, ...y.groups])]
    if (!canBeOneUser(groups)) return false
    return [x.name, y.name].some((name) => {
      const user: User = { name, groups }
      return matchesSubject(a, user) && matchesSubject(b, user)
    })
  })

/** Nobody is authenticated and is not, and no service account is of two namespaces. */
const canBeOneUser = (groups: readonly string[]): boolean =>
  !(groups.includes(AUTHENTICATED) && groups.includes(UNAUTHENTICATED)) &&
  groups.filter((group) => group.startsWith(`${SERVICE_ACCOUNTS}:`)).length < 2

const resourcesMeet = (a: ResourceRule, b: ResourceRule): boolean =>
  namesMeet(a.verbs, b.verbs) &&
  namesMeet(a.apiGroups, b.apiGroups) &&
  namesMeet(a.resources, b.resources) &&
  ((a.clusterScope === true && b.clusterScope === true) || namesMeet(a.namespaces, b.namespaces))

/** What two entries match are lists of paths and trees of them: if they meet, one is within the other. */
const pathsMeet = (a: NonResourceRule, b: NonResourceRule): boolean =>
  namesMeet(a.verbs, b.verbs) && (within(a, b) || within(b, a))

function within(a: NonResourceRule, b: NonResourceRule): boolean {
  const anyVerb = { ...b, verbs: ['*'] }
  return [...pathInfos(a)].some((info) => matchesNonResourceRule(anyVerb, info))
}

const isAll = (list: readonly string[]): boolean => list.length === 1 && list[0] === '*'

function namesMeet(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined || a.length === 0 || b.length === 0) return false
  return isAll(a) || isAll(b) || a.some((name) => b.includes(name))
}
