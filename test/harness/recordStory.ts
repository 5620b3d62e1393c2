import { join } from 'node:path'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import { createPicture, stretchesBetween } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { startRecorder } from '../../main/recordings/recorder.ts'
import type { StoryMoment } from '../fixtures/synthetic.ts'
import { standingClock } from './standingClock.ts'

export interface RecordedStory {
  readonly stateDir: string
  /** Of the source. */
  readonly name: string
  /** Unix milliseconds. */
  readonly startAt: number
  /** What the source emitted before the first moment. */
  readonly events: readonly SourceEvent[]
  /** What it emitted at a moment of the story, counted from 0. */
  readonly later?: { readonly second: number; readonly event: SourceEvent }
  /** A moment a second. */
  readonly story: Iterable<StoryMoment>
  /** Whether the dump of each fifth moment is recorded too. */
  readonly dumps?: boolean
}

/** Seconds of a story between two writes, so that segments are about as long as those of a console. */
const WRITTEN_EVERY = 20

/** Records a story as the flight recorder of a console does. */
export const recordStory = ({ events, ...story }: RecordedStory): Promise<void> =>
  recordEvents({ ...story, moments: momentsOf(story), events })

function* momentsOf({ story, later, dumps = false }: Pick<RecordedStory, 'story' | 'later' | 'dumps'>) {
  let second = 0
  for (const { frame, dump } of story) {
    yield [
      ...(second === later?.second ? [later.event] : []),
      ...frame.servers.flatMap((server): readonly SourceEvent[] => [
        { kind: 'frame', frame: server },
        ...(dumps && second % 5 === 0 ? [{ kind: 'dump', dump: dump(server.id) } as const] : []),
      ]),
    ]
    second++
  }
}

export interface RecordedEvents extends Pick<RecordedStory, 'stateDir' | 'name' | 'startAt' | 'events'> {
  /** What the source emitted in each second. */
  readonly moments: Iterable<readonly SourceEvent[]>
}

/** The same of any events. */
export async function recordEvents({ stateDir, name, startAt, events, moments }: RecordedEvents): Promise<void> {
  const clock = standingClock(startAt)
  const picture = createPicture()
  const noter = createSourceNoter()
  const recorder = startRecorder({
    folder: join(stateDir, 'recordings'),
    source: { kind: 'scrape', name, via: '/metrics' },
    writer: 'another',
    environment: clock.environment,
    stretches: (from, to) => stretchesBetween(picture, from, to),
  })
  let told = 0
  let kept = { events: 0, reached: (): void => undefined }
  recorder.state.subscribe(({ events: written = 0 }) => {
    if (written >= kept.events) kept.reached()
  }, new AbortController().signal)
  const written = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    kept = { events: told, reached: resolve }
    clock.advance(0)
    await promise
    // It waits for the next write from here on.
    await new Promise((go) => setImmediate(go))
  }
  const tell = (event: SourceEvent): void => {
    told++
    picture.take(event)
    recorder.take(event, noter.take(event, picture, clock.environment.now()).notes)
  }
  events.forEach(tell)
  let second = 0
  for (const moment of moments) {
    moment.forEach(tell)
    clock.sleep(1_000)
    second++
    if (second % WRITTEN_EVERY === 0 && moment.length > 0) await written()
  }
  await recorder.end()
}
