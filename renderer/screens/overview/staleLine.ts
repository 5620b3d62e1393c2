import type { ServerHealth } from '../../../core/contract/source.ts'
import { format } from '../../theme/format.ts'
import type { NowStatement } from './nowLine.ts'

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
  const wait = Date.parse(health.nextTryAt) - now
  return wait > 0 ? `Next try in ${format.fixed(Math.ceil(wait / 1_000))} s.` : 'Trying now.'
}

/** What replaces the now line while no sample arrives: the last values are old, and nothing is concluded from them. */
export function staleLine({ server, stale, ageMs, lastAt, health, now }: StaleFacts): NowStatement {
  const own = health.find(({ id }) => id === server)
  const problem = own?.failures.at(-1)?.problem
  const others = health
    .filter(({ id, status }) => id !== server && status === 'ok' && !stale.has(id))
    .map(({ id }) => id)
  const current = others.length === 0 ? '' : `${list(others)} ${others.length === 1 ? 'is' : 'are'} current.`
  const sentences = [
    problem?.message,
    `Showing the last values from ${format.time(lastAt)}.`,
    nextTry(own, now),
    current,
  ].filter((sentence) => sentence !== undefined && sentence !== '')
  const [other] = others
  const who = stale.size > 1 && others.length === 0 ? `any of ${stale.size} servers` : server
  return {
    tone: 'stale',
    title: `No sample from ${who} for ${format.age(ageMs)}.`,
    evidence: sentences.join(' '),
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
