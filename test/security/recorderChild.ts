/**
 * A console as far as its flight recorder goes, to be killed: `recorderChild.ts FOLDER` records a story as fast as it can,
 * and prints after each second that was kept how many events that makes.
 */
import { createPicture, stretchesBetween } from '../../core/source/picture.ts'
import { startRecorder } from '../../main/recordings/recorder.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { standingClock } from '../harness/standingClock.ts'

const [folder = ''] = process.argv.slice(2)
const clock = standingClock(Date.UTC(2026, 10, 21, 3))
const picture = createPicture()
const recorder = startRecorder({
  stretches: (from, to) => stretchesBetween(picture, from, to),
  folder,
  source: { kind: 'scrape', name: 'prod', via: '/metrics' },
  writer: 'child',
  environment: clock.environment,
})
const counts = { kept: 0, taken: 0 }
recorder.state.subscribe(({ events = 0 }) => {
  counts.kept = events
  process.stdout.write(`${events}\n`)
}, new AbortController().signal)

for (const { frame, dump } of syntheticStory({ seconds: 3_600 })) {
  for (const server of frame.servers) {
    picture.take({ kind: 'frame', frame: server })
    recorder.take({ kind: 'frame', frame: server })
    recorder.take({ kind: 'dump', dump: dump(server.id) })
    counts.taken += 2
  }
  clock.advance(1_000)
  while (counts.kept < counts.taken) await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}
