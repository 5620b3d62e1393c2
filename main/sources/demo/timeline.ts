import { createFrameBuilder } from '../../../core/metrics/buildFrame.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { unixMsOf } from '../../../core/units.ts'
import { dumpInLap, lapIncrease, pageInLap } from './lap.ts'
import { readDump, type Recording, type RecordedDump } from './recording.ts'

/** Something of the recording at its place in the endless series of laps. */
export interface Place {
  /** Milliseconds since the start of the first lap. */
  readonly position: number
  readonly lap: number
  readonly index: number
}

/** The recording as an endless film that started at `origin` (Unix milliseconds). */
export interface Timeline {
  readonly server: string
  /** gitVersion of the recorded server. */
  readonly version: string
  /** Length of one lap. */
  readonly lapMs: number
  readonly pages: Finder
  readonly dumps: Finder
  frame(place: Place, origin: number): ServerFrame
  dump(place: Place, origin: number): DumpFrame | undefined
}

/** The last one at or before a position, and the first one at or after it. */
export interface Finder {
  atOrBefore(position: number): Place
  atOrAfter(position: number): Place
}

export function createTimeline(server: string, { pages, dumps }: Recording): Timeline {
  const [base] = pages
  const end = pages.at(-1)
  if (base === undefined || end === undefined) throw new Error('a recording has at least two pages')
  const lapMs = end.t - base.t
  const read = (dump: RecordedDump | undefined): DumpFrame | undefined => dump && readDump(server, dump)
  const increase = lapIncrease(base.page, end.page, read(dumps[0]), read(dumps.at(-1)))
  const build = createFrameBuilder({ id: server })
  // What was read at the start of a lap is the end of the lap before.
  const shown = pages.slice(1)
  const shownDumps = dumps.filter(({ t }) => t > base.t && t <= end.t)

  return {
    server,
    version: build(base.page, { at: new Date(base.t).toISOString() }).version ?? 'of unknown version',
    lapMs,
    pages: finder(
      shown.map(({ t }) => t - base.t),
      lapMs,
    ),
    dumps: finder(
      shownDumps.map(({ t }) => t - base.t),
      lapMs,
    ),
    frame({ position, lap, index }, origin) {
      const { page, fetchMs, bytes } = shown[index] ?? end
      return build(pageInLap(page, lap, increase, origin - base.t), {
        at: new Date(origin + position).toISOString(),
        acquisition: { fetchMs, bytes, families: page.families.size },
      })
    },
    dump({ position, lap, index }, origin) {
      const dump = read(shownDumps[index])
      return dump && dumpInLap(dump, lap, increase, origin + position - unixMsOf(dump.at))
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
  /** How many of all laps come before a position, or at it. */
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
