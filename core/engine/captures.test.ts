import { expect, test } from 'vitest'
import { metricsPages, readFixture } from '../../test/fixtures/load.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { createParser } from '../metrics/parse.ts'
import { type AllocationInput, allocate } from './allocation.ts'
import { profileFor } from './profiles.ts'

const inputOf = ({ name, limits, demand }: LevelFrame): AllocationInput => ({
  name,
  exempt: name === 'exempt',
  limits: { nominal: limits.nominal ?? 0, min: limits.lower ?? 0, max: limits.upper ?? 0 },
  demand: {
    highWatermark: demand.highWatermark ?? 0,
    average: demand.average ?? 0,
    stdev: demand.stdev ?? 0,
    envelope: (demand.average ?? 0) + (demand.stdev ?? 0),
    smoothed: demand.smoothed ?? 0,
  },
  current: limits.current ?? 0,
})

function expectReportedLimits(frame: ServerFrame, version: string): void {
  const rules = { borrowing: profileFor(version).borrowing, distributeRemaining: false }
  const allocation = allocate(frame.levels.map(inputOf), rules)
  const reported = frame.levels.map(({ name, limits }) => [name, limits.current])
  expect(
    allocation.levels.map(({ name, current }) => [name, current]),
    frame.at,
  ).toEqual(reported)
  expect(Math.abs(allocation.fairFrac - (frame.seatFairFrac ?? Number.NaN))).toBeLessThanOrEqual(
    1e-9 * allocation.fairFrac,
  )
}

const frameOf = (page: Uint8Array, at: string): ServerFrame =>
  createFrameBuilder({ id: 'server' })(createParser().parse(page), { at })

test.each(metricsPages)('the limits that a server reports follow from its reported demand: %s', (path) => {
  const version = /v\d+\.\d+\.\d+/.exec(path)?.[0] ?? ''
  expectReportedLimits(frameOf(readFixture(path), path), version)
})

test('Exempt borrows like the others up to 1.30, and is on top from 1.31 on', () => {
  const level = (name: string, nominal: number, min: number, demand: number): AllocationInput => ({
    name,
    exempt: name === 'exempt',
    limits: { nominal, min, max: nominal + 100 },
    demand: { highWatermark: demand, average: demand, stdev: 0, envelope: demand, smoothed: demand },
    current: nominal,
  })
  const inputs = [level('exempt', 0, 0, 10), level('one', 50, 25, 10), level('other', 50, 25, 200)]
  const allocated = (version: string) =>
    allocate(inputs, { borrowing: profileFor(version).borrowing, distributeRemaining: false }).levels
  const distributed = (version: string): number =>
    allocated(version).reduce((sum, { allocation = 0 }) => sum + allocation, 0)
  expect(distributed('v1.30.14')).toBeCloseTo(100, 9)
  expect(allocated('v1.30.14')[0]?.target).toBe(10)
  expect(distributed('v1.31.0')).toBeCloseTo(100, 9)
  expect(allocated('v1.31.0')[0]).toMatchObject({ current: 10, target: undefined, allocation: undefined })
})
