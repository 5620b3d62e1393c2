import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { createClient, type ConnectedClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import { serve } from '../../core/contract/server.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import type { ScenarioEvent, ScenarioWish } from '../../core/contract/scenario.ts'
import type { SweepEvent, SweepWish } from '../../core/contract/sweep.ts'
import type { RequestsFrom, WhatIfEvent, WhatIfWish, WishedVariant } from '../../core/contract/whatif.ts'
import { runPoint } from '../../core/sweep/points.ts'
import { readSweep } from '../../core/sweep/read.ts'
import { CROWDED, crowdedBase, SWEEP } from '../../core/sweep/sweep.fixture.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { openInThread } from '../../main/threads/sourceThread.ts'
import { whatIfInThread } from '../../main/threads/whatIf.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import { createWorkspace } from '../../main/workspace/workspace.ts'
import { allNamed } from '../harness/consent.ts'
import { memoryPorts } from '../harness/ports.ts'

const ROOT = path.join(import.meta.dirname, '../..')

let stateDir = ''
let page: ConnectedClient
let close: () => Promise<void>

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'apf-whatif-'))
  const workspace = createWorkspace({
    stateDir,
    environment: systemEnvironment,
    access: systemAccess('', stateDir, allNamed),
    open: openInThread({
      file: path.join(ROOT, 'main/threads/thread.ts'),
      stateDir,
      recording: '',
      words: [],
      consent: allNamed,
    }),
    whatIf: whatIfInThread({
      file: path.join(ROOT, 'main/threads/whatIfThread.ts'),
      scenarioFolder: path.join(ROOT, 'assets/scenarios'),
    }),
    version: '0.0.0-test',
    mode: 'memory',
    platform: 'test',
    warn: () => undefined,
  })
  page = createClient({
    ...systemEnvironment,
    reading: checked,
    connect: async () => {
      const [asking, serving] = memoryPorts()
      serve(serving, workspace.handlers, workspace)
      return asking
    },
  })
  close = async () => {
    page.close()
    await workspace.close()
  }
})
afterEach(async () => {
  await close()
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

const variant = (name: string, more: Partial<WishedVariant> = {}): WishedVariant => ({
  name,
  maxRequestsInFlight: 20,
  maxMutatingRequestsInFlight: 10,
  servers: 1,
  version: NEWEST_VERSION,
  algorithm: 'upstream',
  executionFactor: 1,
  ...more,
})
const wishOf = (from: RequestsFrom, more: Partial<WhatIfWish> = {}): WhatIfWish => ({
  from,
  clients: 'open',
  baseline: variant('baseline'),
  candidates: [variant('narrow', { maxRequestsInFlight: 2, maxMutatingRequestsInFlight: 2 })],
  ...more,
})
const CLUSTER: RequestsFrom = { kind: 'cluster', seed: 1, seconds: 20 }

/** Everything that a run emits until its end. */
const toEnd = (wish: WhatIfWish): Promise<readonly WhatIfEvent[]> =>
  new Promise((resolve, reject) => {
    const events: WhatIfEvent[] = []
    const stop = page.subscribe(
      'whatIf',
      wish,
      (event) => {
        events.push(event)
        if (event.kind === 'progress') return
        stop()
        resolve(events)
      },
      ({ message }) => reject(new Error(message)),
    )
  })
const reportOf = async (wish: WhatIfWish) => {
  const last = (await toEnd(wish)).at(-1)
  return last?.kind === 'done' ? last.report : expect.fail(JSON.stringify(last))
}
const problemOf = async (wish: WhatIfWish) => {
  const last = (await toEnd(wish)).at(-1)
  return last?.kind === 'failed' ? last.problem : expect.fail('the comparison was done')
}

describe('a comparison in a thread of its own', () => {
  test('gives the requests of the simulated cluster to every variant', async () => {
    const report = await reportOf(wishOf(CLUSTER))
    expect(report).toMatchObject({ clients: 'open', baseline: { name: 'baseline', seconds: 20 } })
    expect(report.requests).toBeGreaterThan(500)
    const [candidate] = report.candidates
    expect(candidate?.result.total.offered).toBe(report.baseline.total.offered)
    expect(candidate?.result.total.waitMs.p99).toBeGreaterThan(report.baseline.total.waitMs.p99)
    expect(candidate?.decisions?.first?.explanation).toHaveLength(3)
    expect(report.baseline.levels.map(({ level }) => level)).toContain('workload-low')
  })

  test('sets the clients of a scenario before each variant', async () => {
    const scenarios = await page.call('whatIf.scenarios', null)
    expect(scenarios.map(({ name }) => name)).toContain('S1')
    const report = await reportOf(wishOf({ kind: 'scenario', name: 'S1', seed: 1 }, { clients: 'closed' }))
    expect(report.clients).toBe('closed')
    expect(report.candidates[0]?.decisions).toBeUndefined()
    expect(report.candidates[0]?.result.total.offered).toBeGreaterThan(0)
  })

  test('opens a scenario, and the run of a variant, as sources that stand at any instant', async () => {
    const of = { kind: 'scenario', name: 'S1', seed: 1 } as const
    const [scenario] = await page.call('whatIf.scenarios', null)
    const name = scenario?.variants.at(-1) ?? ''
    const run = await page.call('sources.connect', { spec: { kind: 'run', of: { ...of, variant: name } } })
    expect(run).toMatchObject({ still: true, source: { kind: 'run', name: `S1 ${name}` } })
    const { id: connection } = run
    expect(await page.call('past.open', { connection })).toBe(connection)
    const { last = 0 } = await page.call('past.extent', { connection })
    expect(last).toBe((scenario?.seconds ?? 0) * 1_000)
    const { moment } = await page.call('past.step', { connection, at: last / 2, stride: 'decision', back: false })
    expect(moment.at).toBeGreaterThanOrEqual(last / 2)
    expect(moment.frame?.servers[0]?.levels.length).toBeGreaterThan(0)

    const text = (await page.call('whatIf.scenarioText', { name: 'S1' })).replace('seconds: 70', 'seconds: 30')
    const own = { kind: 'run', of: { ...of, name: 'mine.yaml', variant: 'now' }, given: { scenario: text } } as const
    const mine = await page.call('sources.connect', { spec: own })
    expect(mine.source.name).toBe('mine.yaml now')
    await page.call('past.open', { connection: mine.id })
    expect((await page.call('past.extent', { connection: mine.id })).last).toBe(30_000)

    const compared = { kind: 'comparison', wish: wishOf({ ...of }), variant: 1 } as const
    const candidate = await page.call('sources.connect', { spec: { kind: 'run', of: compared } })
    expect(candidate.source.name).toBe('narrow')
    // The text of the scenario stays where it was read.
    expect(candidate.spec).toEqual({ kind: 'run', of: compared })
    await expect(
      page.call('sources.connect', { spec: { kind: 'run', of: { ...of, name: '../S1', variant: name } } }),
    ).rejects.toThrow('The library has no scenario “../S1”')
  })

  test('says what cannot be compared', async () => {
    expect(await problemOf(wishOf({ kind: 'scenario', name: '../S1', seed: 1 }))).toMatchObject({
      code: 'not-found',
      message: 'The library has no scenario “../S1”; choose one from the list.',
    })
    expect(await problemOf(wishOf(CLUSTER, { candidates: [variant('baseline')] }))).toMatchObject({
      message: 'Two variants are named “baseline”; give each its own name.',
    })
    const several = wishOf(CLUSTER, { clients: 'closed', candidates: [variant('two', { servers: 2 })] })
    expect(await problemOf(several)).toMatchObject({
      message: 'Closed-loop clients use one server; two has 2. Set it to 1, or choose open-loop clients.',
    })
    const { levels, schemas } = builtInObjects(NEWEST_VERSION)
    const lendsTooMuch = levels.map(({ spec, ...level }) => ({
      ...level,
      spec: spec.limited === undefined ? spec : { ...spec, limited: { ...spec.limited, lendablePercent: 200 } },
    }))
    const broken = ObjectSetSchema.parse({ levels: lendsTooMuch, schemas })
    expect(await problemOf(wishOf(CLUSTER, { candidates: [variant('b', { objects: broken })] }))).toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(/^No server would accept PriorityLevelConfiguration /),
    })
    const spec = SimulationSpecSchema.parse({ kind: 'simulation' })
    const { id } = await page.call('sources.connect', { spec })
    expect(await problemOf(wishOf({ kind: 'recorded', connection: id }))).toMatchObject({ code: 'not-found' })
  })

  test('gives the recorded requests of a connected source to every variant', async () => {
    const spec = SimulationSpecSchema.parse({ kind: 'simulation' })
    const { id } = await page.call('sources.connect', { spec })
    const recorded = wishOf({ kind: 'recorded', connection: id })
    await expect.poll(async () => (await toEnd(recorded)).at(-1)?.kind, { interval: 2_000 }).toBe('done')
    const report = await reportOf(recorded)
    expect(report.requests).toBeGreaterThan(0)
    expect(report.candidates[0]?.result.total.offered).toBe(report.requests)
  })

  test('is cancelled with the subscription, and makes room for another one', async () => {
    const long = wishOf({ kind: 'cluster', seed: 1, seconds: 3_600 })
    const first = Promise.withResolvers<void>()
    const stops = [1, 2].map(() => page.subscribe('whatIf', long, () => first.resolve()))
    await first.promise
    expect(await problemOf(wishOf(CLUSTER))).toMatchObject({ code: 'throttled' })
    for (const stop of stops) stop()
    await expect.poll(async () => (await toEnd(wishOf(CLUSTER))).at(-1)?.kind).toBe('done')
  })
})

/** How a run of a scenario ends. */
const scenarioEnd = (wish: ScenarioWish): Promise<ScenarioEvent> =>
  new Promise((resolve, reject) => {
    const stop = page.subscribe(
      'scenario',
      wish,
      (event) => {
        if (event.kind === 'progress') return
        stop()
        resolve(event)
      },
      ({ message }) => reject(new Error(message)),
    )
  })

describe('a scenario in a thread of its own', () => {
  test('is run by its name, with what it teaches in the library', async () => {
    const library = await page.call('whatIf.scenarios', null)
    const listed = library.find(({ name }) => name === 'T4')
    expect(listed).toMatchObject({ variants: ['now'], clients: [{ name: 'probes' }] })
    const end = await scenarioEnd({ kind: 'library', name: 'T4' })
    expect(end).toMatchObject({ kind: 'done', report: { name: 'T4', passed: true, runs: [{ verdict: 'prevented' }] } })
  })

  test('can be read as the YAML that it is written in', async () => {
    const text = await page.call('whatIf.scenarioText', { name: 'T4' })
    const end = await scenarioEnd({ kind: 'file', file: 'T4.yaml', text })
    expect(end).toMatchObject({ kind: 'done', report: { name: 'T4', passed: true } })
    await expect(page.call('whatIf.scenarioText', { name: '../T4' })).rejects.toThrow('“../T4”')
  })

  test('says line, field and remedy of a file, and which name the library does not have', async () => {
    const file = await scenarioEnd({ kind: 'file', file: 'mine.yaml', text: 'name: mine\nsecond: 4\n' })
    const message =
      'mine.yaml, line 2: There is no field “second” at the top of the object: remove it or correct its name.'
    expect(file).toMatchObject({ kind: 'failed', problem: { code: 'invalid-input', message } })
    const other = await scenarioEnd({ kind: 'library', name: '../S1' })
    expect(other).toMatchObject({ kind: 'failed', problem: { code: 'not-found' } })
  })
})

/** How a sweep ends, and the parts of the whole that were told before. */
const swept = (wish: SweepWish): Promise<{ readonly last: SweepEvent; readonly parts: readonly number[] }> =>
  new Promise((resolve, reject) => {
    const parts: number[] = []
    const stop = page.subscribe(
      'sweep',
      wish,
      (event) => {
        if (event.kind === 'progress') return void parts.push(event.part)
        stop()
        resolve({ last: event, parts })
      },
      ({ message }) => reject(new Error(message)),
    )
  })

describe('a sweep in threads', () => {
  const scenario = { file: 'crowded.yaml', text: CROWDED }

  test('runs every point of a scenario of the page, as the command line does', async () => {
    const { last, parts } = await swept({ text: SWEEP, scenario })
    const { header, points } = last.kind === 'done' ? last.report : expect.fail(JSON.stringify(last))
    expect(header).toMatchObject({
      sweep: 'shares',
      points: 6,
      parameters: ['workload-low.nominalConcurrencyShares', 'workload-low.queues'],
    })
    expect(points.map(({ point }) => point)).toEqual([0, 1, 2, 3, 4, 5])
    expect(parts.at(-1)).toBe(1)
    const { plan } = readSweep(SWEEP, 'sweep.yaml').value ?? expect.fail('no sweep')
    for (const { point, values, ...result } of points)
      expect({ point, values, ...result }).toEqual(runPoint(crowdedBase(), plan, { point, values }))
  })

  test('says where a sweep is wrong, and which ones are for the command line', async () => {
    const refused = async (text: string, own = scenario): Promise<string> => {
      const { last } = await swept({ text, scenario: own })
      return last.kind === 'failed' ? last.problem.message : expect.fail('it ran')
    }
    expect(await refused(SWEEP.replace('queues,', 'qeues,'))).toMatch(/^Line 5: .*did you mean “queues”\?$/)
    expect(await refused(SWEEP.replace('workload-low, measure', 'nowhere, measure'))).toMatch(/^Line 7: .*nowhere/)
    expect(await refused(SWEEP.replace('crowded.yaml }', 'crowded.yaml, variant: later }'))).toMatch(
      /has no variant “later”; the variants are now\.$/,
    )
    // The line is of the scenario, not of the sweep.
    const broken = { ...scenario, text: CROWDED.replace('seconds: 4', 'seconds: none') }
    expect(await refused(SWEEP, broken)).toMatch(/^crowded\.yaml, line 2: /)
    expect(await refused(SWEEP.replace('crowded.yaml', '../S1'))).toMatch(/^The library has no scenario “..\/S1”/)
    expect(await refused(SWEEP.replace('to: 16, step: 8', 'to: 1000, step: 1'))).toMatch(
      /^The sweep has 2979 points, and a window runs at most 400\. Give fewer values, or run the file with/,
    )
    expect(await refused(SWEEP.replace('scenario: crowded.yaml', 'requests: [a.log]'))).toMatch(
      /^A sweep of recorded requests needs their files/,
    )
  })
})
