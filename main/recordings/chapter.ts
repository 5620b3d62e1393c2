import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { ProblemError, messageOf } from '../../core/errors.ts'
import { SourceInfoSchema } from '../../core/frame/frame.ts'
import { inSteps, joinPacked, packSeries } from '../../core/history/packed.ts'
import type { Note } from '../../core/contract/recording.ts'
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
  type TimedEvent,
} from '../../core/source/recording.ts'
import { plain } from '../../core/text/format.ts'
import type { UnixMs } from '../../core/units.ts'
import { assertRoom, type Database, openDatabase } from '../store/database.ts'
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
 * A chapter is one SQLite file with some of the time of a recording. The lines of the present segment are in `tail`,
 * one row for each batch; once the segment is complete they become one row of `segment`, which compresses them far
 * better. Each segment is read alone, so that damage to one leaves the others readable. A summary of each segment has
 * the series of its samples, so that days are drawn without reading their events.
 */

/**
 * The steps in which a summary has the series of a segment, and the lengths of the ranges that they serve: the same as
 * in the history in memory. The coarsest comes first, because a row begins with what is read of most segments at once.
 */
const RESOLUTIONS = [
  { name: 'minutes', stepMs: 60_000, upToMs: Number.POSITIVE_INFINITY },
  { name: 'tens', stepMs: 10_000, upToMs: 6 * 3_600_000 },
  { name: 'samples', stepMs: 0, upToMs: 20 * 60_000 },
] as const
export type Resolution = (typeof RESOLUTIONS)[number]['name']

/** The finest resolution that is read for a range of this length. */
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

/** Event kinds that are read at the seam of two recordings: a server, and the source of its objects. */
export const SPEAKERS: ReadonlySet<EventKind> = new Set(['frame', 'objects'])

/** The coarsest series of this many segments form one digest, so that a day is a few dozen of them. */
const DIGEST_SEGMENTS = 60
/**
 * The remaining ones are digested at the end of a chapter, unless its many servers would delay the end of the console.
 */
const MOST_LEFT = 5_000

const AboutSchema = z.object({
  /** The same in all chapters of a recording. */
  recording: z.string(),
  /** ISO 8601: when the recording began, not the chapter. */
  startedAt: z.string(),
  source: SourceInfoSchema,
  /** The console that writes it, so that other consoles can check whether it still does; empty once it has ended. */
  writer: z.string(),
})
/** Describes what a recording is of. */
export type About = z.infer<typeof AboutSchema>

/** A segment is complete after this time, or with this many characters. */
export const SEGMENT_MS = 60_000
export const SEGMENT_CHARACTERS = 8 * 1024 * 1024

/** A line to store. */
export interface KeptLine extends SegmentLine {
  /** The instant that it describes, or when it was emitted if it describes none; Unix milliseconds. */
  readonly at: UnixMs
}

/** A chapter that this console writes. Its methods reject with `ProblemError`. */
export interface ChapterWriter {
  /**
   * Stores lines of the present segment, and the notes about them. When it resolves, both survive any end of the
   * process.
   */
  append(lines: readonly KeptLine[], notes?: readonly Note[]): Promise<void>
  /** Characters of the present segment. */
  readonly pending: number
  /** Completes the present segment, if there is one; the stretches are those of its samples, for each server. */
  seal(stretches: readonly ServerStretch[]): Promise<void>
  /** Bytes of the file. */
  bytes(): Promise<number>
  /**
   * Ends writing; lines outside complete segments can still be read. `last`: the last events of the speakers, restated.
   */
  close(last: readonly SegmentLine[]): Promise<void>
}

/** A block of lines: the span that they describe, how many are restated, and their text. */
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

/** The first or last lines of a chapter, stored separately. */
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

/** Creates the file of a chapter. Rejects with `ProblemError`, and leaves nothing behind. */
export async function createChapter(path: string, about: About): Promise<ChapterWriter> {
  if (existsSync(path)) throw new ProblemError('internal', `Cannot record to ${path}: it exists.`)
  let database: Database | undefined
  try {
    database = await openDatabase({ path, migrations: [SCHEMA], survives: 'process' })
    await database.write((connection) =>
      connection.prepare('INSERT INTO about (id, value) VALUES (1, ?)').run(JSON.stringify(about)),
    )
  } catch (error) {
    database?.close()
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    throw error
  }
  return writerOf(database, about)
}

function writerOf(database: Database, about: About): ChapterWriter {
  let open: KeptLine[] = []
  let pending = 0
  let segments = 0
  return {
    async append(lines, notes = []) {
      const block = lines.length === 0 ? undefined : await blockOf(lines, QUICK)
      await database.write((connection) => {
        if (block !== undefined) insert(connection, 'tail', block)
        insertNotes(connection, notes)
      })
      for (const added of lines) open.push(added)
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
      // A single file, to which readers add nothing; the mode does not change while a reader has it open.
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

/** Digests the summaries that are in no digest yet, unless there are more than `most`. */
async function digest(database: Database, most: number): Promise<void> {
  // If that fails, or the process ends first, the summaries themselves are read.
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
  // One after the other: packing them blocks everything else in the console.
  for (const one of left) {
    const bodies = await database.read((connection) => bodiesIn(connection, LEFT_OF_SERVER, one.server))
    digests.push({ ...one, body: await compressed(joinPacked(one.server, bodies, stepMsOf('minutes')), SMALL) })
  }
  await database.write((connection) => {
    const put = connection.prepare('INSERT INTO digest (upto, server, first, last, body) VALUES (?, ?, ?, ?, ?)')
    // All digests end with the same segment, including those of servers without samples then.
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

/** From the first instant of any part to the last; for no parts, from +∞ to −∞. */
export const wholeSpan = (parts: readonly Span[]): Span =>
  parts.reduce((all, { first, last }) => ({ first: Math.min(all.first, first), last: Math.max(all.last, last) }), {
    first: Infinity,
    last: -Infinity,
  })

/** The place of a segment, and the time that it covers. */
export interface SegmentPlace extends Span {
  /** `undefined`: the lines that are in no segment yet. */
  readonly id: number | undefined
}

/** A chapter that any console may read, even while another one writes it. */
export interface ChapterReader {
  readonly about: About
  /** In the order of recording. Damaged ones are missing, and `problem` describes the damage. */
  readonly segments: readonly SegmentPlace[]
  readonly problem: string | undefined
  /** Whether it has series; earlier versions wrote none. */
  readonly summarised: boolean
  /**
   * First and last sample of all servers in each complete segment that has samples, in the order of recording. Throws
   * the same.
   */
  sampled(): readonly Span[]
  /** Only events of the wanted kinds, if given. Throws `ProblemError` where it cannot be read. */
  read(segment: SegmentPlace, wanted?: ReadonlySet<EventKind>, pageMs?: number): SegmentEvents
  /** The last event of each thread of a speaker (`core/source/recording.ts`). Throws the same. */
  lastWords(segment: SegmentPlace): readonly TimedEvent[]
  /** The first event of each of these threads of speakers. Throws the same. */
  firstWords(segment: SegmentPlace, threads: ReadonlySet<string>): readonly TimedEvent[]
  /**
   * Packed series (`core/history/packed.ts`) of the samples of complete segments that lie between two instants or
   * overlap one of them. Throws `ProblemError` where they cannot be read.
   */
  series(resolution: Resolution, server: string, from: UnixMs, to: UnixMs): readonly Uint8Array[]
  /** Whether it has heat maps and reallocations; earlier versions wrote none. */
  readonly detailed: boolean
  /** For complete segments, like `series`. Throws `ProblemError` where they cannot be read. */
  heat(query: StretchQuery & { readonly kind: HeatKind; readonly level: string }): readonly HeatStretch[]
  steps(query: StretchQuery): readonly AdjustmentStep[]
  /** Whether it has notes; earlier versions wrote none. */
  readonly noting: boolean
  /** Notes between two instants, oldest first. Throws `ProblemError` where they cannot be read. */
  notes(from: UnixMs, to: UnixMs): readonly Note[]
  close(): void
}

const PlaceSchema = z.object({ id: z.number(), first: z.number(), last: z.number() })
const BlockSchema = z.object({ restated: z.number(), body: z.instanceof(Uint8Array) })
/** A segment is a few megabytes of text; one that unpacks to far more was not written by a recorder. */
const MOST_TEXT_BYTES = 256 * 1024 * 1024

/**
 * Whether its console got as far as describing the recording: one that was killed before left an empty database, or
 * still works on it.
 */
export function hasBegun(path: string): boolean {
  let connection: DatabaseSync | undefined
  try {
    connection = openReadOnly(path)
    const about = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'about'").get()
    return about !== undefined && connection.prepare('SELECT 1 FROM about').get() !== undefined
  } catch {
    // Damage is reported where the chapter is read.
    return true
  } finally {
    connection?.close()
  }
}

/** Throws `ProblemError` when there is no room for what SQLite keeps beside a file whose writer has not closed it. */
function openReadOnly(path: string): DatabaseSync {
  if (existsSync(`${path}-wal`)) assertRoom(path)
  return new DatabaseSync(path, { readOnly: true, timeout: 1_000 })
}

/** Opens a chapter without changing it. Throws `ProblemError` for a file that is not a chapter. */
export function openChapter(path: string): ChapterReader {
  if (!existsSync(path)) throw new ProblemError('not-found', `There is no recording at ${path}.`)
  const connection = openReadOnly(path)
  try {
    // All reads are of the same moment, although the writer continues.
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
      // The present segment at the time of listing may be complete by now.
      const id = known ?? segments.find((place) => place.first === first)?.id
      try {
        return use(id === undefined ? tailOf(connection) : bodyOf(connection, id))
      } catch (error) {
        throw damaged(`the part of ${path} that begins at ${plain.instant(first)}`, error)
      }
    }
    /**
     * For the segment at that end of the chapter, the lines that are stored separately; for any other segment, and
     * where none are stored, all lines.
     */
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
      read: (place, wanted, pageMs) =>
        linesIn(place, ({ lines, restated }) => readSegment(lines, restated, wanted, pageMs)),
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
      notes: (from, to) => whole('marks', () => (noting ? notesIn(connection, from, to) : [])),
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

/** Reads from both ends towards the part that cannot be read. */
function placesIn(connection: DatabaseSync): { segments: readonly SegmentPlace[]; problem: string | undefined } {
  const forwards = placesUntilDamage(connection, 'segment', 'ASC')
  const { problem } = forwards
  const known = new Set(forwards.places.map(({ id }) => id))
  const backwards = problem === undefined ? [] : placesUntilDamage(connection, 'segment', 'DESC').places.toReversed()
  const segments: SegmentPlace[] = [...forwards.places, ...backwards.filter(({ id }) => !known.has(id))]
  const tail = placesUntilDamage(connection, 'tail', 'ASC')
  if (tail.places.length > 0) {
    segments.push({ id: undefined, ...wholeSpan(tail.places) })
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

/** Lines of a segment; the first `restated` of them are restated. */
interface Lines {
  readonly lines: readonly string[]
  readonly restated: number
}

/** Throws where a row is damaged, even if rows before it are intact. */
function tailOf(connection: DatabaseSync): Lines {
  const lines: string[] = []
  let restated = 0
  for (const row of connection.prepare('SELECT restated, body FROM tail ORDER BY id').iterate()) {
    const block = BlockSchema.parse(row)
    for (const added of linesOf(block.body)) lines.push(added)
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

/** The unpacked bodies of the rows that a statement selects. */
function bodiesIn(connection: DatabaseSync, statement: string, ...values: readonly (string | number)[]): Uint8Array[] {
  return [...connection.prepare(statement).iterate(...values)].map((row) => unpacked(BodySchema.parse(row).body))
}
