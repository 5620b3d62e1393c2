import { type Finding, anyOf, entry, member, quoted, rejected } from './finding.ts'
import { isLabel, LABEL_RULE, isSubdomain, SUBDOMAIN_RULE } from './validateMetadata.ts'
import type { NonResourceRule, ResourceRule, Subject } from './objects.ts'

export const WILDCARD = '*'
const VERBS = ['get', 'list', 'create', 'update', 'delete', 'deletecollection', 'patch', 'watch', 'proxy']
/** Verbs of non-resource requests that are not in the list of verbs. */
const HTTP_VERBS = new Set(['post', 'put', 'head', 'options', 'connect', 'trace'])

/** Findings about one entry of `resourceRules` (specification 1.5, rules 7 to 9). */
export const validateResourceRule = (rule: ResourceRule, at: string): Finding[] => [
  ...verbFindings(rule.verbs, member(at, 'verbs')),
  ...wildcardListFindings(
    rule.apiGroups,
    member(at, 'apiGroups'),
    'The rule names no API groups: name some, write “” for the core group or “*” for every group.',
  ),
  ...wildcardListFindings(
    rule.resources,
    member(at, 'resources'),
    'The rule names no resources: name some, or write “*” for every resource and subresource.',
  ),
  ...namespaceFindings(rule, member(at, 'namespaces')),
]

/** Findings about one entry of `nonResourceRules` (specification 1.5, rules 7 and 10). */
export function validateNonResourceRule({ verbs, nonResourceURLs }: NonResourceRule, at: string): Finding[] {
  const urlsAt = member(at, 'nonResourceURLs')
  const missing = 'The rule names no paths: name some, or write “*” for every path.'
  return [
    ...verbFindings(verbs, member(at, 'verbs')),
    ...wildcardListFindings(nonResourceURLs, urlsAt, missing),
    ...(nonResourceURLs.includes(WILDCARD)
      ? []
      : nonResourceURLs.flatMap((path, index) => {
          const problem = pathProblem(path)
          return problem === undefined ? [] : [rejected(entry(urlsAt, index), 'FieldValueInvalid', problem)]
        })),
  ]
}

function verbFindings(verbs: readonly string[], at: string): Finding[] {
  const missing = 'The rule names no verbs: name some, or write “*” for every verb.'
  if (verbs.length === 0 || verbs.includes(WILDCARD)) return wildcardListFindings(verbs, at, missing)
  const unknown = verbs.filter((verb) => !VERBS.includes(verb))
  if (unknown.length === 0) return []
  const reach = unknown.some((verb) => HTTP_VERBS.has(verb.toLowerCase()))
    ? ' Only “*” reaches other HTTP methods of non-resource requests.'
    : ''
  const message = `${unknown.map(quoted).join(', ')} cannot be named as a verb: use ${anyOf(VERBS)}, or “*” alone.${reach}`
  return [rejected(at, 'FieldValueNotSupported', message)]
}

/** A list that must not be empty and in which `*` must be the only entry. */
function wildcardListFindings(values: readonly string[], at: string, missing: string): Finding[] {
  if (values.length === 0) return [rejected(at, 'FieldValueRequired', missing)]
  return values.length > 1 && values.includes(WILDCARD) ? [notAlone(at)] : []
}

const notAlone = (at: string): Finding =>
  rejected(at, 'FieldValueInvalid', '“*” must be the only entry: remove it, or everything else in the list.')

function namespaceFindings({ namespaces = [], clusterScope = false }: ResourceRule, at: string): Finding[] {
  if (namespaces.length === 0 && !clusterScope) {
    const message =
      'The rule names no namespaces: name some, write “*” for every namespace, or set clusterScope for requests without one.'
    return [rejected(at, 'FieldValueRequired', message)]
  }
  if (namespaces.includes(WILDCARD)) return namespaces.length > 1 ? [notAlone(at)] : []
  return namespaces.flatMap((namespace, index) => {
    if (isLabel(namespace)) return []
    const message = `${quoted(namespace)} cannot be the name of a namespace: use ${LABEL_RULE}, or “*” alone in the list.`
    return [rejected(entry(at, index), 'FieldValueInvalid', message)]
  })
}

/** Why a path is invalid, with the fix; the server reports the first reason only. */
function pathProblem(path: string): string | undefined {
  if (path === '') return 'The path is empty: write one that begins with “/”, or remove it.'
  if (path === '/') return undefined
  if (!path.startsWith('/')) return `The path ${quoted(path)} must begin with “/”.`
  if (path.includes(' ')) return `The path ${quoted(path)} must not contain a space.`
  if (path.includes('//')) return `The path ${quoted(path)} must not contain “//”: remove one slash.`
  const stars = path.split(WILDCARD).length - 1
  if (stars > 1 || (stars === 1 && !path.endsWith('/*')))
    return `The path ${quoted(path)} may contain one “*”, as “/*” at its end: write it so, or list the paths.`
  return undefined
}

/** The member that belongs to each kind. */
const MEMBERS = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const
type SubjectKind = keyof typeof MEMBERS

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(MEMBERS, kind)

/** Findings about one subject: a union by `kind` (specification 1.5, rule 6). */
export function validateSubject(subject: Subject, at: string): Finding[] {
  const { kind } = subject
  if (!isSubjectKind(kind)) {
    const is = kind === '' ? 'is missing' : `cannot be ${quoted(kind)}`
    const message = `The kind of a subject ${is}: set it to ${anyOf(Object.keys(MEMBERS))}.`
    return [rejected(member(at, 'kind'), 'FieldValueNotSupported', message)]
  }
  const foreign = Object.values(MEMBERS).filter((key) => key !== MEMBERS[kind] && subject[key] !== undefined)
  return [
    ...memberFindings(subject, kind, member(at, MEMBERS[kind])),
    ...foreign.map((key) =>
      rejected(
        member(at, key),
        'FieldValueForbidden',
        `A subject of kind ${kind} has no ${key}: remove it, or add a subject of its own for it.`,
      ),
    ),
  ]
}

function memberFindings(subject: Subject, kind: SubjectKind, at: string): Finding[] {
  const named = subject[MEMBERS[kind]]
  if (named === undefined) {
    const message = `A subject of kind ${kind} needs ${MEMBERS[kind]}: add it, with a name.`
    return [rejected(at, 'FieldValueRequired', message)]
  }
  const findings: Finding[] = []
  if (named.name === '') {
    const message = `The ${MEMBERS[kind]} of the subject has no name: name one, or write “*” for every one.`
    findings.push(rejected(member(at, 'name'), 'FieldValueRequired', message))
  }
  if (kind !== 'ServiceAccount' || subject.serviceAccount === undefined) return findings
  return [...findings, ...serviceAccountFindings(subject.serviceAccount, at)]
}

function serviceAccountFindings({ namespace, name }: NonNullable<Subject['serviceAccount']>, at: string): Finding[] {
  const findings: Finding[] = []
  if (name !== '' && name !== '*' && !isSubdomain(name)) {
    const message = `${quoted(name)} cannot be the name of a service account: use ${SUBDOMAIN_RULE}, or “*” alone.`
    findings.push(rejected(member(at, 'name'), 'FieldValueInvalid', message))
  }
  if (namespace === '') {
    const message = 'The service account has no namespace: name the one that it is in.'
    findings.push(rejected(member(at, 'namespace'), 'FieldValueRequired', message))
  } else if (!isLabel(namespace)) {
    const use =
      namespace === '*'
        ? 'for the service accounts of every namespace use the group “system:serviceaccounts”'
        : `use ${LABEL_RULE}`
    const message = `${quoted(namespace)} cannot be the namespace of a service account: ${use}.`
    findings.push(rejected(member(at, 'namespace'), 'FieldValueInvalid', message))
  }
  return findings
}
