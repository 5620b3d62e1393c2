import { describe, expect, it } from 'vitest'
import { versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { AUTOUPDATE_ANNOTATION } from '../../core/config/objects.ts'
import type { ObjectChange } from '../../core/contract/objects.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { CLUSTER } from '../../core/simulate/cluster.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { createSimulationSource } from '../sources/simulation.ts'

const unannounced = async (): Promise<void> => undefined

const LEVEL = 'PriorityLevelConfiguration'
const queue = (queues: number, handSize = 1) => ({
  type: 'Queue',
  queuing: { queues, handSize, queueLengthLimit: 50 },
})
const level = (name: string, limited: object, annotations?: Record<string, string>): JsonObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: LEVEL,
  metadata: { name, ...(annotations && { annotations }) },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
})

/** A simulation without a past whose clock only the test moves, and the events of its gateway. */
function simulated() {
  const { environment, advance } = standingClock(Date.UTC(2026, 0, 1))
  const source = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), environment, {
    backfillSeconds: 0,
    stopwatch: () => 0,
    // No client calls; only the server itself acts.
    workload: { ...CLUSTER, groups: [] },
  })
  const { objects: gateway } = source
  if (gateway === undefined || 'impossible' in gateway.editor) throw new Error('it can be edited')
  const readings: ObjectsReading[] = []
  const stop = new AbortController()
  source.start(stop.signal, () => undefined)
  gateway.start(stop.signal, (reading) => readings.push(reading))
  const { editor } = gateway
  const shown = (name: string) => readings.at(-1)?.objects.levels.find(({ metadata }) => metadata.name === name)
  const change = (name: string, object: JsonObject | null): ObjectChange => {
    const found = shown(name)
    const base = found && versionOf(found)
    return { kind: LEVEL, name, object, ...(base && { base }) }
  }
  return { gateway, editor, readings, shown, change, advance }
}

describe('the objects of the simulated server', () => {
  it('are in force and reported as soon as they are applied, with the metadata that a server stores', async () => {
    const { editor, shown, change, gateway, readings } = simulated()
    expect(gateway).toMatchObject({ origin: 'simulation', fleeting: true, targetKey: 'simulation v1.37.2, seed 1' })
    expect(readings.at(-1)).toMatchObject({ state: 'current', version: 'v1.37.2' })
    const made = await editor.apply(change('own', level('own', { nominalConcurrencyShares: 5 })), false, unannounced)
    expect(made).toMatchObject({ verdict: { outcome: 'accepted' }, done: { from: null } })
    expect(shown('own')).toMatchObject({
      metadata: { generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { limited: { lendablePercent: 0 } },
    })
    const first = shown('own')?.metadata
    await editor.apply(change('own', level('own', { nominalConcurrencyShares: 5 }, { why: 'x' })), false, unannounced)
    expect(shown('own')?.metadata).toMatchObject({ uid: first?.uid, generation: 1, annotations: { why: 'x' } })
    expect(shown('own')?.metadata.resourceVersion).not.toBe(first?.resourceVersion)
    await editor.apply(change('own', level('own', { nominalConcurrencyShares: 6 })), false, unannounced)
    expect(shown('own')?.metadata).toMatchObject({ generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' })

    expect((await editor.apply(change('own', null), false, unannounced)).verdict.outcome).toBe('accepted')
    expect(shown('own')).toBeUndefined()
    await editor.apply(change('own', level('own', {})), false, unannounced)
    expect(shown('own')?.metadata).toMatchObject({ generation: 1 })
    expect(shown('own')?.metadata.uid).not.toBe(first?.uid)
  })

  it('are validated as by a server, within the bounds of this machine', async () => {
    const { editor, change } = simulated()
    const check = (name: string, object: JsonObject | null) => editor.check(change(name, object))
    expect(await check('a', level('a', {}))).toMatchObject({ outcome: 'accepted', object: { kind: LEVEL } })
    expect((await check('a', level('a', { nominalConcurrencyShares: -1 }))).causes).toMatchObject([
      { field: 'spec.limited.nominalConcurrencyShares', reason: 'FieldValueInvalid' },
    ])
    const wide = await check('a', level('a', { limitResponse: queue(2_000_000) }))
    expect(wide).toMatchObject({
      outcome: 'rejected',
      causes: [{ field: 'spec.limited.limitResponse.queuing.queues' }],
    })
    const exempt = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: LEVEL,
      metadata: { name: 'exempt' },
      spec: { type: 'Exempt' },
    }
    expect(await check('exempt', exempt)).toMatchObject({
      outcome: 'accepted',
      warnings: [expect.stringContaining('as if it did not exist')],
    })
    expect(await check('nothing', null)).toMatchObject({ outcome: 'unchanged' })
  })

  it('reject edits of an older version, and return the current one', async () => {
    const { editor, change } = simulated()
    const mine = change('workload-low', level('workload-low', { nominalConcurrencyShares: 1 }))
    await editor.apply(
      change('workload-low', level('workload-low', { nominalConcurrencyShares: 2 })),
      false,
      unannounced,
    )
    const { verdict, done } = await editor.apply(mine, true, unannounced)
    expect(verdict).toMatchObject({
      outcome: 'conflict',
      theirs: { spec: { limited: { nominalConcurrencyShares: 2 } } },
    })
    expect(done).toBeUndefined()
  })

  it('are reverted by the server itself within a minute, unless the annotation prevents it', async () => {
    const { editor, shown, change, advance } = simulated()
    const shares = (name: string): unknown => shown(name)?.spec.limited?.nominalConcurrencyShares
    const edited = { nominalConcurrencyShares: 7, limitResponse: queue(8) }
    const annotations = (value: string) => ({ [AUTOUPDATE_ANNOTATION]: value })
    await editor.apply(change('workload-low', level('workload-low', edited, annotations('true'))), false, unannounced)
    await editor.apply(
      change('workload-high', level('workload-high', edited, annotations('false'))),
      false,
      unannounced,
    )
    await editor.apply(change('mine', level('mine', edited, annotations('true'))), false, unannounced)
    advance(30_000)
    expect([shares('workload-low'), shares('workload-high'), shares('mine')]).toEqual([7, 7, 7])
    advance(31_000)
    expect([shares('workload-low'), shares('workload-high'), shown('mine')]).toEqual([100, 7, undefined])
  })
})
