import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manifestOf, versionOf } from '../../core/config/content.ts'
import { AUTOUPDATE_ANNOTATION } from '../../core/config/objects.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import type { CandidateWish, CandidateReport } from '../../core/contract/live.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { openLiveConsole, type LiveConsole } from '../harness/live.ts'

const LEVEL = 'workload-low'
/** The ten minutes in advance are computed first, by tests that run in parallel. */
const LONG = { timeout: 20_000, interval: 50 }

describe('a simulation', () => {
  let desk: LiveConsole
  beforeEach(async () => {
    desk = await openLiveConsole('simulated-apiserver')
    await connect()
  })
  afterEach(() => desk.close())

  const connect = (): Promise<void> => desk.connect(SimulationSpecSchema.parse({ kind: 'simulation' }))
  const present = () => vi.waitFor(() => expect(desk.frame()).toBeDefined(), LONG)
  const state = (): NonNullable<ReturnType<LiveConsole['state']>> => {
    const told = desk.state()
    if (told === undefined) throw new Error('nothing was told')
    return told
  }
  const compared = (): CandidateReport => {
    const { candidate } = state()
    if (candidate === undefined) throw new Error('the draft does not run')
    return candidate
  }
  /** The objects in force with so many shares for one level, which no server restores. */
  const draft = (nominalConcurrencyShares: number): Extract<CandidateWish, { on: true }> => {
    const { levels = [], schemas = [] } = desk.objects()?.objects ?? {}
    const own = { lendablePercent: 0, borrowingLimitPercent: 0, nominalConcurrencyShares }
    const changed = levels.map((level) =>
      level.metadata.name === LEVEL
        ? {
            ...level,
            metadata: { ...level.metadata, annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
            spec: { ...level.spec, limited: { ...level.spec.limited, ...own } },
          }
        : level,
    )
    return { on: true, objects: ObjectSetSchema.parse({ levels: changed, schemas }) }
  }

  test('shows single requests while somebody looks', async () => {
    await vi.waitFor(() => expect([...desk.rows.values()].some(({ state: of }) => of === 'served')).toBe(true), LONG)
    // Templates of clients are filled in everywhere, also in their groups.
    const texts = [...desk.rows.values()].flatMap(({ user, groups, url }) => [user, ...groups, url])
    expect(texts.filter((text) => text.includes('{i}'))).toEqual([])
    expect(desk.state()).toMatchObject({ mode: 'simulation', title: 'Simulated cluster' })
    expect(state().candidate).toBeUndefined()
  })

  test('runs a draft beside its own engine, at any speed, and shows what it makes of requests', async () => {
    await present()
    const begun = await desk.client.call('live.candidate', { wish: draft(1) })
    expect(begun.candidate).toMatchObject({ a: { arrived: 0 }, different: 0 })
    expect(begun.limits.join(' ')).toContain('The draft gets the same requests')
    await desk.client.call('simulation.control', { speed: 100 })
    await vi.waitFor(() => expect(compared().seconds).toBe(300), LONG)
    const { a, b, different } = compared()
    expect(b.arrived).toBe(a.arrived)
    expect(b.rejected).toBeGreaterThan(2 * a.rejected)
    expect(b.waitP99[LEVEL]).toBeGreaterThan(a.waitP99[LEVEL] ?? 0)
    expect(different).toBeGreaterThan(0)
    await vi.waitFor(() => {
      const rows = [...desk.rows.values()].filter(({ level }) => level === LEVEL)
      expect(rows.some((row) => row.state === 'served' && row.candidate?.state === 'rejected')).toBe(true)
    }, LONG)
    const ended = await desk.client.call('live.candidate', { wish: { on: false } })
    expect(ended.candidate).toBeUndefined()
    expect(ended.limits.join(' ')).not.toContain('The draft')
  })

  test('stands still with the simulation, goes on by single events, and is off in another one', async () => {
    await present()
    await desk.client.call('live.candidate', { wish: draft(1) })
    await vi.waitFor(() => expect(compared().a.arrived).toBeGreaterThan(50), LONG)
    const { at } = await desk.client.call('simulation.control', { paused: true })
    const paused = await desk.client.call('live.candidate', { wish: draft(1) })
    expect(paused.candidate).toMatchObject({ seconds: 0, a: { arrived: 0 }, b: { arrived: 0 } })
    const stepped = await desk.client.call('simulation.control', { step: 200 })
    await vi.waitFor(() => expect(compared().a.arrived).toBeGreaterThan(20), LONG)
    expect(compared().b.arrived).toBe(compared().a.arrived)
    expect(compared().seconds).toBeCloseTo((Date.parse(stepped.at) - Date.parse(at)) / 1_000, 2)
    await connect()
    await vi.waitFor(() => expect(state().candidate).toBeUndefined(), LONG)
  })

  test('goes on while the objects in force are edited, and refuses what no server would take', async () => {
    await present()
    await desk.client.call('live.candidate', { wish: draft(100) })
    await desk.client.call('editing.switch', { on: true })
    const level = draft(1).objects.levels.find(({ metadata }) => metadata.name === LEVEL)
    if (level === undefined) throw new Error('the simulation has the built-in levels')
    const change = {
      kind: 'PriorityLevelConfiguration' as const,
      name: LEVEL,
      object: { ...manifestOf('PriorityLevelConfiguration', level) },
    }
    const base = versionOf(level)
    const report = await desk.client.call('objects.apply', { changes: [{ ...change, ...(base && { base }) }] })
    expect(report.verdicts).toMatchObject([{ outcome: 'accepted' }])
    await desk.client.call('simulation.control', { speed: 100 })
    await vi.waitFor(() => expect(compared().seconds).toBeGreaterThan(150), LONG)
    expect(compared().a.rejected).toBeGreaterThan(compared().b.rejected)
    await expect(desk.client.call('live.candidate', { wish: draft(-1) })).rejects.toMatchObject({
      problem: { code: 'invalid-input' },
      message: expect.stringContaining(LEVEL),
    })
    // The earlier draft continues.
    expect(compared().seconds).toBeGreaterThan(150)
  })
})
