import { expect } from 'vitest'
import { z } from 'zod'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { checkObject } from '../../core/config/checkObject.ts'
import { withoutNulls } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN } from './identities.ts'

const PLURALS = new Map([
  ['FlowSchema', 'flowschemas'],
  ['PriorityLevelConfiguration', 'prioritylevelconfigurations'],
])

const AnswerSchema = z.object({
  message: z.string().default(''),
  details: z.object({ causes: z.array(z.object({ field: z.string(), reason: z.string() })).default([]) }).optional(),
  spec: z.unknown().optional(),
})

/** A server's verdict on an object, or ours, in comparable words. */
type Verdict =
  | { readonly verdict: 'accepted'; readonly spec: unknown }
  | { readonly verdict: 'invalid'; readonly causes: readonly string[] }
  | { readonly verdict: 'unknown fields'; readonly fields: readonly string[] }
  /** The server names the field, without the indices of lists, for a wrong type only, and only the first. */
  | { readonly verdict: 'malformed'; readonly field: string | undefined }

const asSet = (words: readonly string[]): readonly string[] => [...new Set(words)].toSorted()
const causeWords = (causes: readonly { readonly field: string; readonly reason: string }[]): readonly string[] =>
  asSet(causes.map(({ field, reason }) => `${field}: ${reason}`))

/** Creation, or a change of a built-in object that the server has already. */
async function dryRun(cluster: Cluster, manifest: JsonObject): Promise<Verdict> {
  const { kind, metadata } = z
    .object({ kind: z.string(), metadata: z.object({ name: z.string() }).catch({ name: '' }) })
    .parse(manifest)
  const { levels, schemas } = builtInObjects(cluster.version)
  const exists = (kind === 'FlowSchema' ? schemas : levels).some((object) => object.metadata.name === metadata.name)
  const path = `/apis/flowcontrol.apiserver.k8s.io/v1/${PLURALS.get(kind) ?? ''}${exists ? `/${metadata.name}` : ''}`
  const { status, body } = await cluster.call(`${path}?dryRun=All&fieldValidation=Strict`, ADMIN, {
    method: exists ? 'PUT' : 'POST',
    body: JSON.stringify(manifest),
  })
  const { message, details, spec } = AnswerSchema.parse(JSON.parse(body))
  if (status === 200 || status === 201) return { verdict: 'accepted', spec: withoutNulls(spec) }
  if (status === 422) return { verdict: 'invalid', causes: causeWords(details?.causes ?? []) }
  if (status !== 400) throw new Error(`${status}: ${message}`)
  const fields = Array.from(message.matchAll(/unknown field ("(?:[^"\\]|\\.)*")/g), ([, field = '']) => unquoted(field))
  if (fields.length > 0) return { verdict: 'unknown fields', fields: asSet(fields) }
  return { verdict: 'malformed', field: /Go struct field \w+\.(\S+) of type/.exec(message)?.[1] }
}

/** `theirs` chooses among several malformed fields, for the server names but one. */
function ourVerdict(version: string, manifest: JsonObject, theirs: Verdict): Verdict {
  const { findings, defaulted } = checkObject(manifest, version)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const malformed = errors.filter(({ reason }) => reason === 'Malformed').map(({ field }) => withoutIndices(field))
  if (malformed.length > 0) {
    const named = theirs.verdict === 'malformed' ? theirs.field : undefined
    return { verdict: 'malformed', field: named === undefined || malformed.includes(named) ? named : malformed[0] }
  }
  const unknown = errors.filter(({ reason }) => reason === 'FieldUnknown').map(({ field }) => field)
  if (unknown.length > 0) return { verdict: 'unknown fields', fields: asSet(unknown) }
  if (errors.length > 0) return { verdict: 'invalid', causes: causeWords(errors) }
  return { verdict: 'accepted', spec: defaulted?.spec }
}

/** Every manifest is judged by both; how many of them the server judged in which way. */
export async function expectAgreement(
  cluster: Cluster,
  manifests: readonly JsonObject[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const manifest of manifests) {
    const theirs = await dryRun(cluster, manifest)
    expect(ourVerdict(cluster.version, manifest, theirs), JSON.stringify(manifest)).toEqual(theirs)
    counts.set(theirs.verdict, (counts.get(theirs.verdict) ?? 0) + 1)
  }
  return counts
}

/** A text in quotation marks as Go writes it; of its escapes only those that JSON has too are expected. */
const unquoted = (text: string): string => z.string().parse(JSON.parse(text))

const withoutIndices = (field: string): string => field.replaceAll(/\[[^\]]*\]/g, '')
