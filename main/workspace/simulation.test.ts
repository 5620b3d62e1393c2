import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RECONCILER } from '../../core/config/objects.ts'
import { manifestOf, versionOf } from '../../core/config/content.ts'
import type { StreamEvent } from '../../core/contract/contract.ts'
import { ApplyReportSchema, ObjectsStateSchema, type ObjectsState } from '../../core/contract/objects.ts'
import { SimulationSpecSchema, type SimulationState } from '../../core/contract/simulation.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import { createSimulationSource } from '../sources/simulation.ts'
import { oneSourceOf, type OneSource } from '../../test/harness/oneSource.ts'
import type { ConnectedSource } from './connectedSource.ts'
import { createWorkspace, type Workspace } from './workspace.ts'
import { allNamed } from '../../test/harness/consent.ts'

const START = Date.UTC(2026, 0, 1)
const SIMULATION = SimulationSpecSchema.parse({ kind: 'simulation', seed: 3 })

const notAsked = async (): Promise<never> => {
  throw new Error('objects from elsewhere are not part of this test')
}

describe('the workspace with a simulation', () => {
  let stateDir = ''
  let clock = standingClock(START)
  let workspace: Workspace
  let served: ConnectedSource[] = []
  let console: OneSource

  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'apf-state-'))
    clock = standingClock(START)
    served = []
    workspace = createWorkspace({
      stateDir,
      environment: clock.environment,
      access: {
        makeSource: async (spec, environment) => {
          if (spec.kind !== 'simulation') {
            return {
              ok: true,
              source: {
                info: { kind: 'demo', name: 'demo', via: 'test' },
                still: false,
                start: () => undefined,
                tryNow: () => undefined,
                setCadence: () => undefined,
              },
            }
          }
          const simulation = createSimulationSource(spec, environment, { backfillSeconds: 20, stopwatch: () => 0 })
          return { ok: true, source: simulation, simulation }
        },
        consent: allNamed,
        recordings: notAsked,
        prometheusServers: () => Promise.reject(new Error('not asked')),
        clusterServices: () => Promise.reject(new Error('not asked')),
        listContexts: async () => [],
        permissionReports: async () => [],
        readClusterObjects: notAsked,
        readManifestFiles: notAsked,
      },
      version: '1.2.3',
      mode: 'memory',
      platform: 'test',
      warn: (sentence) => {
        throw new Error(sentence)
      },
      onConnected: (source) => served.push(source),
    })
    console = oneSourceOf(workspace.handlers)
  })
  afterEach(async () => {
    await workspace.close()
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  it('tells no frame of its history, which can be asked for', async () => {
    const frames: StreamEvent<'frames'>[] = []
    console.subscribe('frames', null, (event) => frames.push(event))
    await console.call('sources.connect', { spec: SIMULATION })
    clock.advance(2_000)
    expect(frames.map(({ frame }) => Date.parse(frame.at) - START)).toEqual([0, 1_000, 2_000])
    const [first] = frames
    const server = first?.frame.servers[0]?.id ?? ''
    const range = { server, from: START - 60_000, to: START, maxPoints: 100 }
    const { times } = await console.call('history.series', range)
    expect(times).toHaveLength(21)
  })

  it('is told by the name that people have for its algorithm, unless it is upstream’s', async () => {
    const opened = await console.call('sources.connect', { spec: { ...SIMULATION, algorithm: 'kep-width-3ms' } })
    expect(opened.algorithm).toBe('KEP-1040, widths at 3 ms')
    expect(await console.call('sources.connect', { spec: SIMULATION })).not.toHaveProperty('algorithm')
  })

  it('steers it, and tells how it goes to whoever listens', async () => {
    const states: SimulationState[] = []
    console.subscribe('simulation', null, (state) => states.push(state))
    await console.call('sources.connect', { spec: SIMULATION })
    clock.advance(1_000)
    expect(await console.call('simulation.control', { speed: 10, paused: true })).toMatchObject({
      speed: 10,
      paused: true,
    })
    expect(states.at(-1)).toMatchObject({ speed: 10, paused: true })
    const { elapsedSeconds } = await console.call('simulation.state', null)
    await console.call('simulation.control', { step: 50 })
    expect(states.at(-1)?.elapsedSeconds).toBeGreaterThan(elapsedSeconds)
    expect(states.at(-1)?.retryAfterSeconds).toHaveProperty('workload-low')
  })

  it('applies edits to it at once, remembers them, and takes them back', async () => {
    const states: ObjectsState[] = []
    console.subscribe('objects', null, (state) => states.push(ObjectsStateSchema.parse(state)))
    await console.call('sources.connect', { spec: SIMULATION })
    clock.advance(1_000)
    expect(states.at(-1)).toMatchObject({ origin: 'simulation', state: 'current', editing: { state: 'off' } })
    await console.call('editing.switch', { on: true })
    const level = () => states.at(-1)?.objects.levels.find(({ metadata }) => metadata.name === 'workload-low')
    const before = level()
    const base = before && versionOf(before)
    const limited = { ...before?.spec.limited, nominalConcurrencyShares: 200 }
    const object = { ...manifestOf('PriorityLevelConfiguration', { ...before, spec: { ...before?.spec, limited } }) }
    const changes = [
      { kind: 'PriorityLevelConfiguration' as const, name: 'workload-low', object, ...(base && { base }) },
    ]
    const report = ApplyReportSchema.parse(await console.call('objects.apply', { changes, force: false }))
    expect(report.verdicts).toMatchObject([{ outcome: 'accepted', differences: [] }])
    expect(level()?.spec.limited?.nominalConcurrencyShares).toBe(200)
    const undone = await console.call('journal.undo', { id: report.entry?.id ?? '', force: false })
    expect(undone.entry?.changes.map(({ state }) => state)).toEqual(['undone'])
    expect(level()?.spec).toEqual(before?.spec)
    await console.call('journal.redo', { id: report.entry?.id ?? '', force: false })
    const since = async () => (await console.call('journal.read', null))[0]?.changes[0]?.since
    expect(await since()).toBeUndefined()
    // The reconciler takes an edit of a built-in object back within a minute, and is named for it.
    clock.advance(60_000)
    expect(level()?.spec).toEqual(before?.spec)
    expect(await since()).toEqual({ what: 'taken-back', by: RECONCILER })
  })

  it('ends it with its session, remembers it, and refuses to steer what is none', async () => {
    await console.call('sources.connect', { spec: SIMULATION })
    clock.advance(1_000)
    expect(served).toHaveLength(1)
    expect(served[0]?.serveSimulation).toBeDefined()
    expect(served[0]?.ended.aborted).toBe(false)
    await console.call('sources.connect', { spec: { kind: 'demo' } })
    expect(served[0]?.ended.aborted).toBe(true)
    clock.advance(1_000)
    expect(clock.timers()).toBe(0)
    await expect(console.call('simulation.state', null)).rejects.toMatchObject({ problem: { code: 'unsupported' } })
    await expect(console.call('simulation.control', { paused: true })).rejects.toThrow('not a simulation')
    expect(await console.call('sources.recent', null)).toMatchObject([{ name: 'Simulated cluster', spec: SIMULATION }])
  })
})
