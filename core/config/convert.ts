import { API_VERSION } from './content.ts'
import { isJsonObject, type JsonObject } from './jsonValues.ts'
import { PRESERVE_ZERO_ANNOTATION } from './objects.ts'

export const GROUP = 'flowcontrol.apiserver.k8s.io'
/** Versions of the group that are read and turned into v1. */
const CONVERTED = ['v1beta3', 'v1beta2', 'v1beta1'] as const
type BetaVersion = (typeof CONVERTED)[number]

/** A manifest as version v1 has it, and what was changed, in sentences; empty of one that was v1 already. */
export interface Converted {
  readonly value: unknown
  readonly notes: readonly string[]
}

/**
 * Turns a manifest of v1beta1, v1beta2 or v1beta3 into one of v1 that means the same (specification 1.1, 1.3). Everything
 * else, also what is no manifest at all, is given back as it is. Of a wrong type in the manifest nothing is said here.
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

function convertLevel(level: JsonObject, version: BetaVersion, notes: string[]): JsonObject {
  const { metadata, keepsZero } = takePreserveZero(level['metadata'], version, notes)
  const changed = { ...level, ...(metadata !== undefined && { metadata }) }
  const spec = level['spec']
  if (!isJsonObject(spec) || !isJsonObject(spec['limited'])) return changed
  const renamed = version === 'v1beta3' ? spec['limited'] : renameShares(spec['limited'], notes)
  return { ...changed, spec: { ...spec, limited: convertShares(renamed, keepsZero, version, notes) } }
}

/** The annotation is for v1beta3 alone; earlier versions keep one of this name like any other, and v1 forbids it. */
function takePreserveZero(
  metadata: unknown,
  version: BetaVersion,
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
  // With both it is wrong in any version: the old name is left for the decoder to report.
  if (rest['nominalConcurrencyShares'] !== undefined) return limited
  notes.push('Renamed spec.limited.assuredConcurrencyShares to nominalConcurrencyShares.')
  return { ...rest, nominalConcurrencyShares: shares }
}

/** In beta versions 0 shares are the default of 30; v1 keeps an explicit 0. */
function convertShares(limited: JsonObject, keepsZero: boolean, version: BetaVersion, notes: string[]): JsonObject {
  const { nominalConcurrencyShares: shares, ...rest } = limited
  if (keepsZero) return shares === undefined || shares === null ? { ...rest, nominalConcurrencyShares: 0 } : limited
  if (shares !== 0) return limited
  notes.push(
    `Removed spec.limited.nominalConcurrencyShares: 0 shares mean the default of 30 in ${version} and none in v1.`,
  )
  return rest
}
