import type { FieldChange } from '../../core/config/diff.ts'
import type { Drift, DriftRow } from '../../core/drift/drift.ts'
import { exportDiff } from '../../core/manifest/exportDiff.ts'

/** Two configurations, by the names under which they are told. */
export interface Compared {
  readonly reference: string
  readonly current: string
  readonly version: string
  readonly drift: Drift
}

/** As `apf-console diff --json` and `drift --json` print it (docs/drift.md). */
export const driftJson = ({ reference, current, version, drift }: Compared): unknown => ({
  reference,
  current,
  kubeVersion: version,
  same: drift.same,
  differences: drift.rows.map(({ kind, name, change, fields, builtIn, server }) => ({
    kind,
    name,
    change,
    ...(builtIn !== undefined && { builtIn }),
    fields: fields.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null })),
    server,
  })),
})

const SIGN: Readonly<Record<DriftRow['change'], string>> = { changed: '~', missing: '-', extra: '+' }

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

const fieldLine = ({ field, from, to }: FieldChange): string => `    ${field}: ${shown(from)} → ${shown(to)}`

/** Lines for people; `withServer` adds what the API server itself will do. */
export function driftText({ reference, current, drift }: Compared, withServer: boolean): readonly string[] {
  const rows = drift.rows.flatMap((row) => [
    `${SIGN[row.change]} ${row.kind} ${row.name}${row.change === 'changed' ? '' : ` (${row.change})`}`,
    ...row.fields.map(fieldLine),
    ...(withServer && (row.builtIn !== undefined || row.server.verdict !== 'kept') ? [`    ${row.server.why}`] : []),
  ])
  const count = drift.rows.length
  const sum = `${count} ${count === 1 ? 'object differs' : 'objects differ'}, ${drift.same} ${drift.same === 1 ? 'is' : 'are'} the same: ${current}, compared with ${reference}.`
  return [...rows, sum]
}

/** A unified diff that turns the reference into the configuration. */
export const driftPatch = ({ drift }: Compared): readonly string[] =>
  exportDiff(drift.rows.map(({ kind, name, reference, current }) => ({ kind, name, from: reference, to: current })))
    .text.split('\n')
    .slice(0, -1)
