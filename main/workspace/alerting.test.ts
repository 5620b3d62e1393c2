import { expect, test } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { MOST_NOTES, type Note } from '../../core/contract/recording.ts'
import { createPicture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { createAlerting } from './alerting.ts'

const START = Date.UTC(2026, 10, 21, 3)
/** In the form that sources emit. */
const objects = ObjectSetSchema.parse(builtInObjects('v1.36.3'))
const frames = [...syntheticStory({ seconds: 400, servers: 2, startAt: START })].flatMap(({ frame }) => frame.servers)

/** The notes about a source that emits only the present. */
function told() {
  const [picture, alerting] = [createPicture(), createAlerting()]
  const heard: (readonly Note[])[] = []
  alerting.notes.subscribe(({ notes }) => void heard.push(notes), new AbortController().signal)
  return {
    heard,
    alerting,
    tell: (event: SourceEvent): void => {
      alerting.take(event, picture, picture.take(event), START)
    },
  }
}

test('what is notes of the present are levels that begin to reject, alerts that begin and end, and objects', () => {
  const { heard, alerting, tell } = told()
  expect(heard).toEqual([[]])
  for (const frame of frames) tell({ kind: 'frame', frame })
  tell({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects } })
  tell({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects: { levels: [], schemas: [] } } })
  const kinds = heard.at(-1)?.map(({ kind }) => kind) ?? []
  expect(new Set(kinds)).toEqual(new Set(['rejecting', 'alert', 'resolved', 'object']))
  expect(kinds.filter((kind) => kind === 'object')).toHaveLength(objects.levels.length + objects.schemas.length)
  let changes = 0
  alerting.states.subscribe((state) => (changes = state.changes.length), new AbortController().signal)
  expect(kinds.filter((kind) => kind === 'alert' || kind === 'resolved')).toHaveLength(changes)
})

test('what was there before the connection is not notes, and the oldest give way', () => {
  const { heard, tell } = told()
  for (const frame of frames) tell({ kind: 'frame', frame, past: true })
  expect(heard).toEqual([[]])
  const change = (set: typeof objects): void =>
    tell({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects: set } })
  for (let round = 0; round * objects.levels.length < MOST_NOTES; round += 1) {
    change(objects)
    change({ levels: [], schemas: [] })
  }
  expect(heard.at(-1)).toHaveLength(MOST_NOTES)
})
