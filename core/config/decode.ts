import { isJsonObject } from './json.ts'
import { readMetadata, readStatus } from './decodeMetadata.ts'
import type { Finding } from './finding.ts'
import { readFlowSchemaSpec, readLevelSpec } from './decodeSpecs.ts'
import { readAs } from './jsonReader.ts'
import { readText, wrongType, type Read } from './jsonValues.ts'
import { KINDS, type FlowSchema, type Kind, type PriorityLevelConfiguration } from './objects.ts'
import { anyOf, quoted, rejected } from './problems.ts'

/** An object of version v1 and its kind. */
export type TypedObject =
  | { readonly kind: 'FlowSchema'; readonly object: FlowSchema }
  | { readonly kind: 'PriorityLevelConfiguration'; readonly object: PriorityLevelConfiguration }

/**
 * What became of a JSON value. `decoded` is absent when a value has a wrong type, for then the server reads none of it;
 * unknown fields are findings and the rest is decoded.
 */
export interface DecodedObject {
  readonly decoded?: TypedObject
  readonly findings: readonly Finding[]
}

/**
 * Reads a JSON value as an object of version v1, as the server reads it (specification 1.2, 1.3): `null` is absent,
 * what is absent is 0 or empty, nothing is defaulted and nothing judged. Unknown fields are errors, for applying is strict
 * about them (`fieldValidation=Strict`, also kubectl's own choice). Never throws.
 */
export function decodeObject(value: unknown): DecodedObject {
  if (!isJsonObject(value)) return { findings: [wrongType('', value, 'an object')] }
  const findings: Finding[] = []
  const kind = readKind(value['kind'], findings)
  const decoded = kind === undefined ? undefined : readKindOf(kind, value, findings)
  const broken = findings.some(({ reason }) => reason !== 'FieldUnknown')
  return decoded === undefined || broken ? { findings } : { decoded, findings }
}

function readKind(value: unknown, findings: Finding[]): Kind | undefined {
  const text = readText(value, 'kind', findings)
  const kind = KINDS.find((known) => known === text)
  if (kind !== undefined || findings.length > 0) return kind
  const mend = `set it to ${anyOf(KINDS)}`
  findings.push(
    text === ''
      ? rejected('kind', 'FieldValueRequired', `The object says no kind: ${mend}.`)
      : rejected('kind', 'FieldValueNotSupported', `kind cannot be ${quoted(text)} in this group: ${mend}.`),
  )
  return undefined
}

const readKindOf = (kind: Kind, value: unknown, findings: Finding[]): TypedObject =>
  kind === 'FlowSchema'
    ? { kind, object: readFlowSchema(value, '', findings) }
    : { kind, object: readLevel(value, '', findings) }

const readFlowSchema: Read<FlowSchema> = readAs((members) => {
  members.check('apiVersion', readText)
  members.check('kind', readText)
  return {
    metadata: members.nested('metadata', readMetadata),
    spec: members.nested('spec', readFlowSchemaSpec),
    ...members.given('status', readStatus),
  }
})

const readLevel: Read<PriorityLevelConfiguration> = readAs((members) => {
  members.check('apiVersion', readText)
  members.check('kind', readText)
  return {
    metadata: members.nested('metadata', readMetadata),
    spec: members.nested('spec', readLevelSpec),
    ...members.given('status', readStatus),
  }
})
