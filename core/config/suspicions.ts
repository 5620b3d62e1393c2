import { isMandatory, isSuggested } from './builtInByVersion.ts'
import type { Finding } from './finding.ts'
import {
  AUTOUPDATE_ANNOTATION,
  CATCH_ALL,
  EXEMPT,
  type FlowSchema,
  type Kind,
  type ObjectMeta,
  type PriorityLevelConfiguration,
} from './objects.ts'
import { quoted, repeated, suspicious } from './problems.ts'
import type { ValidationRules } from './rules.ts'
import { ruleSuspicions } from './suspiciousRules.ts'

/**
 * What a server accepts of a level and is probably not meant, as far as the object alone shows it. What depends on other
 * objects is for the guard rails.
 */
export const levelSuspicions = (level: PriorityLevelConfiguration, rules: ValidationRules): Finding[] => [
  ...metadataSuspicions('PriorityLevelConfiguration', level.metadata, rules),
  ...emptyExemption(level),
  ...noShares(level),
]

/** The same of a schema. */
export const flowSchemaSuspicions = (schema: FlowSchema, rules: ValidationRules): Finding[] => [
  ...metadataSuspicions('FlowSchema', schema.metadata, rules),
  ...behindCatchAll(schema),
  ...ruleSuspicions(schema.spec.rules ?? []),
]

const metadataSuspicions = (kind: Kind, metadata: ObjectMeta, rules: ValidationRules): Finding[] => [
  ...autoupdateSuspicions(kind, metadata, rules),
  ...repeated(metadata.finalizers ?? [], 'metadata.finalizers'),
  ...repeated(metadata.ownerReferences?.map(({ uid }) => uid) ?? [], 'metadata.ownerReferences'),
]

/** What the reconciler takes for true (specification 7.8). */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

function autoupdateSuspicions(
  kind: Kind,
  { name, annotations = {} }: ObjectMeta,
  { minor }: ValidationRules,
): Finding[] {
  const value = Object.hasOwn(annotations, AUTOUPDATE_ANNOTATION) ? annotations[AUTOUPDATE_ANNOTATION] : undefined
  if (value === undefined || !TRUE.has(value)) return []
  if (isMandatory(kind, name) || isSuggested(kind, name, `1.${minor}`)) return []
  const message = `The annotation ${quoted(AUTOUPDATE_ANNOTATION)} claims that the object is built in and ${quoted(name)} is not, so the server deletes it within a minute: remove the annotation.`
  return [suspicious(`metadata.annotations[${AUTOUPDATE_ANNOTATION}]`, message)]
}

/** Specification 1.3, 7.2. */
function emptyExemption({ metadata, spec }: PriorityLevelConfiguration): Finding[] {
  if (metadata.name !== EXEMPT || spec.type !== 'Exempt' || spec.exempt !== undefined) return []
  const message =
    'Without spec.exempt the level is accepted but not used until the server has repaired it: add exempt, at least as {}.'
  return [suspicious('spec.exempt', message, 'FieldValueRequired')]
}

function noShares({ spec }: PriorityLevelConfiguration): Finding[] {
  const { limited } = spec
  if (limited?.nominalConcurrencyShares !== 0) return []
  const runs =
    limited.borrowingLimitPercent !== undefined || limited.limitResponse.type === 'Reject'
      ? 'runs next to nothing'
      : 'runs only on seats that other levels lend'
  const message = `With 0 shares the level has no seats of its own and ${runs}: set 1 or more unless its requests are to be held up.`
  return [suspicious('spec.limited.nominalConcurrencyShares', message)]
}

/** Schemas of one precedence are matched in the order of their names (specification 2.2). */
function behindCatchAll({ metadata, spec }: FlowSchema): Finding[] {
  if (spec.matchingPrecedence !== 10_000 || metadata.name <= CATCH_ALL) return []
  const message = `At precedence 10000 the schema “${CATCH_ALL}” comes first, and it takes every request: set 9999 or less.`
  return [suspicious('spec.matchingPrecedence', message)]
}
