import { decodeObject } from './decode.ts'
import {
  defaultFlowSchema,
  defaultLevel,
  KINDS,
  type FlowSchema,
  type Kind,
  type PriorityLevelConfiguration,
  PRESERVE_ZERO_ANNOTATION,
} from './objects.ts'
import { type Finding, quoted, rejected, suspicious } from './finding.ts'
import { servedIn, validationRules, type ValidationRules } from './builtIn.ts'
import { validateFlowSchema, validateLevel } from './validate.ts'
import { API_VERSION } from './content.ts'
import { isJsonObject, type JsonObject } from './jsonValues.ts'

interface Judgement {
  /** Empty when the value has none. */
  readonly name: string
  readonly findings: readonly Finding[]
  /** Conversions from an earlier version, in sentences. */
  readonly notes: readonly string[]
}

interface Checked<K extends Kind, T> extends Judgement {
  readonly kind: K
  /** As it was written, in version v1. */
  readonly object: T
  /** As the server would store it. */
  readonly defaulted: T
}

/** A value that does not have the shape of its kind. */
interface Unchecked extends Judgement {
  /** Empty when the value has none of the group. */
  readonly kind: Kind | ''
  readonly object?: undefined
  readonly defaulted?: undefined
}

/** The result for one JSON value. An object that the server would reject is included nevertheless. */
export type CheckedValue =
  Checked<'FlowSchema', FlowSchema> | Checked<'PriorityLevelConfiguration', PriorityLevelConfiguration> | Unchecked

/**
 * Converts, decodes, defaults and validates one JSON value. Reports everything for which a server of a version
 * (`v1.36.3`, `1.30`) rejects it (specification 1.5, 1.6), and what is suspicious. Never throws.
 */
export function checkObject(value: unknown, version: string): CheckedValue {
  const rules = validationRules(version)
  const { value: converted, notes } = convertToV1(value)
  const { decoded, findings } = decodeObject(converted)
  const reported = [...apiVersionFindings(value, rules), ...findings]
  if (decoded === undefined) return { ...claims(value), findings: reported, notes }
  const { name } = decoded.object.metadata
  for (const added of namespaceFindings(value)) reported.push(added)
  if (decoded.kind === 'FlowSchema') {
    const { kind, object } = decoded
    for (const added of validateFlowSchema(object, rules)) reported.push(added)
    return { kind, name, object, defaulted: defaultFlowSchema(object), findings: reported, notes }
  }
  const { kind, object } = decoded
  for (const added of validateLevel(object, rules)) reported.push(added)
  return { kind, name, object, defaulted: defaultLevel(object), findings: reported, notes }
}

/** Kind and name in a value, as far as they can be read. */
function claims(value: unknown): { readonly kind: Kind | ''; readonly name: string } {
  const { kind, metadata } = isJsonObject(value) ? value : {}
  const name = isJsonObject(metadata) ? metadata['name'] : undefined
  return { kind: KINDS.find((known) => known === kind) ?? '', name: typeof name === 'string' ? name : '' }
}

/** Whether the server serves the version given in the value. */
function apiVersionFindings(value: unknown, { minor, apiVersions }: ValidationRules): Finding[] {
  if (!isJsonObject(value)) return []
  const { apiVersion = null } = value
  if (apiVersion === null || apiVersion === '') {
    const message = `The object has no apiVersion: set it to ${quoted(groupVersion(apiVersions))}.`
    return [rejected('apiVersion', 'FieldValueRequired', message)]
  }
  // A value of another type is reported when it is decoded.
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
  const message = 'The object is cluster-scoped and the server drops its namespace: remove it.'
  return [suspicious('metadata.namespace', message, 'FieldValueForbidden')]
}

export const GROUP = 'flowcontrol.apiserver.k8s.io'
/** Versions of the group that can be parsed and converted to v1. */
export const CONVERTED = ['v1beta3', 'v1beta2', 'v1beta1', 'v1alpha1'] as const
type EarlierVersion = (typeof CONVERTED)[number]

/** A manifest converted to v1, and the changes, in sentences; empty if it was v1 already. */
interface Converted {
  readonly value: unknown
  readonly notes: readonly string[]
}

/**
 * Converts a manifest of v1alpha1, v1beta1, v1beta2 or v1beta3 into an equivalent one of v1 (specification 1.1, 1.3).
 * Everything else, including values that are not manifests, is returned unchanged. Wrong types in the manifest are not
 * reported here.
 */
export function convertToV1(value: unknown): Converted {
  if (!isJsonObject(value)) return { value, notes: [] }
  const version = CONVERTED.find((beta) => value['apiVersion'] === `${GROUP}/${beta}`)
  if (version === undefined) return { value, notes: [] }
  const notes = [`Read as ${API_VERSION}: ${version} is an earlier version of the same objects.`]
  const moved = { ...value, apiVersion: API_VERSION }
  if (value['kind'] !== 'PriorityLevelConfiguration') return { value: moved, notes }
  return { value: convertLevel(moved, version, notes), notes }
}

function convertLevel(level: JsonObject, version: EarlierVersion, notes: string[]): JsonObject {
  const { metadata, keepsZero } = takePreserveZero(level['metadata'], version, notes)
  const changed = { ...level, ...(metadata !== undefined && { metadata }) }
  const spec = level['spec']
  if (!isJsonObject(spec) || !isJsonObject(spec['limited'])) return changed
  const renamed = version === 'v1beta3' ? spec['limited'] : renameShares(spec['limited'], notes)
  return { ...changed, spec: { ...spec, limited: convertShares(renamed, keepsZero, version, notes) } }
}

/** The annotation is for v1beta3 alone; earlier versions store one of this name like any other, and v1 forbids it. */
function takePreserveZero(
  metadata: unknown,
  version: EarlierVersion,
  notes: string[],
): { readonly metadata?: JsonObject; readonly keepsZero: boolean } {
  if (version !== 'v1beta3' || !isJsonObject(metadata) || !isJsonObject(metadata['annotations']))
    return { keepsZero: false }
  const { [PRESERVE_ZERO_ANNOTATION]: found, ...annotations } = metadata['annotations']
  if (found === undefined) return { keepsZero: false }
  notes.push(`Removed the annotation ${PRESERVE_ZERO_ANNOTATION}: v1 keeps 0 shares without it and forbids it.`)
  return { metadata: { ...metadata, annotations }, keepsZero: true }
}

function renameShares(limited: JsonObject, notes: string[]): JsonObject {
  const { assuredConcurrencyShares: shares, ...rest } = limited
  if (shares === undefined) return limited
  // A manifest with both is invalid in any version: the old name is left for the decoder to report.
  if (rest['nominalConcurrencyShares'] !== undefined) return limited
  notes.push('Renamed spec.limited.assuredConcurrencyShares to nominalConcurrencyShares.')
  return { ...rest, nominalConcurrencyShares: shares }
}

/** In earlier versions 0 shares are the default of 30; v1 keeps an explicit 0. */
function convertShares(limited: JsonObject, keepsZero: boolean, version: EarlierVersion, notes: string[]): JsonObject {
  const { nominalConcurrencyShares: shares, ...rest } = limited
  if (keepsZero) return shares === undefined || shares === null ? { ...rest, nominalConcurrencyShares: 0 } : limited
  if (shares !== 0) return limited
  notes.push(
    `Removed spec.limited.nominalConcurrencyShares: 0 shares mean the default of 30 in ${version} and none in v1.`,
  )
  return rest
}
