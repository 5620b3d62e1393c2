import { format } from '../../../theme/format.ts'
import { plural } from '../../../../core/text/format.ts'
import { listed } from '../../../../core/text/text.ts'
import { builtInName } from '../../../../core/config/builtIn.ts'
import { isCovered } from '../../../../core/metrics/versions.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import type { Drift, DriftRow } from '../../../../core/drift/drift.ts'

/**
 * What was compared, and the time for which it holds. `silent`: the source does not answer, so that an open watch
 * proves nothing. `time` formats an instant for the screen.
 */
export function comparedText(
  {
    origin,
    target,
    state,
    asOf,
    silent,
  }: Pick<ObjectsState, 'origin' | 'target' | 'state' | 'asOf'> & { readonly silent: boolean },
  version: string,
  { rows, same }: Drift,
  time: (at: string) => string,
): string {
  const of = [target, version].filter((part) => part !== '').join(', ')
  // A watch reports changes only: the instant may be long ago although the objects are current.
  const live = origin === 'cluster'
  const watched = live && state === 'current' && !silent
  const when =
    asOf === undefined ? '' : watched ? `, confirmed at ${time(asOf)} and watched since` : `, as of ${time(asOf)}`
  const stale =
    state === 'stale' || (live && silent) ? ' The server no longer reports its objects, so they may have changed.' : ''
  const matching = rows.length === 0 ? '' : ` ${format.counted(same, 'other object matches', 'other objects match')}.`
  return `Objects of ${of}${when}.${stale}${matching}`
}

export type Reference =
  { readonly kind: 'built-in'; readonly version: string } | { readonly kind: 'elsewhere'; readonly name: string }

export const referenceName = (reference: Reference): string =>
  reference.kind === 'built-in' ? builtInName(reference.version) : reference.name

export function driftSentence({ rows, same }: Drift, reference: Reference): string {
  const of = (change: DriftRow['change']): string[] =>
    rows.filter((row) => row.change === change).map(({ name }) => name)
  const own = of('extra')
  if (rows.length === 0)
    return `${same === 1 ? 'The one object matches' : `All ${same} objects match`} ${referenceName(reference)}.`
  const changed = of('changed')
  const missing = of('missing')
  if (reference.kind === 'built-in' && changed.length + missing.length === 0) {
    return isCovered(reference.version)
      ? `All built-in objects match ${reference.version}; ${format.counted(own.length, 'object is', 'objects are')} your own.`
      : `All objects match ${referenceName(reference)}, but ${format.counted(own.length, 'object', 'objects')} of your own.`
  }
  const parts = [
    ...(changed.length > 0 ? [`${listed(changed)} ${plural(changed.length, 'differs', 'differ')}`] : []),
    ...(missing.length > 0 ? [`${listed(missing)} ${plural(missing.length, 'is', 'are')} missing`] : []),
    ...(own.length > 0 ? [`${format.counted(own.length, 'object exists', 'objects exist')} only here`] : []),
  ]
  return `Compared with ${referenceName(reference)}, ${parts.join('; ')}.`
}

const SHOWN: Readonly<Record<DriftRow['change'], string>> = {
  changed: 'differs',
  missing: 'missing here',
  extra: 'only here',
}
export const changeText = ({ change, builtIn }: DriftRow): string =>
  change === 'extra' && builtIn === undefined ? 'your own' : SHOWN[change]

const VERDICTS: Readonly<Record<DriftRow['server']['verdict'], string>> = {
  kept: 'keeps it',
  'put-back': 'restores it',
  recreated: 'recreates it',
  deleted: 'deletes it',
  'annotation-rewritten': 'writes its annotation',
}
export const serverText = ({ server }: DriftRow): string => VERDICTS[server.verdict]

export function fieldsText({ fields, change }: DriftRow): string {
  if (change !== 'changed') return ''
  const [first, ...more] = fields.map(({ field }) => field.replace(/^spec\.(limited\.|exempt\.)?/, ''))
  return more.length === 0 ? (first ?? '') : `${first ?? ''} and ${more.length} more`
}
