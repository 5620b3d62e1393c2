import type { ServerHealth } from '../../../core/contract/source.ts'
import { unixMsOf } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'
import { troubleOf } from '../../../core/frame/recent.ts'
import type { LevelRow } from './levelRows.ts'
import { evidenceOf, type NowStatement } from './nowStatement.ts'

export interface StaleFacts {
  /** The server that is shown, or all of several. */
  readonly server: string
  /** All servers without a recent sample, `server` among them. */
  readonly stale: ReadonlySet<string>
  /** Of the shown frame: milliseconds, and when it was read (Unix milliseconds). */
  readonly ageMs: number
  readonly lastAt: number
  /** Health of all servers of the source. */
  readonly health: readonly ServerHealth[]
  /** Unix milliseconds. */
  readonly now: number
  /** The level that serves the console's own requests, where it is known and is no exempt one. */
  readonly own?: LevelRow | undefined
  /** What was true when the last sample was read. */
  readonly last?: NowStatement | undefined
}

const MOST_NAMED = 3

/** `a, b and c`; of many the first and their number. */
function list(names: readonly string[]): string {
  if (names.length > MOST_NAMED) return `${names[0] ?? ''} and ${names.length - 1} others`
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
}

/** When a failing server is tried again, as a sentence; empty when that is not known. */
export function nextTry(health: ServerHealth | undefined, now: number): string {
  if (health?.nextTryAt === undefined) return ''
  const wait = unixMsOf(health.nextTryAt) - now
  return wait > 0 ? `Next try in ${format.fixed(Math.ceil(wait / 1_000))} s.` : 'Trying now.'
}

/** Failures that a server under overload causes. */
const OVERLOAD: ReadonlySet<string | undefined> = new Set([undefined, 'throttled', 'timeout'])

/**
 * The console's own requests wait in a level, or are rejected there, like those of everybody else: said where the last
 * sample showed that level in trouble, or the server answered 429, and nothing else failed.
 */
function overloadLine({ server, ageMs, lastAt, own, last, health, now }: StaleFacts): NowStatement | undefined {
  const state = health.find(({ id }) => id === server)
  const code = state?.failures.at(-1)?.problem.code
  const trouble = own === undefined ? undefined : troubleOf(own.states)
  if (!OVERLOAD.has(code) || (code !== 'throttled' && trouble === undefined)) return undefined
  const where = own === undefined ? '' : ` in ${own.name}`
  const waiting =
    own?.queuedRequests === undefined || own.queuedRequests === 0
      ? ''
      : ` ${format.seats(own.queuedRequests)} ${own.queuedRequests === 1 ? 'request' : 'requests'} waited there at ${format.time(lastAt)}.`
  const sentences = [
    `The server treats the console’s requests like all others${where === '' ? '' : ` of ${own?.name ?? ''}`}.${waiting}`,
    `A level of its own keeps samples coming under overload.`,
    last === undefined || last.tone !== 'trouble' ? '' : `At ${format.time(lastAt)}: ${last.title}`,
    nextTry(state, now),
  ]
  return {
    tone: 'stale',
    title: `The console itself is ${code === 'throttled' ? 'rejected' : 'queued'}${where}: no sample from ${server} for ${format.age(ageMs)}.`,
    ...evidenceOf(sentences),
    actions: [
      { kind: 'own-level', server },
      { kind: 'try-now', server },
    ],
  }
}

/** What replaces the now line while no sample arrives: the last values are old, and nothing is concluded from them. */
export function staleLine(facts: StaleFacts): NowStatement {
  return overloadLine(facts) ?? silentLine(facts)
}

function silentLine({ server, stale, ageMs, lastAt, health, now }: StaleFacts): NowStatement {
  const own = health.find(({ id }) => id === server)
  const problem = own?.failures.at(-1)?.problem
  const others = health
    .filter(({ id, status }) => id !== server && status === 'ok' && !stale.has(id))
    .map(({ id }) => id)
  const current = others.length === 0 ? '' : `${list(others)} ${others.length === 1 ? 'is' : 'are'} current.`
  const sentences = [
    problem?.message ?? '',
    `Showing the last values from ${format.time(lastAt)}.`,
    nextTry(own, now),
    current,
  ]
  const [other] = others
  const who = stale.size > 1 && others.length === 0 ? `any of ${stale.size} servers` : server
  return {
    tone: 'stale',
    title: `No sample from ${who} for ${format.age(ageMs)}.`,
    ...evidenceOf(sentences),
    actions: [
      { kind: 'try-now', server },
      ...(other === undefined ? [] : [{ kind: 'show-server' as const, server: other }]),
    ],
  }
}

/** What a statement about the other servers must add while some are left out of it. */
export function leftOut(stale: ReadonlySet<string>): string {
  return stale.size === 0 ? '' : `No recent sample from ${list([...stale])}: left out of this sentence.`
}
