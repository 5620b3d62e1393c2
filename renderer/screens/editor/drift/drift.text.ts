import { listed } from '../../../../core/guard/listed.ts'
import type { Drift, DriftRow } from '../../../../core/drift/drift.ts'

/** What the objects are compared with. */
export type Reference =
  { readonly kind: 'built-in'; readonly version: string } | { readonly kind: 'elsewhere'; readonly name: string }

export const referenceName = (reference: Reference): string =>
  reference.kind === 'built-in' ? `the built-in objects of ${reference.version}` : reference.name

/** One sentence about the whole comparison. */
export function driftSentence({ rows }: Drift, reference: Reference): string {
  const of = (change: DriftRow['change']): string[] =>
    rows.filter((row) => row.change === change).map(({ name }) => name)
  const own = of('extra')
  if (rows.length === 0) return `All objects are as in ${referenceName(reference)}.`
  const changed = of('changed')
  const missing = of('missing')
  if (reference.kind === 'built-in' && changed.length + missing.length === 0) {
    return `All built-in objects are as ${reference.version} makes them; ${count(own.length, 'object is', 'objects are')} your own.`
  }
  const parts = [
    ...(changed.length > 0 ? [`${listed(changed)} ${changed.length === 1 ? 'differs' : 'differ'}`] : []),
    ...(missing.length > 0 ? [`${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`] : []),
    ...(own.length > 0 ? [`${count(own.length, 'object exists', 'objects exist')} only here`] : []),
  ]
  return `Compared with ${referenceName(reference)}, ${parts.join('; ')}.`
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

const SHOWN: Readonly<Record<DriftRow['change'], string>> = {
  changed: 'differs',
  missing: 'missing here',
  extra: 'only here',
}
export const changeText = ({ change, builtIn }: DriftRow): string =>
  change === 'extra' && builtIn === undefined ? 'your own' : SHOWN[change]

const VERDICTS: Readonly<Record<DriftRow['server']['verdict'], string>> = {
  kept: 'leaves it',
  'put-back': 'puts it back',
  recreated: 'creates it again',
  deleted: 'deletes it',
  'annotation-rewritten': 'writes its annotation',
}
export const serverText = ({ server }: DriftRow): string => VERDICTS[server.verdict]

/** The fields that differ, in a few words. */
export function fieldsText({ fields, change }: DriftRow): string {
  if (change !== 'changed') return ''
  const [first, ...more] = fields.map(({ field }) => field.replace(/^spec\.(limited\.|exempt\.)?/, ''))
  return more.length === 0 ? (first ?? '') : `${first ?? ''} and ${more.length} more`
}
