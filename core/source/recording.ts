import { z } from 'zod'
import { LiveRequestSchema, LiveStateSchema } from '../contract/live.ts'
import { ObjectsOriginSchema, ObjectsStateSchema } from '../contract/objects.ts'
import { SimulationStateSchema } from '../contract/simulation.ts'
import { ServerHealthSchema } from '../contract/source.ts'
import { DumpFrameSchema } from '../frame/dump.ts'
import { ServerFrameSchema } from '../frame/frame.ts'
import type { UnixMs } from '../units.ts'
import { applyChange, changeBetween, type Data } from './changes.ts'
import type { SourceEvent } from './sourceEvent.ts'

/**
 * A recording is what a source told, one event a line in the order of telling. A line is a JSON list of three: the
 * milliseconds since the line before (of the first line: since 1970), the name of a thread of events, and the changes
 * (`changes.ts`) since the one before in that thread; since nothing where the name is empty.
 */
export interface Told {
  readonly at: UnixMs
  readonly event: SourceEvent
}

/** Writes one line for each event; the lines are read in the same order, from the first on. */
export function createRecorder(): (told: Told) => string {
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

/** Reads line after line. Throws RangeError, in words that end `line 7: …`, for what no recorder wrote. */
export function createReader(): (line: string) => Told {
  const last = new Map<string, Data | undefined>()
  let at = 0
  return (text) => {
    const line = LineSchema.safeParse(parsed(text))
    if (!line.success) throw new RangeError('a line is a list of time, name and changes')
    const [after, thread, change] = line.data
    const data = applyChange(last.get(thread), change)
    if (thread !== '') last.set(thread, data)
    at += after
    const event = RecordedEventSchema.safeParse(data)
    if (!event.success) throw new RangeError('it holds no event that this version knows')
    return { at, event: event.data }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new RangeError('it is no JSON')
  }
}

const LineSchema = z.tuple([z.number(), z.string(), z.custom<Data>((value) => value !== undefined)])

/** Events of one thread resemble each other; empty for those that hold little of what was told before. */
function threadOf(event: SourceEvent): string {
  switch (event.kind) {
    case 'frame':
      return `frame ${event.frame.id}`
    case 'facts':
      return `facts ${event.server}`
    case 'health':
      return `health ${event.health.id}`
    case 'requests':
      return 'state' in event ? 'state' : ''
    case 'objects':
    case 'pace':
      return event.kind
    case 'dump':
    case 'note':
      return ''
  }
}

/** The event as JSON has it: maps are lists of their entries. */
const dataOf = (event: SourceEvent): Data =>
  JSON.parse(JSON.stringify(event, (_, value: unknown) => (value instanceof Map ? [...value] : value)))

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
  }),
  z.object({ kind: z.literal('dump'), dump: DumpFrameSchema }),
  z.object({ kind: z.literal('facts'), server: z.string(), facts: FactsSchema }),
  z.object({ kind: z.literal('health'), health: ServerHealthSchema }),
  z.object({
    kind: z.literal('objects'),
    origin: ObjectsOriginSchema,
    reading: ObjectsStateSchema.pick({ state: true, version: true, asOf: true, problem: true, objects: true }),
  }),
  z.object({ kind: z.literal('requests'), changes: ChangesSchema }),
  z.object({ kind: z.literal('requests'), state: LiveStateSchema }),
  z.object({ kind: z.literal('pace'), pace: SimulationStateSchema }),
  z.object({ kind: z.literal('note'), note: z.literal('ended') }),
])
