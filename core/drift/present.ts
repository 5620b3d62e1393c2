import { counted, phrase, type Answer, type Cell, type Sentence } from '../answer/answer.ts'
import { builtInName } from '../config/builtIn.ts'
import type { ObjectsState } from '../contract/objects.ts'
import { isCovered } from '../metrics/versions.ts'
import { plural } from '../text/format.ts'
import { listed } from '../text/text.ts'
import { unixMsOf } from '../units.ts'
import type { Drift, DriftRow } from './drift.ts'

export type Reference =
  { readonly kind: 'built-in'; readonly version: string } | { readonly kind: 'elsewhere'; readonly name: string }

export const referenceName = (reference: Reference): string =>
  reference.kind === 'built-in' ? builtInName(reference.version) : reference.name

/** How objects differ from a reference; `current` is a sentence about them. */
export const presentDrift = (drift: Drift, reference: Reference, current: Sentence): Answer => ({
  title: titleOf(drift, reference),
  evidence: [
    drift.rows.length === 0
      ? current
      : phrase`${current} ${counted(drift.same, 'other object matches', 'other objects match')}.`,
  ],
  tables: [
    {
      title: 'Objects that differ',
      note: 'by kind and name',
      columns: [
        { id: 'name', label: 'Object' },
        { id: 'kind', label: 'Kind' },
        { id: 'change', label: 'State' },
        { id: 'server', label: 'API server' },
        { id: 'fields', label: 'Fields' },
      ],
      rows: drift.rows.map(cellsOf),
    },
  ].filter(({ rows }) => rows.length > 0),
})

function titleOf({ rows, same }: Drift, reference: Reference): Sentence {
  const of = (change: DriftRow['change']): string[] =>
    rows.filter((row) => row.change === change).map(({ name }) => name)
  const [own, changed, missing] = [of('extra'), of('changed'), of('missing')]
  const name = referenceName(reference)
  if (rows.length === 0) return [`${plural(same, 'The one object matches', `All ${same} objects match`)} ${name}.`]
  if (reference.kind === 'built-in' && changed.length + missing.length === 0) {
    return isCovered(reference.version)
      ? phrase`All built-in objects match ${reference.version}; ${counted(own.length, 'object is', 'objects are')} your own.`
      : phrase`All objects match ${name}, but ${counted(own.length, 'object', 'objects')} of your own.`
  }
  const parts = [
    ...(changed.length > 0 ? [`${listed(changed)} ${plural(changed.length, 'differs', 'differ')}`] : []),
    ...(missing.length > 0 ? [`${listed(missing)} ${plural(missing.length, 'is', 'are')} missing`] : []),
    ...(own.length > 0 ? [`${own.length} ${plural(own.length, 'object exists', 'objects exist')} only here`] : []),
  ]
  return [`Compared with ${name}, ${parts.join('; ')}.`]
}

/** What was read, and the time for which it holds. `silent`: the source does not answer, so an open watch proves nothing. */
export function readSentence(
  state: Pick<ObjectsState, 'origin' | 'target' | 'state' | 'asOf'> & { readonly silent: boolean },
  version: string,
): Sentence {
  const of = [state.target, version].filter((part) => part !== '').join(', ')
  // A watch reports changes only: the instant may be long ago although the objects are current.
  const live = state.origin === 'cluster'
  const watched = live && state.state === 'current' && !state.silent
  const at: Cell = state.asOf === undefined ? '' : { value: unixMsOf(state.asOf), as: 'dateTime' }
  const when = at === '' ? [] : watched ? phrase`, confirmed at ${at} and watched since` : phrase`, as of ${at}`
  const stale = state.state === 'stale' || (live && state.silent)
  const since = stale ? ' The server no longer reports its objects, so they may have changed.' : ''
  return phrase`Objects of ${of}${when}.${since}`
}

const STATES: Readonly<Record<DriftRow['change'], string>> = {
  changed: 'differs',
  missing: 'missing here',
  extra: 'only here',
}

const VERDICTS: Readonly<Record<DriftRow['server']['verdict'], string>> = {
  kept: 'keeps it',
  'put-back': 'restores it',
  recreated: 'recreates it',
  deleted: 'deletes it',
  'annotation-rewritten': 'writes its annotation',
}

const cellsOf = ({ kind, name, change, builtIn, server, fields }: DriftRow): readonly Cell[] => [
  name,
  kind,
  change === 'extra' && builtIn === undefined ? 'your own' : STATES[change],
  VERDICTS[server.verdict],
  fields.map(({ field, from, to }) => `${shortField(field)}: ${valueText(from)} → ${valueText(to)}`).join(', '),
]

const shortField = (field: string): string => field.replace(/^spec\.(limited\.|exempt\.)?/, '')
const valueText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))
