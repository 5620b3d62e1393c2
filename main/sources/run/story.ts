import { createSourceNoter } from '../../../core/alerts/notes.ts'
import type { Note } from '../../../core/contract/recording.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import type { ShownRun } from '../../../core/whatif/servers.ts'
import { Timeline } from '../../../core/run/timeline.ts'
import { storedSet } from '../../simulated/objects.ts'
import { serverFrame } from '../../../core/simulate/serverFrame.ts'
import { createPicture, type Picture } from '../../../core/source/picture.ts'
import type { ObjectsReading, SourceEvent } from '../../../core/source/sourceEvent.ts'
import type { TimedEvent } from '../../../core/source/recording.ts'
import { MS_PER_SECOND, type Nanoseconds, nsToMs, secondsToNs, type UnixMs, unixMsAfter } from '../../../core/units.ts'

/** Most samples that are kept of a whole run, of all its servers. */
const MOST_FRAMES = 3_600

/** One variant that ran from beginning to end. */
export interface PlayedRun {
  readonly run: Pick<ShownRun, 'engines' | 'objects' | 'startUnixMs' | 'facts'>
  readonly timeline: Pick<Timeline<unknown>, 'nowNs' | 'events' | 'seek' | 'hearTo' | 'forward' | 'back' | 'watch'>
  readonly version: string
  readonly endNs: Nanoseconds
}

/** A run with checkpoints along its way; it has not begun. */
export function runFrom<C>(run: ShownRun<C>, version: string, endNs: Nanoseconds): PlayedRun {
  return { run, version, endNs, timeline: new Timeline(run, { endNs }) }
}

/** The servers of a run at its present position. */
export function framesNow({ run: { engines }, version }: PlayedRun): readonly ServerFrame[] {
  return engines.map((engine, place) =>
    serverFrame(engine.snapshot(), { id: serverName(place, engines.length), version }),
  )
}

export const serverName = (place: number, servers: number): string =>
  servers === 1 ? 'simulated-apiserver' : `simulated-apiserver-${place + 1}`

/** The objects of a run at its present position, in the form that its source reads. */
export const readingNow = ({ run, version }: PlayedRun): ObjectsReading => ({
  state: 'current',
  version,
  objects: storedSet(run.objects),
})

/** A sample of a run, and how many requests had arrived by then. */
export interface Sampled {
  readonly at: UnixMs
  readonly arrived: number
}

/** The events of a run from beginning to end. */
export interface Story {
  /** Milliseconds between two samples. */
  readonly stepMs: number
  /** In chronological order, the first one at the beginning. */
  readonly samples: readonly Sampled[]
  readonly timed: readonly TimedEvent[]
  /** Charts of the whole run. */
  readonly picture: Picture
  readonly notes: readonly Note[]
}

/** Runs it to its end, with a sample each second, or fewer for a long one. */
export function storyOf(played: PlayedRun): Story {
  const { run, timeline, endNs } = played
  const stepMs =
    MS_PER_SECOND * Math.max(1, Math.ceil((nsToMs(endNs) / MS_PER_SECOND) * (run.engines.length / MOST_FRAMES)))
  const stepNs = secondsToNs(stepMs / MS_PER_SECOND)
  const picture = createPicture()
  const noter = createSourceNoter()
  const samples: Sampled[] = []
  const timed: TimedEvent[] = []
  const notes: Note[] = []
  let arrived = 0
  let objects: ShownRun['objects'] | undefined
  const leave = timeline.watch(({ kind }) => {
    if (kind === 'arrived') arrived += 1
  })
  const tell = (at: UnixMs, event: SourceEvent): void => {
    timed.push({ at, event })
    picture.take(event)
    for (const added of noter.take(event, picture, at).notes) notes.push(added)
  }
  for (let ns = 0; ; ns = Math.min(ns + stepNs, endNs)) {
    timeline.seek(ns)
    const at = unixMsAfter(run.startUnixMs, ns)
    samples.push({ at, arrived })
    if (run.objects !== objects) {
      objects = run.objects
      tell(at, { kind: 'objects', origin: 'files', reading: readingNow(played) })
    }
    for (const frame of framesNow(played)) tell(at, { kind: 'frame', frame })
    if (ns === endNs) break
  }
  leave()
  return { stepMs, samples, timed, picture, notes }
}
