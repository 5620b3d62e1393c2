import { afterEach, expect, test } from 'vitest'
import { pastStore } from '../state/past.ts'
import { timeStore } from '../state/time.ts'
import { absolute } from '../state/time.logic.ts'
import { showRange } from './rangeActions.ts'

const initial = timeStore.getState()
afterEach(() => {
  pastStore.setState({}, true)
  timeStore.setState(initial, true)
})

const SECOND = Date.parse('2026-11-29T02:28:46Z')

test.each([
  ['in the second in which the recording begins is its first sample', SECOND + 80, SECOND + 80],
  ['a whole second before the recording stays', SECOND + 1_000, SECOND],
  ['within the recording stays', SECOND - 80, SECOND],
])('a typed instant %s', (_, first, shown) => {
  pastStore.setState({ extent: { first, last: first + 60_000, gaps: [], problems: [] } })
  showRange({ ok: true, window: absolute(SECOND - 300_000, SECOND + 300_000), at: SECOND })
  expect(timeStore.getState().chosen).toBe(shown)
})
