import { createSourceNoter } from '../../core/alerts/notes.ts'
import { MOST_PAST_NOTES, type Note } from '../../core/contract/recording.ts'
import type { LevelFrame } from '../../core/frame/frame.ts'
import type { Picture, ServerPicture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { unixMsOf } from '../../core/units.ts'

/** Notes about the time before a source was connected, from the past that the source reads. */
export interface PastNotes {
  /** Takes an event of the source, after `picture` has taken it, with the picture's result for a frame. */
  take(event: SourceEvent, picture: Picture, taken: ReturnType<Picture['take']>): void
  /** Oldest first, `MOST_PAST_NOTES` at most; replaced once a further range was read. */
  readonly notes: readonly Note[]
}

type Sample = ServerPicture['latest']

/** Levels of all samples that wait for the end of the range: about 60 MB. */
const MOST_LEVELS = 100_000

/**
 * A range arrives with its newest part first, but notes need chronological order: samples wait, reduced to what notes
 * need, until the whole range is there. Ranges that are missed later and read then get their notes separately.
 */
export function createPastNotes(): PastNotes {
  let waiting: Sample[] = []
  let levels = 0
  /** The first present sample of each server, which the last sample of the past is compared with. */
  const first = new Map<string, Sample>()
  let notes: readonly Note[] = []

  const note = (): void => {
    const noter = createSourceNoter()
    const seam = [...first.values()].filter(({ frame: { id } }) => waiting.some(({ frame }) => frame.id === id))
    const all = [...waiting, ...seam].toSorted((a, b) => unixMsOf(a.frame.at) - unixMsOf(b.frame.at))
    waiting = []
    levels = 0
    first.clear()
    const found = all.flatMap((sample) => noter.takeServer(sample).notes)
    notes = [...notes, ...found].toSorted((a, b) => a.at - b.at).slice(-MOST_PAST_NOTES)
  }

  return {
    take(event, picture, taken) {
      if (event.kind === 'frame' && taken !== undefined) {
        const { id } = taken.frame
        if (event.past !== true) {
          if (!first.has(id)) first.set(id, slim(taken))
        } else if (levels + taken.frame.levels.length <= MOST_LEVELS) {
          levels += taken.frame.levels.length
          waiting.push(slim(taken))
        }
      }
      if (event.kind !== 'health' || event.health.past === undefined || waiting.length === 0) return
      if (picture.health.every(({ past }) => past?.state !== 'reading')) note()
    },
    get notes() {
      return notes
    },
  }
}

/** The parts that rules and notes read: no flow schemas, whose waits are in the derived values. */
const slim = ({ frame, derived }: Sample): Sample => ({
  frame: { ...frame, levels: frame.levels.map(slimLevel) },
  derived: {
    ...derived,
    levels: derived.levels.map(({ name, waitP99 }) => ({ name, waitP99, schemas: [] })),
  },
})

function slimLevel(level: LevelFrame): LevelFrame {
  const { demandRatio: _, virtualTime: __, executingUtilization: ___, waitingUtilization: ____, ...rest } = level
  return { ...rest, schemas: [] }
}
