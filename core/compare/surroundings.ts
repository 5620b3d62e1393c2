import { configDiff } from '../config/content.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { isExempt, isRestart, sumOfKnown } from '../frame/reading.ts'

/** The state of a server and its objects at the end of a period. */
export interface Surroundings {
  readonly server: ServerFrame | undefined
  readonly objects: ObjectSet | undefined
}

/** A property, apart from the numbers, that may differ between two periods. */
export interface OtherDifference {
  readonly what: 'configuration' | 'version' | 'process' | 'seats'
  /** `unknown`: not recorded in one of the periods. */
  readonly state: 'same' | 'differs' | 'unknown'
  readonly text: string
}

const MOST_NAMED = 4

/** Differences apart from the numbers: an edit is rarely the only difference. */
export const otherDifferences = (a: Surroundings, b: Surroundings): readonly OtherDifference[] => [
  configuration(a.objects, b.objects),
  compared('version', a.server?.version, b.server?.version, (value) => value),
  process(a.server, b.server),
  compared('seats', nominalSeats(a.server), nominalSeats(b.server), String),
]

function configuration(a: ObjectSet | undefined, b: ObjectSet | undefined): OtherDifference {
  const what = 'configuration'
  if (a === undefined || b === undefined) return { what, state: 'unknown', text: 'not recorded in both periods' }
  const names = configDiff(a, b).map(({ name }) => name)
  if (names.length === 0) return { what, state: 'same', text: 'the same objects at the end of both' }
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return { what, state: 'differs', text: `${names.slice(0, MOST_NAMED).join(', ')}${more}` }
}

function compared<T>(
  what: OtherDifference['what'],
  a: T | undefined,
  b: T | undefined,
  text: (value: T) => string,
): OtherDifference {
  if (a === undefined || b === undefined) return { what, state: 'unknown', text: 'not recorded in both periods' }
  return a === b ? { what, state: 'same', text: text(b) } : { what, state: 'differs', text: `${text(a)} → ${text(b)}` }
}

function process(a: ServerFrame | undefined, b: ServerFrame | undefined): OtherDifference {
  const what = 'process'
  const [was, is] = [a?.startedAt, b?.startedAt]
  if (was === undefined || is === undefined) return { what, state: 'unknown', text: 'not recorded in both periods' }
  return isRestart(was, is)
    ? { what, state: 'differs', text: 'restarted between the periods' }
    : { what, state: 'same', text: 'no restart' }
}

/** Sum of the nominal limits: the seats that the server has to divide. */
const nominalSeats = (server: ServerFrame | undefined): number | undefined =>
  server && sumOfKnown(server.levels.filter((level) => !isExempt(level)).map(({ limits }) => limits.nominal))
