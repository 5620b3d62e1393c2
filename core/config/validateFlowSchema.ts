import { mandatorySchemas } from './builtIn.ts'
import { defaultFlowSchema } from './defaulting.ts'
import { specEquals } from './equality.ts'
import type { Finding } from './finding.ts'
import { isSubdomain, SUBDOMAIN_RULE } from './names.ts'
import { EXEMPT, type FlowSchema, type FlowSchemaSpec, type PolicyRules } from './objects.ts'
import { anyOf, entry, member, quoted, rejected } from './problems.ts'
import type { ValidationRules } from './rules.ts'
import { flowSchemaSuspicions } from './suspicions.ts'
import { validateMetadata } from './validateMetadata.ts'
import { validateNonResourceRule, validateResourceRule } from './validateRules.ts'
import { validateSubject } from './validateSubject.ts'

const MOST_PRECEDENCE = 10_000
const DISTINGUISHERS = ['ByUser', 'ByNamespace']

/**
 * Every problem of a schema (specification 1.5): as errors what a server of these rules rejects, with its paths and
 * reasons, and as warnings what it accepts and is probably not meant. Defaults are filled in first, as the server does.
 */
export function validateFlowSchema(schema: FlowSchema, rules: ValidationRules): Finding[] {
  const defaulted = defaultFlowSchema(schema)
  const { metadata, spec } = defaulted
  return [
    ...validateMetadata(metadata),
    ...precedenceFindings(metadata.name, spec.matchingPrecedence),
    ...distinguisherFindings(spec.distinguisherMethod),
    ...referenceFindings(spec.priorityLevelConfiguration.name),
    ...(spec.rules ?? []).flatMap((rule, index) => ruleFindings(rule, entry('spec.rules', index))),
    ...mandatoryFindings(metadata.name, spec),
    ...flowSchemaSuspicions(defaulted, rules),
  ]
}

function precedenceFindings(name: string, precedence: number): Finding[] {
  const field = 'spec.matchingPrecedence'
  if (precedence <= 0 || precedence > MOST_PRECEDENCE) {
    const message = `${field} cannot be ${precedence}: set it from 2 to ${MOST_PRECEDENCE}; the lowest is matched first.`
    return [rejected(field, 'FieldValueInvalid', message)]
  }
  if (precedence > 1 || name === EXEMPT) return []
  const message = `Only the schema “${EXEMPT}” may have the matchingPrecedence 1: set it to 2 or more.`
  return [rejected(field, 'FieldValueInvalid', message)]
}

function distinguisherFindings(method: FlowSchemaSpec['distinguisherMethod']): Finding[] {
  if (method === undefined || DISTINGUISHERS.includes(method.type)) return []
  const field = 'spec.distinguisherMethod.type'
  const is = method.type === '' ? 'is missing' : `cannot be ${quoted(method.type)}`
  const message = `${field} ${is}: set it to ${anyOf(DISTINGUISHERS)}, or remove distinguisherMethod to treat all requests as one flow.`
  return [rejected(field, 'FieldValueNotSupported', message)]
}

function referenceFindings(level: string): Finding[] {
  const field = 'spec.priorityLevelConfiguration.name'
  if (level === '') {
    const message = 'The schema names no priority level: name the one whose seats its requests use.'
    return [rejected(field, 'FieldValueRequired', message)]
  }
  if (isSubdomain(level)) return []
  return [
    rejected(
      field,
      'FieldValueInvalid',
      `${quoted(level)} cannot be the name of a priority level: use ${SUBDOMAIN_RULE}.`,
    ),
  ]
}

function ruleFindings(rule: PolicyRules, at: string): Finding[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule
  const findings: Finding[] = []
  if (subjects.length === 0) {
    const message = 'The rule names no subjects: add a user, a group or a service account whose requests it matches.'
    findings.push(rejected(member(at, 'subjects'), 'FieldValueRequired', message))
  }
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    const message = 'The rule matches no requests: add an entry to its resourceRules or nonResourceRules.'
    findings.push(rejected(at, 'FieldValueRequired', message))
  }
  const [subjectsAt, resourcesAt, urlsAt] = [
    member(at, 'subjects'),
    member(at, 'resourceRules'),
    member(at, 'nonResourceRules'),
  ]
  return [
    ...findings,
    ...subjects.flatMap((subject, index) => validateSubject(subject, entry(subjectsAt, index))),
    ...resourceRules.flatMap((resources, index) => validateResourceRule(resources, entry(resourcesAt, index))),
    ...nonResourceRules.flatMap((urls, index) => validateNonResourceRule(urls, entry(urlsAt, index))),
  ]
}

/** The mandatory schemas may not be changed. */
function mandatoryFindings(name: string, spec: FlowSchemaSpec): Finding[] {
  const mandatory = mandatorySchemas.find((schema) => schema.metadata.name === name)
  if (mandatory === undefined || specEquals(spec, mandatory.spec)) return []
  const message = `The mandatory schema “${name}” cannot be changed: give its spec the built-in value, or make a schema of another name.`
  return [rejected('spec', 'FieldValueInvalid', message)]
}
