import { addressOfVerb } from '../../../core/classify/requestFields.ts'
import { EXEMPT } from '../../../core/config/objects.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import type { RequestSample } from '../../../core/contract/objects.ts'
import { format } from '../../theme/format.ts'
import { flowOf } from './row.ts'

export interface TimePart {
  readonly name: 'queue' | 'execution' | 'lingering'
  /** Milliseconds. */
  readonly ms: number
  /** Part of the whole, 0 to 1. */
  readonly share: number
}

/** Where the time of a request went, as far as it is known; nothing while it waits. */
export function timeParts({ waitMs, runMs, lingerMs }: LiveRequest): readonly TimePart[] {
  const known = [
    { name: 'queue', ms: waitMs },
    { name: 'execution', ms: runMs },
    { name: 'lingering', ms: lingerMs },
  ] as const
  const total = known.reduce((sum, { ms = 0 }) => sum + ms, 0)
  return known.flatMap(({ name, ms }) => (ms === undefined ? [] : [{ name, ms, share: total === 0 ? 0 : ms / total }]))
}

/** The request as One request asks it. */
export function sampleOf({ user, groups, verb, url }: LiveRequest): RequestSample {
  const { method, url: address } = addressOfVerb(verb, url)
  return { user, groups: [...groups], method, url: address }
}

const seats = (count: number): string => (count === 1 ? '1 seat' : `${format.seats(count)} seats`)

/** What became of the request, in a sentence or two. */
export function storyOf(row: LiveRequest): string {
  const { state, level, schema, queue, waitMs } = row
  const flow = `Flow ${flowOf(row)} of ${schema}`
  if (level === EXEMPT) return `${schema} is exempt: the request takes seats of no level and never waits.`
  const width = seats(Math.max(row.seats.initial, row.seats.final))
  const where = queue === undefined ? level : `queue ${queue} of ${level}`
  switch (state) {
    case 'waiting':
      return `${flow} waits in ${where} for ${width}.`
    case 'executing':
      return `${flow} holds ${width} of ${level}${waitMs === undefined ? '' : ` after ${format.ms(waitMs)} in ${where}`}.`
    case 'served':
      return `${flow} held ${width} of ${level}${waitMs === undefined || waitMs === 0 ? ' without waiting' : ` after ${format.ms(waitMs)} in ${where}`}.`
    case 'rejected':
      return `${flow} was refused at ${where}${waitMs === undefined || waitMs === 0 ? ' at once' : ` after ${format.ms(waitMs)}`}.`
    case 'crowded-out':
      return 'The proxy rejected it before the engine or the server received it: the headers of waiting and running requests fill 64 MB. Look for a client that sends very long requests.'
    case 'cancelled':
      return `The client gave up${waitMs === undefined ? '' : ` after ${format.ms(waitMs)} in ${where}`}.`
    case 'failed':
      return 'The server did not respond; the seats were released.'
    case 'bypassed':
      return 'Long-running and not a watch: flow control does not limit it, and it takes no seat.'
  }
}

export interface Said {
  readonly what: string
  readonly engine: string
  readonly server: string
  readonly same: boolean
}

/** What the server itself said, beside what the engine made of it; only what it said. */
export function saidByServer({ level, schema, seats: own, waitMs, server }: LiveRequest): readonly Said[] {
  if (server === undefined) return []
  const pairs: readonly (readonly [string, string | number, string | number | undefined])[] = [
    ['flow schema', schema, server.schema],
    ['priority level', level, server.level],
    ['seats', own.initial, server.initialSeats],
    ['final seats', own.final, server.finalSeats],
  ]
  const said = pairs.flatMap(([what, engine, other]) =>
    other === undefined ? [] : [{ what, engine: String(engine), server: String(other), same: engine === other }],
  )
  if (server.waitMs === undefined) return said
  // How long it waits hangs on traffic that is not seen here: it is shown, and no disagreement.
  return [...said, { what: 'waited', engine: format.ms(waitMs), server: format.ms(server.waitMs), same: true }]
}
