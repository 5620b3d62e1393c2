import type { Finding } from './finding.ts'
import type { NonResourceRule, PolicyRules, ResourceRule, Subject } from './objects.ts'
import { entry, member, quoted, repeated, suspicious } from './problems.ts'
import { WILDCARD } from './validateRules.ts'

/** Rules that a server accepts and that match nothing, or something else than they seem to (specification 2.3 to 2.5). */
export function ruleSuspicions(rules: readonly PolicyRules[]): Finding[] {
  if (rules.length === 0) {
    const message = 'A schema without rules matches no requests: add a rule, or delete the schema.'
    return [suspicious('spec.rules', message, 'FieldValueRequired')]
  }
  return rules.flatMap(({ subjects, resourceRules = [], nonResourceRules = [] }, index) => {
    const at = entry('spec.rules', index)
    return [
      ...subjects.flatMap((subject, i) => subjectSuspicions(subject, entry(member(at, 'subjects'), i))),
      ...resourceRules.flatMap((rule, i) => resourceSuspicions(rule, entry(member(at, 'resourceRules'), i))),
      ...nonResourceRules.flatMap((rule, i) => nonResourceSuspicions(rule, entry(member(at, 'nonResourceRules'), i))),
    ]
  })
}

function subjectSuspicions(subject: Subject, at: string): Finding[] {
  return (['user', 'group'] as const).flatMap((key) => {
    const name = subject[key]?.name ?? ''
    if (name === WILDCARD || !name.includes(WILDCARD)) return []
    const message = `“*” is a wildcard only alone: the ${key} ${quoted(name)} is one with exactly this name.`
    return [suspicious(member(member(at, key), 'name'), message)]
  })
}

const resourceSuspicions = ({ verbs, apiGroups, resources, namespaces = [] }: ResourceRule, at: string): Finding[] => [
  ...repeated(verbs, member(at, 'verbs')),
  ...repeated(apiGroups, member(at, 'apiGroups')),
  ...eachOf(apiGroups, member(at, 'apiGroups'), groupProblem),
  ...repeated(resources, member(at, 'resources')),
  ...eachOf(resources, member(at, 'resources'), resourceProblem),
  ...repeated(namespaces, member(at, 'namespaces')),
]

function groupProblem(group: string): string | undefined {
  if (group === 'core' || group === 'v1') return 'The name of the core group is empty: write “”.'
  if (group.includes('/'))
    return `${quoted(group)} matches no requests: name the group without its version, ${quoted(group.split('/', 1)[0] ?? '')}.`
  return starProblem(group)
}

function resourceProblem(resource: string): string | undefined {
  if (/[A-Z]/.test(resource))
    return `${quoted(resource)} matches no requests: write the resource as in paths, in lower case and plural.`
  if (resource.includes('.'))
    return `${quoted(resource)} matches no requests: write the resource alone and its group in apiGroups.`
  const [parent, subresource] = resource.split('/', 2)
  if (subresource === WILDCARD)
    return `${quoted(resource)} matches no requests, for “*” is a wildcard only alone: list each subresource, such as ${quoted(`${parent}/status`)}.`
  return starProblem(resource)
}

const starProblem = (value: string): string | undefined =>
  value !== WILDCARD && value.includes(WILDCARD)
    ? `${quoted(value)} matches no requests, for “*” is a wildcard only alone: list the names.`
    : undefined

/** Verbs that can be named and are no HTTP methods, of which non-resource requests have theirs. */
const NO_METHODS = new Set(['list', 'create', 'update', 'deletecollection', 'watch', 'proxy'])

const nonResourceSuspicions = ({ verbs, nonResourceURLs }: NonResourceRule, at: string): Finding[] => [
  ...repeated(verbs, member(at, 'verbs')),
  ...repeated(nonResourceURLs, member(at, 'nonResourceURLs')),
  ...eachOf(verbs, member(at, 'verbs'), (verb) =>
    NO_METHODS.has(verb)
      ? `${quoted(verb)} matches no requests: a request for a path has its HTTP method for a verb, so write “get”, “patch”, “delete” or “*”.`
      : undefined,
  ),
  ...eachOf(nonResourceURLs, member(at, 'nonResourceURLs'), (path) =>
    path === '/'
      ? '“/” matches every path, not only the root: write “*” if that is meant, or list the paths.'
      : undefined,
  ),
]

const eachOf = (values: readonly string[], at: string, problem: (value: string) => string | undefined): Finding[] =>
  values.flatMap((value, index) => {
    const message = problem(value)
    return message === undefined ? [] : [suspicious(entry(at, index), message)]
  })
