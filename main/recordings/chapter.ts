import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { ProblemError } from '../../core/contract/errors.ts'
import { SourceInfoSchema } from '../../core/frame/frame.ts'
import { inSteps, joinPacked, packSeries } from '../../core/history/packed.ts'
import type { Noted } from '../../core/contract/recording.ts'
import type { AdjustmentStep } from '../../core/frame/derived.ts'
import type { HeatKind, HeatStretch } from '../../core/history/heat.ts'
import type { Series } from '../../core/history/series.ts'
import type { ServerStretch } from '../../core/source/picture.ts'
import {
  firstWords,
  lastWords,
  openingOf,
  readSegment,
  type EventKind,
  type SegmentEvents,
  type SegmentLine,
  type Told,
} from '../../core/source/recording.ts'
import type { UnixMs } from '../../core/units.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { messageOf } from '../../core/text/text.ts'
import { insertNotes, NOTE_SCHEMA, notesIn } from './notes.ts'
import {
  compressed,
  heatIn,
  insertRows,
  QUICK,
  rowsOf,
  SMALL,
  stepsIn,
  STRETCH_SCHEMA,
  type StretchQuery,
} from './stretches.ts'

/*
 * A chapter is one SQLite file with some of the time of a recording. The lines of the present segment stand in `tail`,
 * a row for each time that some came; once the segment is complete they become one row of `segment`, which compresses
 * them far better. Each segment is read alone, so that damage to one leaves the others readable. A summary of each segment
 * has the series of its samples, so that days are drawn without reading what happened in them.
 */

/**
 * In which steps a summary has the series of a segment, and for ranges of which length: the same as a history in memory.
 * The coarsest comes first, because a row begins with what is read of most segments at once.
 */
const RESOLUTIONS = [
  { name: 'minutes', stepMs: 60_000, upToMs: Number.POSITIVE_INFINITY },
  { name: 'tens', stepMs: 10_000, upToMs: 6 * 3_600_000 },
  { name: 'samples', stepMs: 0, upToMs: 20 * 60_000 },
] as const
export type Resolution = (typeof RESOLUTIONS)[number]['name']

/** The finest that is read of a range so long. */
export const resolutionFor = (lengthMs: number): Resolution =>
  RESOLUTIONS.findLast(({ upToMs }) => lengthMs <= upToMs)?.name ?? 'minutes'
export const stepMsOf = (resolution: Resolution): number =>
  RESOLUTIONS.find(({ name }) => name === resolution)?.stepMs ?? 0

const BLOCKS = `(
  id INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  restated INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;`
const SCHEMA = `
  CREATE TABLE about (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL) STRICT;
  CREATE TABLE segment ${BLOCKS}
  CREATE TABLE tail ${BLOCKS}
  CREATE TABLE summary (
    segment INTEGER NOT NULL,
    server TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    ${RESOLUTIONS.map(({ name }) => `${name} BLOB NOT NULL`).join(', ')},
    PRIMARY KEY (segment, server)
  ) STRICT;
  CREATE TABLE digest (
    upto INTEGER NOT NULL,
    server TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (server, upto)
  ) STRICT;
  CREATE TABLE edge (name TEXT PRIMARY KEY, restated INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
  ${STRETCH_SCHEMA}
  ${NOTE_SCHEMA}
`

/** What is read at the seam of two recordings: a server, and the source of its objects. */
export const SPEAKERS: ReadonlySet<EventKind> = new Set(['frame', 'objects'])

/** The coarsest series of so many segments are one digest, so that a day is a few dozen of them. */
const DIGEST_SEGMENTS = 60
/** What is left of them is digested at the end of a chapter, unless its many servers would keep the console from ending. */
const MOST_LEFT = 5_000

const AboutSchema = z.object({
  /** The same for all chapters of a recording. */
  recording: z.string(),
  /** ISO 8601: when the recording began, not the chapter. */
  startedAt: z.string(),
  source: SourceInfoSchema,
  /** The console that writes it, by which another one knows whether it still does; empty once it has ended. */
  writer: z.string(),
})
/** What a recording is of. */
export type About = z.infer<typeof AboutSchema>

/** A segment is complete after so long, or with so many characters. */
export const SEGMENT_MS = 60_000
export const SEGMENT_CHARACTERS = 8 * 1024 * 1024

/** A line that is to be kept. */
export interface KeptLine extends SegmentLine {
  /** What it tells of, or when it was told where it tells of no instant; Unix milliseconds. */
  readonly at: UnixMs
}

/** A chapter that this console writes. Its methods reject with `ProblemError`. */
export interface ChapterWriter {
  /**
   * Keeps lines of the present segment, and what was noted of what they tell. When it resolves both survive the end of the
   * process, however it comes.
   */
  append(lines: readonly KeptLine[], noted?: readonly Noted[]): Promise<void>
  /** Characters of the present segment. */
  readonly pending: number
  /** Ends the present segment, if there is one; the stretches are of its samples, of each server. */
  seal(stretches: readonly ServerStretch[]): Promise<void>
  /** Bytes of the file. */
  bytes(): Promise<number>
  /** Ends the writing; what is not sealed is read all the same. `last`: the last words of the speakers, restated. */
  close(last: readonly SegmentLine[]): Promise<void>
}

/** Of lines that belong together: what they tell of, how many tell again, and their text. */
interface Block {
  readonly first: UnixMs
  readonly last: UnixMs
  readonly restated: number
  readonly body: Uint8Array
}

type Level = Parameters<typeof compressed>[1]

async function blockOf(lines: readonly KeptLine[], level: Level): Promise<Block> {
  let [first, last, restated] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  for (const line of lines) {
    if (line.restated) restated++
    else {
      first = Math.min(first, line.at)
      last = Math.max(last, line.at)
    }
  }
  return { first: Math.round(first), last: Math.round(last), restated, body: await bodyOfLines(lines, level) }
}

const bodyOfLines = (lines: readonly SegmentLine[], level: Level): Promise<Buffer> =>
  compressed(lines.map(({ text }) => text).join('\n'), level)

/** An end of a chapter by itself. */
interface Edge {
  readonly name: 'first' | 'last'
  readonly restated: number
  readonly body: Uint8Array
}

async function edgeOf(name: Edge['name'], lines: readonly SegmentLine[]): Promise<Edge> {
  const restated = lines.filter((line) => line.restated).length
  return { name, restated, body: await bodyOfLines(lines, SMALL) }
}

function insertEdge(connection: DatabaseSync, { name, restated, body }: Edge): void {
  connection.prepare('INSERT INTO edge (name, restated, body) VALUES (?, ?, ?)').run(name, restated, body)
}

/** Creates the file of a chapter. Rejects with `ProblemError`. */
export async function createChapter(path: string, about: About): Promise<ChapterWriter> {
  const database = await openDatabase({ path, migrations: [SCHEMA], survives: 'process' })
  try {
    await database.write((connection) =>
      connection.prepare('INSERT INTO about (id, value) VALUES (1, ?)').run(JSON.stringify(about)),
    )
  } catch (error) {
    database.close()
    throw error
  }
  let open: KeptLine[] = []
  let pending = 0
  let segments = 0
  return {
    async append(lines, noted = []) {
      const block = lines.length === 0 ? undefined : await blockOf(lines, QUICK)
      await database.write((connection) => {
        if (block !== undefined) insert(connection, 'tail', block)
        insertNotes(connection, noted)
      })
      open.push(...lines)
      for (const { text } of lines) pending += text.length
    },
    get pending() {
      return pending
    },
    async seal(stretches) {
      if (open.length === 0) return
      const block = await blockOf(open, SMALL)
      const series = stretches.map((stretch) => stretch.series)
      const summaries = await Promise.all(series.filter(({ times }) => times.length > 0).map(summaryOf))
      const rows = await rowsOf(stretches)
      const first = segments === 0 ? await edgeOf('first', open.slice(0, openingOf(open, SPEAKERS))) : undefined
      await database.write((connection) => {
        const segment = insert(connection, 'segment', block)
        for (const summary of summaries) insertSummary(connection, segment, summary)
        insertRows(connection, segment, rows)
        if (first !== undefined) insertEdge(connection, first)
        connection.exec('DELETE FROM tail')
      })
      open = []
      pending = 0
      segments += 1
      if (segments % DIGEST_SEGMENTS === 0) await digest(database, Number.POSITIVE_INFINITY)
    },
    bytes: () =>
      database.read((connection) => {
        const pages = Number(connection.prepare('PRAGMA page_count').get()?.['page_count'])
        return pages * Number(connection.prepare('PRAGMA page_size').get()?.['page_size'])
      }),
    async close(last) {
      await digest(database, MOST_LEFT)
      const edge = await edgeOf('last', last)
      await database
        .write((connection) => {
          insertEdge(connection, edge)
          connection.prepare('UPDATE about SET value = ?').run(JSON.stringify({ ...about, writer: '' }))
        })
        .catch(() => undefined)
      // A file by itself, to which readers add nothing; while one reads, it stays as it is.
      await database.read((connection) => connection.exec('PRAGMA journal_mode = DELETE')).catch(() => undefined)
      database.close()
    },
  }
}

/** Returns its id. */
function insert(connection: DatabaseSync, table: 'tail' | 'segment', block: Block): number {
  const { first, last, restated, body } = block
  const { lastInsertRowid } = connection
    .prepare(`INSERT INTO ${table} (first, last, restated, body) VALUES (?, ?, ?, ?)`)
    .run(first, last, restated, body)
  return Number(lastInsertRowid)
}

interface Summary {
  readonly server: string
  readonly first: UnixMs
  readonly last: UnixMs
  /** In the order of RESOLUTIONS. */
  readonly bodies: readonly Uint8Array[]
}

async function summaryOf(series: Series): Promise<Summary> {
  const bodies = RESOLUTIONS.map(({ stepMs }) => compressed(packSeries(inSteps(series, stepMs)), QUICK))
  const [first = 0, last = first] = [series.times[0], series.times.at(-1)]
  return { server: series.server, first: Math.floor(first), last: Math.ceil(last), bodies: await Promise.all(bodies) }
}

function insertSummary(connection: DatabaseSync, segment: number, { server, first, last, bodies }: Summary): void {
  const columns = RESOLUTIONS.map(({ name }) => name).join(', ')
  connection
    .prepare(`INSERT INTO summary (segment, server, first, last, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
    .run(segment, server, first, last, ...bodies)
}

/** Digests the summaries that no digest holds yet, unless they are more than `most`. */
async function digest(database: Database, most: number): Promise<void> {
  // Where that fails, or the process ends before, the summaries themselves are read.
  await digestAll(database, most).catch(() => undefined)
}

async function digestAll(database: Database, most: number): Promise<void> {
  const left = await database.read((connection) =>
    z
      .array(LeftSchema)
      .parse(
        connection
          .prepare(
            `SELECT server, count(*) AS rows, max(segment) AS upto, min(first) AS first, max(last) AS last FROM summary ${UNDIGESTED} GROUP BY server`,
          )
          .all(),
      ),
  )
  if (left.length === 0 || left.reduce((sum, { rows }) => sum + rows, 0) > most) return
  const upto = Math.max(...left.map((one) => one.upto))
  const digests: (z.infer<typeof LeftSchema> & { readonly body: Uint8Array })[] = []
  // One after the other: packing them keeps the console from doing anything else.
  for (const one of left) {
    const bodies = await database.read((connection) => bodiesIn(connection, LEFT_OF_SERVER, one.server))
    digests.push({ ...one, body: await compressed(joinPacked(one.server, bodies, stepMsOf('minutes')), SMALL) })
  }
  await database.write((connection) => {
    const put = connection.prepare('INSERT INTO digest (upto, server, first, last, body) VALUES (?, ?, ?, ?, ?)')
    // All of them end with the same segment, also those of servers that were silent then.
    for (const { server, first, last, body } of digests) put.run(upto, server, first, last, body)
  })
}

const UNDIGESTED = 'WHERE segment > (SELECT coalesce(max(upto), 0) FROM digest)'
const LEFT_OF_SERVER = `SELECT minutes AS body FROM summary ${UNDIGESTED} AND server = ? ORDER BY segment`
const LeftSchema = z.object({
  server: z.string(),
  rows: z.number(),
  upto: z.number(),
  first: z.number(),
  last: z.number(),
})

/** From one instant to another. */
export interface Span {
  readonly first: UnixMs
  readonly last: UnixMs
}

/** Where a segment is, and of which time it tells. */
export interface SegmentPlace extends Span {
  /** `undefined`: the lines that no segment holds yet. */
  readonly id: number | undefined
}

/** A chapter that any console may read, also while another one writes it. */
export interface ChapterReader {
  readonly about: About
  /** In the order of telling. Those that damage hides are missing, and `problem` says so. */
  readonly segments: readonly SegmentPlace[]
  readonly problem: string | undefined
  /** Whether it has series; earlier versions wrote none. */
  readonly summarised: boolean
  /** First and last sample of all servers in each complete segment that has samples, in the order of telling. Throws the same. */
  sampled(): readonly Span[]
  /** Of kinds that are wanted, where they are named. Throws `ProblemError` where it cannot be read. */
  read(segment: SegmentPlace, wanted?: ReadonlySet<EventKind>): SegmentEvents
  /** The last word of each thread of a speaker (`core/source/recording.ts`). Throws the same. */
  lastWords(segment: SegmentPlace): readonly Told[]
  /** The first word of each of these threads of speakers. Throws the same. */
  firstWords(segment: SegmentPlace, threads: ReadonlySet<string>): readonly Told[]
  /**
   * Packed series (`core/history/packed.ts`) of the samples of complete segments that lie between two instants or reach over one of them. Throws
   * `ProblemError` where they cannot be read.
   */
  series(resolution: Resolution, server: string, from: UnixMs, to: UnixMs): readonly Uint8Array[]
  /** Whether it has heat maps and recomputations; earlier versions wrote none. */
  readonly detailed: boolean
  /** Of complete segments, like `series`. Throws `ProblemError` where they cannot be read. */
  heat(query: StretchQuery & { readonly kind: HeatKind; readonly level: string }): readonly HeatStretch[]
  steps(query: StretchQuery): readonly AdjustmentStep[]
  /** Whether it has what was noted; earlier versions wrote none. */
  readonly noting: boolean
  /** What was noted between two instants, oldest first. Throws `ProblemError` where it cannot be read. */
  noted(from: UnixMs, to: UnixMs): readonly Noted[]
  close(): void
}

const PlaceSchema = z.object({ id: z.number(), first: z.number(), last: z.number() })
const BlockSchema = z.object({ restated: z.number(), body: z.instanceof(Uint8Array) })
/** A segment is a few megabytes of text; what unpacks to far more was not written by a recorder. */
const MOST_TEXT_BYTES = 256 * 1024 * 1024

/** Opens a chapter without changing it. Throws `ProblemError` for what is none. */
export function openChapter(path: string): ChapterReader {
  if (!existsSync(path)) throw new ProblemError('not-found', `There is no recording at ${path}.`)
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 1_000 })
  try {
    // All of what is read is of one moment, although the writer goes on.
    connection.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; BEGIN')
    const value = connection.prepare('SELECT value FROM about').get()?.['value']
    const about = AboutSchema.safeParse(typeof value === 'string' ? JSON.parse(value) : undefined)
    if (!about.success) throw new RangeError('it does not say what it is of')
    const { segments, problem } = placesIn(connection)
    const has = (table: string): boolean =>
      connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined
    const [summarised, detailed, noting] = [has('summary'), has('stretch'), has('note')]
    const whole = <T>(what: string, read: () => T): T => {
      try {
        return read()
      } catch (error) {
        throw damaged(`the ${what} of ${path}`, error)
      }
    }
    const text = (body: Uint8Array): string => unpacked(body).toString('utf8')
    const linesIn = <T>({ id: known, first }: SegmentPlace, use: (lines: Lines) => T): T => {
      // What was the present segment when somebody looked may be complete by now.
      const id = known ?? segments.find((place) => place.first === first)?.id
      try {
        return use(id === undefined ? tailOf(connection) : bodyOf(connection, id))
      } catch (error) {
        throw damaged(`the part of ${path} that begins at ${new Date(first).toISOString()}`, error)
      }
    }
    /** Of the segment at that end of the chapter what is kept by itself; of any other, and where nothing is, all lines. */
    const edgeIn = <T>(name: Edge['name'], place: SegmentPlace, use: (lines: Lines) => T): T => {
      const outermost = segments.at(name === 'first' ? 0 : -1)
      const edge = place.id === outermost?.id && has('edge') ? edgeNamed(connection, name) : undefined
      return edge === undefined ? linesIn(place, use) : whole('ends', () => use(edge))
    }
    return {
      about: about.data,
      segments,
      problem,
      summarised,
      read: (place, wanted) => linesIn(place, ({ lines, restated }) => readSegment(lines, restated, wanted)),
      lastWords: (place) => edgeIn('last', place, ({ lines }) => lastWords(lines, SPEAKERS)),
      firstWords: (place, threads) =>
        edgeIn('first', place, ({ lines, restated }) => firstWords(lines, restated, SPEAKERS, threads)),
      sampled: () => whole('series', () => (summarised ? sampledIn(connection) : [])),
      series: (resolution, server, from, to) =>
        whole('series', () =>
          summarised ? readSeries(connection, resolution, server, { from, to, digested: has('digest') }) : [],
        ),
      detailed,
      heat: (query) => whole('histograms', () => (detailed ? heatIn(connection, query, text) : [])),
      steps: (query) => whole('recomputations', () => (detailed ? stepsIn(connection, query, text) : [])),
      noting,
      noted: (from, to) => whole('marks', () => (noting ? notesIn(connection, from, to) : [])),
      close: () => connection.close(),
    }
  } catch (error) {
    connection.close()
    throw damaged(`the recording ${path}`, error)
  }
}

const damaged = (what: string, error: unknown): ProblemError =>
  new ProblemError(
    'bad-answer',
    `Cannot read ${what}: it is damaged, or APF Console did not write it.`,
    messageOf(error),
  )

/** From both ends towards what cannot be read. */
function placesIn(connection: DatabaseSync): { segments: readonly SegmentPlace[]; problem: string | undefined } {
  const forwards = placesUntilDamage(connection, 'segment', 'ASC')
  const { problem } = forwards
  const known = new Set(forwards.places.map(({ id }) => id))
  const backwards = problem === undefined ? [] : placesUntilDamage(connection, 'segment', 'DESC').places.toReversed()
  const segments: SegmentPlace[] = [...forwards.places, ...backwards.filter(({ id }) => !known.has(id))]
  const tail = placesUntilDamage(connection, 'tail', 'ASC')
  if (tail.places.length > 0) {
    const first = Math.min(...tail.places.map((place) => place.first))
    const last = Math.max(...tail.places.map((place) => place.last))
    segments.push({ id: undefined, first, last })
  }
  return { segments, problem: problem ?? tail.problem }
}

function placesUntilDamage(
  connection: DatabaseSync,
  table: 'tail' | 'segment',
  order: 'ASC' | 'DESC',
): { places: z.infer<typeof PlaceSchema>[]; problem: string | undefined } {
  const places: z.infer<typeof PlaceSchema>[] = []
  try {
    for (const row of connection.prepare(`SELECT id, first, last FROM ${table} ORDER BY id ${order}`).iterate()) {
      places.push(PlaceSchema.parse(row))
    }
    return { places, problem: undefined }
  } catch (error) {
    return { places, problem: messageOf(error) }
  }
}

/** Of a segment; the first `restated` of them tell again. */
interface Lines {
  readonly lines: readonly string[]
  readonly restated: number
}

/** As far as it can be read: of lines that follow each other none can be read after one that cannot. */
function tailOf(connection: DatabaseSync): Lines {
  const lines: string[] = []
  let restated = 0
  for (const row of connection.prepare('SELECT restated, body FROM tail ORDER BY id').iterate()) {
    const block = BlockSchema.parse(row)
    lines.push(...linesOf(block.body))
    restated += block.restated
  }
  return { lines, restated }
}

function bodyOf(connection: DatabaseSync, id: number): Lines {
  const { restated, body } = BlockSchema.parse(
    connection.prepare('SELECT restated, body FROM segment WHERE id = ?').get(id),
  )
  return { lines: linesOf(body), restated }
}

function edgeNamed(connection: DatabaseSync, name: Edge['name']): Lines | undefined {
  const row = connection.prepare('SELECT restated, body FROM edge WHERE name = ?').get(name)
  if (row === undefined) return undefined
  const { restated, body } = BlockSchema.parse(row)
  return { lines: linesOf(body), restated }
}

const linesOf = (body: Uint8Array): string[] => unpacked(body).toString('utf8').split('\n')

const unpacked = (body: Uint8Array): Buffer => zstdDecompressSync(body, { maxOutputLength: MOST_TEXT_BYTES })

const BodySchema = z.object({ body: z.instanceof(Uint8Array) })

function readSeries(
  connection: DatabaseSync,
  resolution: Resolution,
  server: string,
  { from, to, digested }: { readonly from: UnixMs; readonly to: UnixMs; readonly digested: boolean },
): Uint8Array[] {
  const inside = 'server = ? AND first <= ? AND last >= ?'
  if (resolution !== 'minutes' || !digested) {
    const rows = `SELECT ${resolution} AS body FROM summary WHERE ${inside} ORDER BY segment`
    return bodiesIn(connection, rows, server, to, from)
  }
  return [
    ...bodiesIn(connection, `SELECT body FROM digest WHERE ${inside} ORDER BY upto`, server, to, from),
    ...bodiesIn(connection, `SELECT minutes AS body FROM summary ${UNDIGESTED} AND ${inside}`, server, to, from),
  ]
}

const SpanSchema = z.object({ first: z.number(), last: z.number() })

const sampledIn = (connection: DatabaseSync): readonly Span[] =>
  z
    .array(SpanSchema)
    .parse(connection.prepare('SELECT min(first) AS first, max(last) AS last FROM summary GROUP BY segment').all())

/** Unpacked, of the rows that a statement selects. */
function bodiesIn(connection: DatabaseSync, statement: string, ...values: readonly (string | number)[]): Uint8Array[] {
  return [...connection.prepare(statement).iterate(...values)].map((row) => unpacked(BodySchema.parse(row).body))
}
