import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { z } from 'zod'
import { AdjustmentStepSchema, type AdjustmentStep } from '../../core/frame/derived.ts'
import type { HeatKind, HeatStretch } from '../../core/history/heat.ts'
import type { ServerStretch } from '../../core/source/picture.ts'
import type { UnixMs } from '../../core/units.ts'

/*
 * Data that a segment has for each server besides its series: how long requests waited and ran, by level, and the
 * reallocations of its limits. A row is read without those of other levels, so that a day of one level is 1,440 small
 * rows next to each other.
 */

/** `cells` are the numbers of cells that had a sample; `steps` the reallocations. Both have no level. */
type What = HeatKind | 'cells' | 'steps'

export const STRETCH_SCHEMA = `
  CREATE TABLE stretch (
    server TEXT NOT NULL,
    what TEXT NOT NULL,
    level TEXT NOT NULL,
    segment INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (server, what, level, segment)
  ) STRICT, WITHOUT ROWID;
`

interface Row {
  readonly server: string
  readonly what: What
  readonly level: string
  readonly first: UnixMs
  readonly last: UnixMs
  readonly body: Uint8Array
}

/** zstd levels: a second must be written quickly, a minute should be small. */
export const QUICK = 1
export const SMALL = 6

/** Compresses the content of a chapter. */
export const compressed = (content: string | Uint8Array, level: typeof QUICK | typeof SMALL): Promise<Buffer> =>
  promisify(zstdCompress)(content, {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  })

/** The rows of a segment. */
export async function rowsOf(stretches: readonly ServerStretch[]): Promise<readonly Row[]> {
  const rows = stretches.flatMap(({ series: { server, times }, heat, steps }) => {
    const [first = 0, last = first] = [times[0], times.at(-1)]
    const row = (what: What, level: string, content: unknown) => ({
      server,
      what,
      level,
      first: Math.floor(first),
      last: Math.ceil(last),
      text: JSON.stringify(content),
    })
    if (times.length === 0) return []
    const levels = Map.groupBy(heat.flows, ({ kind, level }) => `${kind} ${level}`)
    return [
      row('cells', '', heat.sampled),
      ...(steps.length === 0 ? [] : [row('steps', '', steps)]),
      ...[...levels.values()].flatMap((flows) => {
        const [flow] = flows
        if (flow === undefined) return []
        return [
          row(
            flow.kind,
            flow.level,
            flows.map(({ schema, bounds, cells }) => ({ schema, bounds, cells })),
          ),
        ]
      }),
    ]
  })
  return Promise.all(rows.map(async ({ text, ...row }) => ({ ...row, body: await compressed(text, QUICK) })))
}

export function insertRows(connection: DatabaseSync, segment: number, rows: readonly Row[]): void {
  const insert = connection.prepare(
    'INSERT INTO stretch (server, what, level, segment, first, last, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const { server, what, level, first, last, body } of rows) {
    insert.run(server, what, level, segment, first, last, body)
  }
}

/** A server, and a time span; includes rows that overlap one of its ends. */
export interface StretchQuery {
  readonly server: string
  readonly from: UnixMs
  readonly to: UnixMs
}

/** Unpacks the text of a row. */
type Unpack = (body: Uint8Array) => string

const RowSchema = z.object({ body: z.instanceof(Uint8Array) })

function contents(
  connection: DatabaseSync,
  { server, from, to }: StretchQuery,
  [what, level]: readonly [What, string],
  unpack: Unpack,
): unknown[] {
  const rows = connection
    .prepare(
      'SELECT body FROM stretch WHERE server = ? AND what = ? AND level = ? AND first <= ? AND last >= ? ORDER BY segment',
    )
    .iterate(server, what, level, to, from)
  return [...rows].map((row): unknown => JSON.parse(unpack(RowSchema.parse(row).body)))
}

const CellsSchema = z.array(z.number())
const FlowsSchema = z.array(
  z.object({ schema: z.string(), bounds: z.array(z.number()), cells: z.array(z.array(z.number())) }),
)
const StepsSchema = z.array(AdjustmentStepSchema)

/** Data for the heat maps of one level and kind. */
export function heatIn(
  connection: DatabaseSync,
  query: StretchQuery & { readonly kind: HeatKind; readonly level: string },
  unpack: Unpack,
): readonly HeatStretch[] {
  const { kind, level } = query
  const flows = contents(connection, query, [kind, level], unpack).flatMap((content) => FlowsSchema.parse(content))
  const sampled = contents(connection, query, ['cells', ''], unpack).flatMap((content) => CellsSchema.parse(content))
  return [{ sampled, flows: flows.map((flow) => ({ kind, level, ...flow })) }]
}

/** Reallocations in the order of the segments; one that was completed later occurs twice. */
export const stepsIn = (connection: DatabaseSync, query: StretchQuery, unpack: Unpack): readonly AdjustmentStep[] =>
  contents(connection, query, ['steps', ''], unpack).flatMap((content) => StepsSchema.parse(content))
