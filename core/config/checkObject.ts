import { isJsonObject } from './jsonValues.ts'
import { convertToV1, GROUP } from './convert.ts'
import { decodeObject } from './decode.ts'
import { defaultFlowSchema, defaultLevel } from './defaulting.ts'
import type { Finding } from './finding.ts'
import { KINDS, type FlowSchema, type Kind, type PriorityLevelConfiguration } from './objects.ts'
import { quoted, rejected, suspicious } from './problems.ts'
import { servedIn, validationRules, type ValidationRules } from './rules.ts'
import { validateFlowSchema } from './validateFlowSchema.ts'
import { validateLevel } from './validateLevel.ts'

interface Judgement {
  /** Empty when the value says none. */
  readonly name: string
  readonly findings: readonly Finding[]
  /** What was converted from an earlier version, in sentences. */
  readonly notes: readonly string[]
}

interface Checked<K extends Kind, T> extends Judgement {
  readonly kind: K
  /** As it was written, in version v1. */
  readonly object: T
  /** As the server would store it. */
  readonly defaulted: T
}

/** A value that has not the shape of its kind. */
interface Unchecked extends Judgement {
  /** Empty when the value says none that the group has. */
  readonly kind: Kind | ''
  readonly object?: undefined
  readonly defaulted?: undefined
}

/** What is to be said of one JSON value. An object that the server would reject is there all the same. */
export type CheckedValue =
  Checked<'FlowSchema', FlowSchema> | Checked<'PriorityLevelConfiguration', PriorityLevelConfiguration> | Unchecked

/**
 * Converts, decodes, defaults and validates one JSON value: everything for which a server of a version (`v1.36.3`,
 * `1.30`) rejects it (specification 1.5, 1.6), and what is suspicious. Never throws.
 */
export function checkObject(value: unknown, version: string): CheckedValue {
  const rules = validationRules(version)
  const { value: converted, notes } = convertToV1(value)
  const { decoded, findings } = decodeObject(converted)
  const told = [...apiVersionFindings(value, rules), ...findings]
  if (decoded === undefined) return { ...claims(value), findings: told, notes }
  const { name } = decoded.object.metadata
  told.push(...namespaceFindings(value))
  if (decoded.kind === 'FlowSchema') {
    const { kind, object } = decoded
    told.push(...validateFlowSchema(object, rules))
    return { kind, name, object, defaulted: defaultFlowSchema(object), findings: told, notes }
  }
  const { kind, object } = decoded
  told.push(...validateLevel(object, rules))
  return { kind, name, object, defaulted: defaultLevel(object), findings: told, notes }
}

/** Kind and name that a value claims, as far as they can be read. */
function claims(value: unknown): { readonly kind: Kind | ''; readonly name: string } {
  const { kind, metadata } = isJsonObject(value) ? value : {}
  const name = isJsonObject(metadata) ? metadata['name'] : undefined
  return { kind: KINDS.find((known) => known === kind) ?? '', name: typeof name === 'string' ? name : '' }
}

/** Whether the server serves the version that the value says it has. */
function apiVersionFindings(value: unknown, { minor, apiVersions }: ValidationRules): Finding[] {
  if (!isJsonObject(value)) return []
  const { apiVersion = null } = value
  if (apiVersion === null || apiVersion === '') {
    const message = `The object says no apiVersion: set it to ${quoted(groupVersion(apiVersions))}.`
    return [rejected('apiVersion', 'FieldValueRequired', message)]
  }
  // Of another type it is found out when it is decoded.
  if (typeof apiVersion !== 'string') return []
  const version = apiVersion.startsWith(`${GROUP}/`) ? apiVersion.slice(GROUP.length + 1) : ''
  const served = servedIn(version)
  if (served !== undefined && apiVersions.includes(version)) return []
  const why =
    served === undefined
      ? `apiVersion cannot be ${quoted(apiVersion)}`
      : `Kubernetes 1.${minor} does not serve ${version}, which was served ${served}`
  const message = `${why}: set apiVersion to ${quoted(groupVersion(apiVersions))}.`
  return [rejected('apiVersion', 'FieldValueNotSupported', message)]
}

const groupVersion = ([newest = 'v1']: readonly string[]): string => `${GROUP}/${newest}`

function namespaceFindings(value: unknown): Finding[] {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined
  const namespace = isJsonObject(metadata) ? metadata['namespace'] : undefined
  if (typeof namespace !== 'string' || namespace === '') return []
  const message = 'The object belongs to the whole cluster and the server drops its namespace: remove it.'
  return [suspicious('metadata.namespace', message, 'FieldValueForbidden')]
}
