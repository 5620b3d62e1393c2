import fc from 'fast-check'
import { expect, test } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { ALERTS_LEAD_MS } from '../bounds.ts'
import { createPicture } from '../source/picture.ts'
import type { TimedEvent } from '../source/recording.ts'
import { finish } from '../work.ts'
import { createSourceNoter } from './notes.ts'
import { alertsAt, alertsState } from './past.ts'
import { createAlertWatch } from './watch.ts'
import { standingLines } from './words.ts'

const START = Date.UTC(2026, 10, 21, 3)
const SECONDS = 400
const all: readonly TimedEvent[] = [...syntheticStory({ seconds: SECONDS, startAt: START })].flatMap(
  ({ frame }, second) =>
    frame.servers.map((server): TimedEvent => ({
      at: START + second * 1_000,
      event: { kind: 'frame', frame: server },
    })),
)
const past = { events: (from: number, to: number) => all.filter(({ at }) => at >= from && at <= to) }

test('the rules stand as they did live, at any instant', () => {
  const watch = createAlertWatch()
  const noter = createSourceNoter(watch)
  const picture = createPicture()
  const live = all.map(({ at, event }) => {
    picture.take(event)
    noter.take(event, picture, at)
    const { rules, alerts } = alertsState(watch, [])
    return { at, rules, alerts }
  })
  expect(live.some(({ alerts }) => alerts.length > 0)).toBe(true)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: SECONDS - 1 }), fc.integer({ min: 0, max: 999 }), (second, ms) => {
      const { rules, alerts } = finish(alertsAt(past, START + second * 1_000 + ms))
      expect({ at: START + second * 1_000, rules, alerts }).toEqual(live[second])
    }),
    { numRuns: 25 },
  )
})

test('a server that does not answer is named beside the rules', () => {
  const last = START + (SECONDS - 1) * 1_000
  expect(finish(alertsAt(past, last + 60_000)).silent).toEqual([])
  const state = finish(alertsAt(past, last + 120_000))
  expect(state.silent.map(({ since }) => since)).toEqual(state.silent.map(() => last))
  expect(standingLines(state)[0]).toMatch(
    /^No sample from [a-z-]+:6443 since 03:06:39.*: the rules stand as they did then\.$/,
  )
})

test('so long is looked back on, and no further', () => {
  const asked: number[] = []
  finish(alertsAt({ events: (from, to) => (asked.push(from, to), []) }, START))
  expect(asked).toEqual([START - ALERTS_LEAD_MS, START])
})

test('silences that are given count', () => {
  const { alerts } = finish(alertsAt(past, START + 250_000, [{ rule: 'R1' }]))
  expect(alerts.filter(({ rule }) => rule === 'R1').every(({ silenced }) => silenced)).toBe(true)
})
