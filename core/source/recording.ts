import { z } from 'zod'
import { EtcdStateSchema } from '../contract/etcd.ts'
import { LiveRequestSchema, LiveStateSchema } from '../contract/live.ts'
import { ObjectsOriginSchema } from '../contract/objects.ts'
import { RecordedObjectsSchema } from '../contract/recording.ts'
import { SimulationStateSchema } from '../contract/simulation.ts'
import { ServerHealthSchema } from '../contract/source.ts'
import { DumpFrameSchema } from '../frame/dump.ts'
import { ServerFrameSchema } from '../frame/frame.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { applyChange, changeBetween, type Data } from './changes.ts'
import type { SourceEvent } from './sourceEvent.ts'
import { messageOf } from '../errors.ts'

/**
 * A recording contains the events of a source, one per line, in the order of emission. A line is a JSON list of three:
 * the milliseconds since the previous line (for the first line: since 1970), the name of a thread of events, and the
 * changes (`changes.ts`) since the previous event of that thread; the whole event if the name is empty.
 */
export interface TimedEvent {
  readonly at: UnixMs
  readonly event: SourceEvent
}

/** Writes one line for each event; the lines must be read in the same order, starting with the first. */
export function createRecorder(): (timed: TimedEvent) => string {
  const last = new Map<string, Data>()
  let lastAt = 0
  return ({ at, event }) => {
    const thread = threadOf(event)
    const data = dataOf(event)
    const line = [at - lastAt, thread, changeBetween(last.get(thread), data)]
    lastAt = at
    if (thread !== '') last.set(thread, data)
    return JSON.stringify(line)
  }
}

/** A kind of event, by which readers select from a recording. */
export type EventKind = SourceEvent['kind']

/**
 * Reads line after line; `undefined` for an event of an unwanted kind, and for all but the first page of a server in each
 * `pageMs`. Throws RangeError for a line that no recorder wrote, with a message that completes `line 7: …`.
 */
export function createReader(
  wanted?: ReadonlySet<EventKind>,
  pageMs?: number,
): (line: string) => TimedEvent | undefined {
  const follow = createFollower(wanted)
  const intervals = new Map<string, number>()
  const isBetween = ({ thread, data }: Line): boolean => {
    const page = pageMs === undefined ? undefined : PageSchema.safeParse(data).data
    if (page === undefined || pageMs === undefined) return false
    const interval = Math.floor(unixMsOf(page.frame.at) / pageMs)
    if (intervals.get(thread) === interval) return true
    intervals.set(thread, interval)
    return false
  }
  return (text) => {
    const line = follow(text)
    return line === undefined || isBetween(line) ? undefined : { at: line.at, event: eventOf(line.data) }
  }
}

/** What tells the time of a page, which is not validated yet. */
const PageSchema = z.object({ kind: z.literal('frame'), frame: z.object({ at: z.string() }) })

/** The content of a line, not validated yet. */
interface Line {
  readonly at: UnixMs
  readonly thread: string
  readonly data: Data | undefined
}

function createFollower(wanted: ReadonlySet<EventKind> | undefined): (line: string) => Line | undefined {
  const last = new Map<string, Data | undefined>()
  let at = 0
  return (text) => {
    const passed = wanted && unwanted(text, wanted)
    if (passed !== undefined) {
      at += passed
      return undefined
    }
    const line = LineSchema.safeParse(parsed(text))
    if (!line.success) throw new RangeError('a line is a list of time, name and changes')
    const [after, thread, change] = line.data
    const data = applyChange(last.get(thread), change)
    if (thread !== '') last.set(thread, data)
    at += after
    return { at, thread, data }
  }
}

/** The beginning of a line as recorders write it: its time, its thread, and the kind of an event without a thread. */
const HEAD = /^\[(-?\d+(?:\.\d+)?),"([^"\\]*)",(?:\[\{"kind":"([a-z]+)")?/

/** The kind of a line's event, and the milliseconds since the line before; `undefined` for what no recorder wrote. */
export function headOf(line: string): { readonly after: number; readonly kind: string } | undefined {
  const [head, after, thread = '', own = ''] = HEAD.exec(line) ?? []
  if (head === undefined) return undefined
  const kind = thread === '' ? own : thread === STATES ? 'requests' : (thread.split(' ', 1)[0] ?? '')
  return { after: Number(after), kind }
}

/** The time of a line of an unwanted kind; `undefined` for others. Threads do not depend on each other. */
function unwanted(line: string, wanted: ReadonlySet<string>): number | undefined {
  const head = headOf(line)
  return head === undefined || wanted.has(head.kind) ? undefined : head.after
}

/** One line of a segment. */
export interface SegmentLine {
  readonly text: string
  /** Repeats an event of an earlier segment, so that this segment can be read alone. */
  readonly restated: boolean
}

/** Writes a recording in segments, each of which can be read alone. */
export interface SegmentWriter {
  /** The lines that an event adds to the segment. The first event of a segment adds the complete state before it. */
  write(timed: TimedEvent): SegmentLine[]
  /** Tracks an event that is not written, and ends the segment: the next lines would not match the previous ones. */
  pass(timed: TimedEvent): void
  /** The next event starts a new segment. */
  cut(): void
  /** The current state of these kinds, as lines that can be read alone. */
  restate(kinds: ReadonlySet<EventKind>): SegmentLine[]
}

export function createSegmentWriter(): SegmentWriter {
  /** The latest event of each kind and server, in the order of first emission. */
  const known = new Map<string, TimedEvent>()
  let record: ReturnType<typeof createRecorder> | undefined
  const restated = (earlier: readonly TimedEvent[], write: (timed: TimedEvent) => string): SegmentLine[] =>
    earlier.map((timed) => ({ text: write(timed), restated: true }))
  return {
    write(timed) {
      const lines: SegmentLine[] = []
      if (record === undefined) {
        record = createRecorder()
        for (const added of restated([...known.values()], record)) lines.push(added)
      }
      lines.push({ text: record(timed), restated: false })
      remember(known, timed)
      return lines
    },
    pass(timed) {
      remember(known, timed)
      record = undefined
    },
    cut() {
      record = undefined
    },
    restate: (kinds) =>
      restated(
        [...known.values()].filter(({ event }) => kinds.has(event.kind)),
        createRecorder(),
      ),
  }
}

/** Number of lines up to the first event of each of a segment's threads of these kinds: `firstWords` reads no more. */
export function openingOf(lines: readonly SegmentLine[], kinds: ReadonlySet<EventKind>): number {
  const seen = new Set<string>()
  let length = 0
  for (const [index, { text, restated }] of lines.entries()) {
    const thread = HEAD.exec(text)?.[2]
    if (restated || thread === undefined || seen.has(thread) || unwanted(text, kinds) !== undefined) continue
    seen.add(thread)
    length = index + 1
  }
  return length
}

/** The content of a segment: the state before it, each event with its time of emission, and the events after that. */
export interface SegmentEvents {
  readonly before: readonly TimedEvent[]
  readonly events: readonly TimedEvent[]
}

/**
 * Reads the lines of a segment, the first `restated` of which repeat earlier events; only of `wanted` kinds and a page per
 * `pageMs`, if given. Throws RangeError like `createReader`.
 */
export function readSegment(
  lines: readonly string[],
  restated: number,
  wanted?: ReadonlySet<EventKind>,
  pageMs?: number,
): SegmentEvents {
  const read = createReader(wanted, pageMs)
  const all = lines.map((line, index) => {
    try {
      return read(line)
    } catch (error) {
      throw new RangeError(`line ${index + 1}: ${messageOf(error)}`, { cause: error })
    }
  })
  const known = (part: readonly (TimedEvent | undefined)[]): TimedEvent[] => part.filter((timed) => timed !== undefined)
  return { before: known(all.slice(0, restated)), events: known(all.slice(restated)) }
}

/**
 * The last event of each thread of a segment. Only those are validated, which takes a fraction of the time of reading
 * all. Throws RangeError like `createReader`.
 */
export function lastWords(lines: readonly string[], wanted: ReadonlySet<EventKind>): readonly TimedEvent[] {
  const follow = createFollower(wanted)
  const last = new Map<string, Line>()
  for (const text of lines) {
    const line = follow(text)
    if (line !== undefined) last.set(line.thread, line)
  }
  return Array.from(last.values(), ({ at, data }) => ({ at, event: eventOf(data) }))
}

/** The first event of each of these threads after the repeated ones; stops there. Throws like `lastWords`. */
export function firstWords(
  lines: readonly string[],
  restated: number,
  wanted: ReadonlySet<EventKind>,
  threads: ReadonlySet<string>,
): readonly TimedEvent[] {
  const follow = createFollower(wanted)
  const first = new Map<string, TimedEvent>()
  for (const [index, text] of lines.entries()) {
    const line = follow(text)
    if (line === undefined || index < restated || !threads.has(line.thread) || first.has(line.thread)) continue
    first.set(line.thread, { at: line.at, event: eventOf(line.data) })
    if (first.size === threads.size) break
  }
  return [...first.values()]
}

/** The instant that an event describes: the one that a reader means by 03:00. */
export function instantOf({ at, event }: TimedEvent): UnixMs {
  // A lead has the time of the sample that it precedes.
  if (event.kind === 'frame' && event.lead === true) return at
  const own = event.kind === 'frame' ? unixMsOf(event.frame.at) : event.kind === 'dump' ? unixMsOf(event.dump.at) : at
  return Number.isNaN(own) ? at : own
}

/** The state at an instant: the last event before it for each part of the state, in the order of first emission. */
export function heldAt(timed: readonly TimedEvent[], at: UnixMs): readonly TimedEvent[] {
  const known = new Map<string, TimedEvent>()
  for (const one of timed) if (instantOf(one) < at) remember(known, one)
  return [...known.values()]
}

/** Keeps the last event of each state. */
function remember(known: Map<string, TimedEvent>, timed: TimedEvent): void {
  const name = stateOf(timed.event)
  if (name !== undefined) known.set(name, timed)
}

/** The state that an event updates; `undefined` for events that only add to earlier ones. */
function stateOf(event: SourceEvent): string | undefined {
  if ('past' in event && event.past) return undefined
  if (event.kind === 'dump') return `dump ${event.dump.server}`
  if (event.kind === 'note') return 'note'
  const thread = threadOf(event)
  return thread === '' ? undefined : thread
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new RangeError('it is not JSON')
  }
}

const LineSchema = z.tuple([z.number(), z.string(), z.custom<Data>((value) => value !== undefined)])

/** The thread of the states of single-request sources. */
const STATES = 'state'

/** Events of one thread are similar; empty for those that repeat little of earlier events. */
export function threadOf(event: SourceEvent): string {
  switch (event.kind) {
    case 'frame':
      return `frame ${event.frame.id}`
    case 'facts':
      return `facts ${event.server}`
    case 'health':
      return `health ${event.health.id}`
    case 'requests':
      return 'state' in event ? STATES : ''
    case 'objects':
    case 'pace':
    case 'etcd':
      return event.kind
    case 'dump':
    case 'note':
      return ''
  }
}

/** The inverse of `dataOf`. Throws RangeError for data that is not an event. */
export function eventOf(data: unknown): SourceEvent {
  const event = RecordedEventSchema.safeParse(data)
  if (event.success) return event.data
  throw new RangeError('it contains no event that this version supports')
}

/** The event as JSON: the only map in events is a list of its entries. */
export const dataOf = (event: SourceEvent): Data =>
  JSON.parse(
    JSON.stringify(
      event.kind === 'facts' ? { ...event, facts: { ...event.facts, objects: [...event.facts.objects] } } : event,
    ),
  )

const FactsSchema = z.object({
  objects: z
    .array(z.tuple([z.string(), z.object({ count: z.number(), averageSize: z.number() })]))
    .transform((entries) => new Map(entries)),
  watches: z.array(z.object({ apiGroup: z.string(), resource: z.string(), total: z.number() })),
  startedMs: z.number().exactOptional(),
  seats: z.number().exactOptional(),
})

const ChangesSchema = z.object({
  event: z.number(),
  from: z.number(),
  requests: z.array(LiveRequestSchema),
  dropped: z.number(),
})

const RecordedEventSchema: z.ZodType<SourceEvent> = z.union([
  z.object({
    kind: z.literal('frame'),
    frame: ServerFrameSchema,
    past: z.literal(true).exactOptional(),
    lead: z.literal(true).exactOptional(),
    seam: z.literal(true).exactOptional(),
  }),
  z.object({ kind: z.literal('dump'), dump: DumpFrameSchema }),
  z.object({ kind: z.literal('facts'), server: z.string(), facts: FactsSchema }),
  z.object({ kind: z.literal('health'), health: ServerHealthSchema }),
  z.object({
    kind: z.literal('objects'),
    origin: ObjectsOriginSchema,
    reading: RecordedObjectsSchema,
  }),
  z.object({ kind: z.literal('requests'), changes: ChangesSchema }),
  z.object({ kind: z.literal('requests'), state: LiveStateSchema }),
  z.object({ kind: z.literal('pace'), pace: SimulationStateSchema }),
  z.object({ kind: z.literal('etcd'), state: EtcdStateSchema }),
  z.object({ kind: z.literal('note'), note: z.literal('ended') }),
])
