import type { ServerHealth } from '../../core/contract/source.ts'
import type { Frame } from '../../core/frame/frame.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'
import { unixMsOf } from '../../core/units.ts'
import type { View } from '../state/view.ts'
import { format } from '../theme/format.ts'

export type BadgeTone =
  'live' | 'replay' | 'simulated' | 'paused' | 'stale' | 'still' | 'none' | 'connecting' | 'offline'

export interface Badge {
  readonly tone: BadgeTone
  readonly word: string
  readonly detail?: string
}

/** Of the view, what the badge depends on. */
export type BadgeView = Pick<View, 'mode' | 'ageMs' | 'buffered' | 'server'> & {
  readonly frame?: Pick<Frame, 'source'> | undefined
}

/** What the badge says: shape, word and colour differ by mode. */
export function badgeOf(
  view: BadgeView,
  link: boolean,
  simulation?: SimulationState,
  servers: readonly Pick<ServerHealth, 'status'>[] = [],
): Badge {
  const at = view.server === undefined ? undefined : unixMsOf(view.server.at)
  if (!link) return { tone: 'offline', word: 'NO LINK', detail: 'the console itself does not answer' }
  switch (view.mode) {
    case 'none':
      return { tone: 'none', word: 'NO SOURCE' }
    case 'connecting':
      if (allFail(servers)) {
        return { tone: 'offline', word: 'NO ANSWER', detail: 'no sample yet; the console tries again' }
      }
      return { tone: 'connecting', word: 'CONNECTING', detail: 'waiting for the first sample' }
    case 'live':
      // What moves on the screen is not a cluster: that must not look like one.
      if (view.frame?.source.kind === 'demo') return { tone: 'replay', word: 'REPLAY', detail: 'not your cluster' }
      if (view.frame?.source.kind === 'simulation') return simulatedBadge(simulation)
      return { tone: 'live', word: 'LIVE', detail: `${format.age(view.ageMs)} behind` }
    case 'paused': {
      const samples = view.buffered === 1 ? 'sample' : 'samples'
      return {
        tone: 'paused',
        word: `PAUSED ${format.time(at)}`,
        detail: `+${format.seats(view.buffered)} ${samples} buffered`,
      }
    }
    case 'stale':
      return {
        tone: 'stale',
        word: `STALE ${wholeAge(view.ageMs)}`,
        detail: `last ${format.time(at)}`,
      }
    case 'still':
      return { tone: 'still', word: 'FILE', detail: format.dateTime(at) }
  }
}

const allFail = (servers: readonly Pick<ServerHealth, 'status'>[]): boolean =>
  servers.length > 0 && servers.every(({ status }) => status === 'failing')

function simulatedBadge(simulation: SimulationState | undefined): Badge {
  if (simulation === undefined) return { tone: 'simulated', word: 'SIMULATED', detail: 'not your cluster' }
  const { speed, paused, reachedSpeed, ended } = simulation
  const word = `SIMULATED ×${speed}`
  if (ended) return { tone: 'simulated', word, detail: 'at its end' }
  if (paused) return { tone: 'simulated', word: 'SIMULATED, STOPPED', detail: 'not your cluster' }
  // At ordinary speeds the reached one only trembles; where the machine cannot follow it is far off.
  const slow = speed >= 10 && reachedSpeed > 0 && reachedSpeed < 0.8 * speed
  return { tone: 'simulated', word, detail: slow ? `reaches ×${Math.round(reachedSpeed)}` : 'not your cluster' }
}

/** Counted in whole seconds: tenths would flicker. */
const wholeAge = (ms: number): string => (ms < 10_000 ? `${Math.floor(ms / 1_000)} s` : format.age(ms))

/** The mode in words, for those who do not see the badge: changes only with the mode. */
export function announcementOf(
  mode: View['mode'],
  link: boolean,
  servers: readonly Pick<ServerHealth, 'status'>[] = [],
): string {
  if (!link) return 'No link to the console.'
  if (mode === 'connecting' && allFail(servers)) return 'No answer yet; the console tries again.'
  const words: Readonly<Record<View['mode'], string>> = {
    none: 'No source connected.',
    connecting: 'Connecting.',
    live: 'Live.',
    paused: 'Paused.',
    stale: 'Stale: no new sample arrives; the last values stay.',
    still: 'Showing a file.',
  }
  return words[mode]
}
