import { MAX_ENTROPY_BITS, requiredEntropyBits, MOST_QUEUES, shapeProblem } from './shape.ts'
import { mandatoryLevels, mandatorySchemas, type ValidationRules } from './builtIn.ts'
import {
  defaultLevel,
  defaultFlowSchema,
  EXEMPT,
  PRESERVE_ZERO_ANNOTATION,
  type ExemptSpec,
  type LimitedSpec,
  type LimitResponse,
  type PriorityLevelConfiguration,
  type PriorityLevelSpec,
  type Queuing,
  type FlowSchema,
  type FlowSchemaSpec,
  type PolicyRules,
} from './objects.ts'
import { type Finding, anyOf, member, quoted, rejected, entry } from './finding.ts'
import { levelSuspicions, flowSchemaSuspicions } from './suspicions.ts'
import { validateMetadata, isSubdomain, SUBDOMAIN_RULE } from './validateMetadata.ts'
import { specEquals } from './content.ts'
import { validateNonResourceRule, validateResourceRule, validateSubject } from './validateRules.ts'

const SPEC = 'spec'
const LIMITED = 'spec.limited'
const EXEMPTION = 'spec.exempt'
const RESPONSE = 'spec.limited.limitResponse'
const QUEUING = 'spec.limited.limitResponse.queuing'

/**
 * Every problem of a level (specification 1.6): errors for what a server with these rules rejects, with its paths and
 * reasons, and warnings for what it accepts but is probably a mistake. Like the server, it fills in defaults first.
 */
export function validateLevel(level: PriorityLevelConfiguration, rules: ValidationRules): Finding[] {
  const { metadata, spec } = defaultLevel(level)
  return [
    ...validateMetadata(metadata, rules),
    ...annotationFindings(metadata.annotations),
    ...typeFindings(metadata.name, spec, rules),
    ...mandatoryLevelFindings(metadata.name, spec),
    ...levelSuspicions({ metadata, spec }, rules),
  ]
}

function annotationFindings(annotations: Readonly<Record<string, string>> = {}): Finding[] {
  if (!Object.hasOwn(annotations, PRESERVE_ZERO_ANNOTATION)) return []
  const message = `The annotation ${quoted(PRESERVE_ZERO_ANNOTATION)} belongs to version v1beta3: remove it. Version v1 keeps 0 shares without it.`
  return [rejected('metadata.annotations', 'FieldValueForbidden', message)]
}

function typeFindings(name: string, spec: PriorityLevelSpec, rules: ValidationRules): Finding[] {
  const { type, limited, exempt } = spec
  const findings: Finding[] = []
  if ((name === EXEMPT) !== (type === 'Exempt')) {
    const message =
      name === EXEMPT
        ? `The level “${EXEMPT}” must have the type “Exempt”: set spec.type to Exempt.`
        : `Only the level “${EXEMPT}” may have the type “Exempt”: set spec.type to Limited.`
    findings.push(rejected('spec.type', 'FieldValueInvalid', message))
  }
  if (type !== 'Limited' && type !== 'Exempt') findings.push(badType('spec.type', type, ['Limited', 'Exempt'], rules))
  const belongs = (field: string, to: string): Finding =>
    rejected(field, 'FieldValueForbidden', `${field} belongs to the type ${to}: set spec.type to ${to}, or remove it.`)
  if (limited !== undefined && (type === 'Exempt' || (type !== 'Limited' && rules.declarative)))
    findings.push(belongs(LIMITED, 'Limited'))
  if (exempt !== undefined && (type === 'Limited' || (type !== 'Exempt' && rules.declarative)))
    findings.push(belongs(EXEMPTION, 'Exempt'))
  if (type === 'Exempt' && exempt !== undefined) for (const finding of exemptFindings(exempt)) findings.push(finding)
  if (limited === undefined) {
    const message = 'A Limited level needs spec.limited, at least with a limitResponse.'
    return type === 'Limited' ? [...findings, rejected(LIMITED, 'FieldValueRequired', message)] : findings
  }
  if (type === 'Limited') return [...findings, ...limitedFindings(limited, rules)]
  return rules.declarative ? [...findings, ...unionFindings(limited.limitResponse, rules)] : findings
}

/** Declarative validation judges which members a response has even where nothing else of it is validated. */
const unionFindings = (response: LimitResponse, rules: ValidationRules): Finding[] =>
  responseFindings(response, rules).filter(
    ({ reason }) => reason === 'FieldValueRequired' || reason === 'FieldValueForbidden',
  )

function badType(field: string, type: string, known: readonly string[], rules: ValidationRules): Finding {
  if (type === '') return rejected(field, rules.emptyType, `${field} is missing: set it to ${anyOf(known)}.`)
  return rejected(field, 'FieldValueNotSupported', `${field} cannot be ${quoted(type)}: set it to ${anyOf(known)}.`)
}

const exemptFindings = (exempt: ExemptSpec): Finding[] => [
  ...atLeastZero(member(EXEMPTION, 'nominalConcurrencyShares'), exempt.nominalConcurrencyShares),
  ...percentage(member(EXEMPTION, 'lendablePercent'), exempt.lendablePercent),
]

const limitedFindings = (limited: LimitedSpec, rules: ValidationRules): Finding[] => [
  ...sharesFindings(limited.nominalConcurrencyShares, rules),
  ...responseFindings(limited.limitResponse, rules),
  ...percentage(member(LIMITED, 'lendablePercent'), limited.lendablePercent),
  ...atLeastZero(member(LIMITED, 'borrowingLimitPercent'), limited.borrowingLimitPercent),
]

function sharesFindings(shares: number | undefined, rules: ValidationRules): Finding[] {
  const field = member(LIMITED, 'nominalConcurrencyShares')
  if (shares !== 0 || rules.zeroShares) return atLeastZero(field, shares)
  const message = `${field} cannot be 0 before Kubernetes 1.30: set it to 1 or more, or leave it out for 30.`
  return [rejected(field, 'FieldValueInvalid', message)]
}

const atLeastZero = (field: string, value: number | undefined): Finding[] =>
  value === undefined || value >= 0
    ? []
    : [rejected(field, 'FieldValueInvalid', `${field} cannot be ${value}: set it to 0 or more.`)]

const percentage = (field: string, value: number | undefined): Finding[] =>
  value === undefined || (value >= 0 && value <= 100)
    ? []
    : [rejected(field, 'FieldValueInvalid', `${field} cannot be ${value}: set it to a percentage from 0 to 100.`)]

function responseFindings({ type, queuing }: LimitResponse, rules: ValidationRules): Finding[] {
  const findings =
    type === 'Queue' || type === 'Reject' ? [] : [badType(member(RESPONSE, 'type'), type, ['Queue', 'Reject'], rules)]
  if (type === 'Queue') {
    const message = 'A level that queues needs queuing: an empty object, {}, gives the default queues.'
    return queuing === undefined ? [rejected(QUEUING, 'FieldValueRequired', message)] : queuingFindings(queuing)
  }
  if (queuing === undefined || (type !== 'Reject' && !rules.declarative)) return findings
  const message = 'Only a level that queues has queuing: remove it, or set type to Queue.'
  return [...findings, rejected(QUEUING, 'FieldValueForbidden', message)]
}

function queuingFindings({ queues, handSize, queueLengthLimit }: Queuing): Finding[] {
  const findings: Finding[] = []
  if (queueLengthLimit <= 0) {
    const field = member(QUEUING, 'queueLengthLimit')
    const message = `${field} cannot be ${queueLengthLimit}: a queue holds at least one request.`
    findings.push(rejected(field, 'FieldValueInvalid', message))
  }
  const badQueues = queues <= 0 || queues > MOST_QUEUES
  if (badQueues) {
    const field = member(QUEUING, 'queues')
    const message = `${field} cannot be ${queues}: a level has 1 to ${MOST_QUEUES} queues.`
    findings.push(rejected(field, 'FieldValueInvalid', message))
  }
  if (handSize <= 0 || handSize > queues || requiredEntropyBits(queues, handSize) > MAX_ENTROPY_BITS) {
    const alone = `A hand of ${handSize} cannot be dealt: fix queues first.`
    const message = (badQueues ? undefined : shapeProblem({ queues, handSize })) ?? alone
    findings.push(rejected(member(QUEUING, 'handSize'), 'FieldValueInvalid', message))
  }
  return findings
}

/** The mandatory levels must not be changed, except for the members of `exempt`. */
function mandatoryLevelFindings(name: string, spec: PriorityLevelSpec): Finding[] {
  const mandatory = mandatoryLevels.find((level) => level.metadata.name === name)
  if (mandatory === undefined) return []
  const { exempt } = mandatory.spec
  const compared = name === EXEMPT && exempt !== undefined ? { ...spec, exempt } : spec
  if (specEquals(compared, mandatory.spec)) return []
  const message =
    name === EXEMPT
      ? `Only spec.exempt of the mandatory level “${name}” can be changed: restore the built-in value of the rest.`
      : `The mandatory level “${name}” cannot be changed: restore its built-in spec, or create a level with another name.`
  return [rejected(SPEC, 'FieldValueInvalid', message)]
}

const MOST_PRECEDENCE = 10_000
const DISTINGUISHERS = ['ByUser', 'ByNamespace']

/**
 * Every problem of a schema (specification 1.5): errors for what a server with these rules rejects, with its paths and
 * reasons, and warnings for what it accepts but is probably a mistake. Like the server, it fills in defaults first.
 */
export function validateFlowSchema(schema: FlowSchema, rules: ValidationRules): Finding[] {
  const defaulted = defaultFlowSchema(schema)
  const { metadata, spec } = defaulted
  return [
    ...validateMetadata(metadata, rules),
    ...precedenceFindings(metadata.name, spec.matchingPrecedence),
    ...distinguisherFindings(spec.distinguisherMethod),
    ...referenceFindings(spec.priorityLevelConfiguration.name),
    ...(spec.rules ?? []).flatMap((rule, index) => ruleFindings(rule, entry('spec.rules', index))),
    ...mandatorySchemaFindings(metadata.name, spec),
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

/** The mandatory schemas must not be changed. */
function mandatorySchemaFindings(name: string, spec: FlowSchemaSpec): Finding[] {
  const mandatory = mandatorySchemas.find((schema) => schema.metadata.name === name)
  if (mandatory === undefined || specEquals(spec, mandatory.spec)) return []
  const message = `The mandatory schema “${name}” cannot be changed: restore its built-in spec, or create a schema with another name.`
  return [rejected('spec', 'FieldValueInvalid', message)]
}
