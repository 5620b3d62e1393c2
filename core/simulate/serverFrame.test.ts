import { expect, test } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import type { EngineSnapshot } from '../engine/snapshot.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import { createDeriver } from '../frame/derive.ts'
import { DumpFrameSchema } from '../frame/dump.ts'
import { expectedAllocation } from '../impact/expected.ts'
import { ServerFrameSchema, type Histogram, type ServerFrame } from '../frame/frame.ts'
import type { Family, Page, Series } from '../metrics/page.ts'
import { CLUSTER } from './cluster.ts'
import { dumpFrame, serverFrame } from './serverFrame.ts'
import { exposedFamilies } from './exposedFamilies.ts'
import { createSimulation } from './simulation.ts'

const VERSION = 'v1.37.2'
const BUILT_IN = {
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemas],
}
const simulation = (configuration = BUILT_IN) =>
  createSimulation({
    seed: 1,
    startUnixMs: 1_700_000_000_000,
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor(VERSION),
    corrections: AS_UPSTREAM,
    configuration,
    workload: CLUSTER,
  })

/** The page that a scrape of a snapshot would return. */
function pageOf(snapshot: EngineSnapshot): Page {
  const families = new Map<string, Family>()
  for (const { name, type, expose } of exposedFamilies(VERSION)) {
    const lines = expose(snapshot).flatMap(({ labels, value }) =>
      typeof value === 'number' ? [{ name, labels, value }] : histogramLines(name, labels, value),
    )
    if (lines.length === 0) continue
    families.set(name, { name, type, series: lines, values: lines.map(({ value }) => value) })
  }
  return { families, samples: 0 }
}

const histogramLines = (
  name: string,
  labels: Series['labels'],
  { bounds, counts, sum, count }: Histogram,
): readonly (Series & { readonly value: number })[] => [
  ...counts.map((value, i) => ({
    name: `${name}_bucket`,
    labels: { ...labels, le: String(bounds[i] ?? '+Inf') },
    value,
  })),
  { name: `${name}_sum`, labels, value: sum },
  { name: `${name}_count`, labels, value: count },
]

/** A metrics page counts waits; only the engine has the largest wait of each bucket. */
const asExposed = (frame: ServerFrame): ServerFrame => ({
  ...frame,
  levels: frame.levels.map((level) => ({
    ...level,
    schemas: level.schemas.map((schema) => {
      if (schema.wait === undefined) return schema
      const { largest, ...wait } = schema.wait
      expect(largest).toHaveLength(wait.counts.length)
      return { ...schema, wait }
    }),
  })),
})

test('the frame of the engine is the frame of its metrics, at rest and in the middle of a wave', () => {
  const running = simulation()
  for (const seconds of [4, 9.999, 10, 25.2, 31, 60, 75]) {
    running.runTo(seconds * 1e9)
    const snapshot = running.engine.snapshot()
    const own = serverFrame(snapshot, { id: 'one', version: VERSION })
    const read = createFrameBuilder({ id: 'one' })(pageOf(snapshot), { at: own.at, version: VERSION })
    expect(read, `after ${seconds} s`).toEqual(asExposed(own))
    expect(ServerFrameSchema.safeParse(own).error).toBeUndefined()
  }
})

test('data derived from the frames of a whole wave has no gap, no tear and no unexpected limit', () => {
  const running = simulation()
  const derive = createDeriver('one')
  for (let seconds = 0; seconds <= 120; seconds++) {
    running.runTo(seconds * 1e9)
    const frame = serverFrame(running.engine.snapshot(), { id: 'one', version: VERSION })
    const { torn, noRates } = derive(frame)
    expect({ torn, noRates }).toEqual({ torn: false, noRates: seconds === 0 ? 'first-sample' : undefined })
    expect(expectedAllocation(frame)).toMatchObject({ kind: 'known', comparison: { kind: 'equal' } })
  }
})

test('the dump contains what the frame counts', () => {
  const running = simulation()
  running.runTo(40e9)
  const frame = serverFrame(running.engine.snapshot(), { id: 'one', version: VERSION })
  const dump = dumpFrame('one', running.engine)
  expect(DumpFrameSchema.safeParse(dump).error).toBeUndefined()
  for (const { name, requests, dispatched } of frame.levels) {
    const level = dump.levels?.find((one) => one.name === name)
    expect(level, name).toMatchObject({ waiting: requests.queued, executing: requests.executing, dispatched })
    const listed = dump.requests?.filter((request) => request.level === name) ?? []
    expect(listed.filter(({ position }) => position >= 0)).toHaveLength(requests.queued ?? 0)
    expect(listed.filter(({ position }) => position < 0)).toHaveLength(requests.executing ?? 0)
    for (const queue of dump.queues?.filter((one) => one.level === name) ?? []) {
      const waiting = listed.filter((request) => request.queue === queue.index && request.position >= 0)
      expect(waiting).toHaveLength(queue.pending)
      expect(waiting.reduce((sum, { initialSeats }) => sum + initialSeats, 0)).toBe(queue.initialSeats)
    }
  }
  expect(dump.requests?.some(({ position }) => position > 0)).toBe(true)
})

test('a server without a queue has frames, without ratios to its places', () => {
  const running = simulation({ levels: [...mandatoryLevels], schemas: [...mandatorySchemas] })
  running.runTo(1e9)
  const frame = serverFrame(running.engine.snapshot(), { id: 's', version: VERSION })
  expect(ServerFrameSchema.safeParse(frame).success).toBe(true)
  expect(frame.waitingByKind).toEqual({ readOnly: undefined, mutating: undefined })
  expect(frame.executingByKind?.readOnly?.sum).toBeGreaterThanOrEqual(0)
})
