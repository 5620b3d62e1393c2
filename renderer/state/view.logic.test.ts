import { describe, expect, it } from 'vitest'
import type { Connected } from '../../core/contract/source.ts'
import { staleAfterMs } from '../../core/frame/staleAfter.ts'
import {
  ageOf,
  ageOfSimulated,
  modeOf,
  NO_ARRIVALS,
  receive,
  release,
  sampleDistanceMs,
  type Arrival,
} from './view.logic.ts'

const arrival = (seq: number, connection = 1): Arrival => ({
  connection,
  seq,
  frame: {
    formatVersion: 1,
    at: new Date(seq * 1_000).toISOString(),
    source: { kind: 'demo', name: 'x', via: 'y' },
    servers: [
      { id: 'a', at: new Date(seq * 1_000).toISOString(), levels: [], missing: [] },
      { id: 'b', at: new Date(seq * 1_000 - 500).toISOString(), levels: [], missing: [] },
    ],
  },
  derived: [],
})

const connected = (more: Partial<Connected> = {}): Connected => ({
  id: 1,
  source: { kind: 'demo', name: 'x', via: 'y' },
  spec: { kind: 'demo' },
  cadence: { intervalMs: 1_000, dumpsEveryMs: null },
  servers: [],
  still: false,
  ...more,
})

describe('what arrives', () => {
  it('is shown at once while live', () => {
    const after = receive(NO_ARRIVALS, arrival(1), false)
    expect(after.shown?.seq).toBe(1)
    expect(after.buffered).toBe(0)
  })

  it('is held and counted while paused, merged frames included', () => {
    const live = receive(NO_ARRIVALS, arrival(1), false)
    const held = receive(receive(live, arrival(2), true), arrival(5), true)
    expect(held.shown?.seq).toBe(1)
    expect(held.buffered).toBe(4)
    expect(release(held)).toMatchObject({ shown: { seq: 5 }, buffered: 0 })
  })

  it('is shown in spite of a pause when it is the first of its connection', () => {
    expect(receive(NO_ARRIVALS, arrival(1), true).shown).toMatchObject({ seq: 1 })
  })

  it('changes nothing when it is old', () => {
    const live = receive(NO_ARRIVALS, arrival(5, 2), false)
    expect(receive(live, arrival(4, 2), false)).toBe(live)
    expect(receive(live, arrival(5, 2), false)).toBe(live)
  })
})

describe('the mode', () => {
  const facts = { connection: connected(), hasFrame: true, paused: false, newestAgeMs: 0 }

  it('is stale from three intervals on, and never before three seconds', () => {
    expect(staleAfterMs(500)).toBe(3_000)
    expect(staleAfterMs(5_000)).toBe(15_000)
    expect(modeOf({ ...facts, newestAgeMs: 2_999 })).toBe('live')
    expect(modeOf({ ...facts, newestAgeMs: 3_000 })).toBe('stale')
    const slow = connected({ cadence: { intervalMs: 10_000, dumpsEveryMs: null } })
    expect(modeOf({ ...facts, connection: slow, newestAgeMs: 29_999 })).toBe('live')
  })

  it('knows pause, files, connecting and nothing', () => {
    expect(modeOf({ ...facts, paused: true, newestAgeMs: 60_000 })).toBe('paused')
    expect(modeOf({ ...facts, connection: connected({ still: true }), newestAgeMs: 1e9 })).toBe('still')
    expect(modeOf({ ...facts, hasFrame: false })).toBe('connecting')
    expect(modeOf({ ...facts, connection: undefined })).toBe('none')
  })
})

describe('the age', () => {
  it('is that of the chosen server, and never negative', () => {
    expect(ageOf(arrival(10), 'a', 12_000)).toBe(2_000)
    expect(ageOf(arrival(10), 'b', 12_000)).toBe(2_500)
    expect(ageOf(arrival(10), 'a', 9_000)).toBe(0)
    expect(ageOf(undefined, 'a', 9_000)).toBe(0)
  })
})

describe('a simulation', () => {
  it('is as old as its last sign of life, whatever its own time says, and does not age while it stands', () => {
    expect(ageOfSimulated(10_000, 12_500, false)).toBe(2_500)
    expect(ageOfSimulated(10_000, 9_000, false)).toBe(0)
    expect(ageOfSimulated(10_000, 99_000, true)).toBe(0)
  })

  it('is sampled further apart in its own time when it is fast', () => {
    expect([undefined, 0.1, 1, 20, 100, 1_000].map((speed) => sampleDistanceMs(1_000, speed))).toEqual([
      1_000, 1_000, 1_000, 1_000, 5_000, 50_000,
    ])
  })
})
