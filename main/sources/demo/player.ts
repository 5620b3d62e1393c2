import type { Cadence, ServerHealth } from '../../../core/contract/source.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import type { Emit } from '../../../core/source/sourceEvent.ts'
import type { Environment } from '../../ports/environment.ts'
import type { Finder, Place, Timeline } from './timeline.ts'

/** Position in the lap at which the demo starts: levels borrow, queue and reject. */
const FIRST_LOOK_MS = 92_000
/** Backfill of the charts: the laps that would have been recorded. */
const BACKFILL_MS = 600_000
/** Recorded pages are not exactly a second apart; one that is early by up to this much still counts as the next. */
const TOLERANCE_MS = 250

export interface Player {
  setCadence(cadence: Cadence): void
}

/** Emits the minutes before now immediately and plays on from there until the signal aborts. */
export function startPlayer(
  timeline: Timeline,
  environment: Environment,
  cadence: Cadence,
  signal: AbortSignal,
  emit: Emit,
): Player {
  const lapsBefore = Math.ceil(BACKFILL_MS / timeline.lapMs)
  const origin = environment.now() - FIRST_LOOK_MS - lapsBefore * timeline.lapMs
  const position = (): number => environment.now() - origin
  let health: ServerHealth = { id: timeline.server, status: 'connecting', failures: [] }
  const tell = (change: Partial<ServerHealth>): void => {
    health = { ...health, ...change }
    emit({ kind: 'health', health })
  }

  const frames = createTrack(timeline.frames, environment, position, (place) => {
    const frame = timeline.frame(place, origin)
    emit({ kind: 'frame', frame })
    tell(healthOf(frame))
  })
  const dumps = createTrack(timeline.dumps, environment, position, (place) => {
    const dump = timeline.dump(place, origin)
    if (dump === undefined) return
    emit({ kind: 'dump', dump })
    tell({ dumps: { status: 'ok', costMs: dump.costMs, bytes: dump.bytes, lastAt: dump.at } })
  })

  let past = timeline.frames.atOrAfter(position() - BACKFILL_MS)
  // Time advances meanwhile: the next frame must not be seconds later.
  while (past.position < timeline.frames.atOrBefore(position()).position) {
    emit({ kind: 'frame', frame: timeline.frame(past, origin), past: true })
    past = timeline.frames.atOrAfter(past.position + 1)
  }
  frames.play(cadence.intervalMs)
  dumps.play(cadence.dumpsEveryMs)
  signal.addEventListener('abort', () => [frames, dumps].forEach((track) => track.play(null)), { once: true })
  return {
    setCadence(next) {
      if (signal.aborted) return
      frames.play(next.intervalMs)
      dumps.play(next.dumpsEveryMs)
      if (next.dumpsEveryMs === null) tell({ dumps: { status: 'off' } })
    },
  }
}

interface Track {
  /** Emits the present one now and then one every `everyMs`; `null` ends it. */
  play(everyMs: number | null): void
}

function createTrack(
  finder: Finder,
  environment: Environment,
  position: () => number,
  show: (place: Place) => void,
): Track {
  let shown: Place | undefined
  let cancel = (): void => undefined

  const showPresent = (): Place => {
    const place = finder.atOrBefore(position())
    if (place.position !== shown?.position) show(place)
    shown = place
    return place
  }
  const step = (everyMs: number): void => {
    const place = showPresent()
    const next = finder.atOrAfter(place.position + everyMs - TOLERANCE_MS)
    cancel = environment.after(Math.max(0, next.position - position()), () => step(everyMs))
  }
  return {
    play(everyMs) {
      cancel()
      if (everyMs !== null) step(everyMs)
    },
  }
}

function healthOf({ at, acquisition }: ServerFrame): Partial<ServerHealth> {
  return {
    status: 'ok',
    lastGoodAt: at,
    ...(acquisition && {
      bytes: acquisition.bytes,
      families: acquisition.families,
      ...(acquisition.fetchMs !== undefined && { fetchMs: acquisition.fetchMs }),
    }),
  }
}
