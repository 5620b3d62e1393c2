import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { unixMsOf } from '../../../core/units.ts'
import { dumpInLap, frameInLap, momentOf } from './lap.ts'
import type { Recording } from './recording.ts'

/** An item of the recording, at its position in the endless series of laps. */
export interface Place {
  /** Milliseconds since the start of the first lap. */
  readonly position: number
  readonly lap: number
  readonly index: number
}

/** The recording as an endless loop that started at `origin` (Unix milliseconds). */
export interface Timeline {
  readonly server: string
  /** gitVersion of the recorded server. */
  readonly version: string
  /** Length of one lap. */
  readonly lapMs: number
  readonly frames: Finder
  readonly dumps: Finder
  frame(place: Place, origin: number): ServerFrame
  dump(place: Place, origin: number): DumpFrame | undefined
}

/** The last one at or before a position, and the first one at or after it. */
export interface Finder {
  atOrBefore(position: number): Place
  atOrAfter(position: number): Place
}

export function createTimeline({ frames, dumps }: Recording): Timeline {
  const [base] = frames
  const end = frames.at(-1)
  if (base === undefined || end === undefined) throw new Error('a recording has at least two frames')
  const lapMs = end.at - base.at
  const lap = { first: momentOf(base.frame, dumps[0]?.dump()), last: momentOf(end.frame, dumps.at(-1)?.dump()) }
  // What was read at the start of a lap is the end of the previous lap.
  const shown = frames.slice(1)
  const shownDumps = dumps.filter(({ at }) => at > base.at && at <= end.at)

  return {
    server: base.frame.id,
    version: base.frame.version ?? 'of unknown version',
    lapMs,
    frames: finder(
      shown.map(({ at }) => at - base.at),
      lapMs,
    ),
    dumps: finder(
      shownDumps.map(({ at }) => at - base.at),
      lapMs,
    ),
    frame({ position, lap: laps, index }, origin) {
      const { frame } = shown[index] ?? end
      return { ...frameInLap(frame, laps, lap, origin - base.at), at: new Date(origin + position).toISOString() }
    },
    dump({ position, lap: laps, index }, origin) {
      const dump = shownDumps[index]?.dump()
      return dump && dumpInLap(dump, laps, lap, origin + position - unixMsOf(dump.at))
    },
  }
}

/** Finds among ascending offsets within a lap; there is at least one. */
function finder(offsets: readonly number[], lapMs: number): Finder {
  const place = (count: number): Place => {
    const lap = Math.floor(count / offsets.length)
    const index = count - lap * offsets.length
    return { position: lap * lapMs + (offsets[index] ?? 0), lap, index }
  }
  /** How many items of all laps come before a position, or at it. */
  const countTo = (position: number, counts: (offset: number, within: number) => boolean): number => {
    const lap = Math.floor(position / lapMs)
    const within = position - lap * lapMs
    const after = offsets.findIndex((offset) => !counts(offset, within))
    return lap * offsets.length + (after < 0 ? offsets.length : after)
  }
  return {
    atOrBefore: (position) => place(countTo(position, (offset, within) => offset <= within) - 1),
    atOrAfter: (position) => place(countTo(position, (offset, within) => offset < within)),
  }
}
