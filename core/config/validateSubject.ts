import type { Finding } from './finding.ts'
import { isLabel, isSubdomain, LABEL_RULE, SUBDOMAIN_RULE } from './names.ts'
import type { Subject } from './objects.ts'
import { anyOf, member, quoted, rejected } from './problems.ts'

/** Which member goes with each kind. */
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
