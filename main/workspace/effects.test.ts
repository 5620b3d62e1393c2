import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manifestOf } from '../../core/config/content.ts'
import type { PriorityLevelConfiguration } from '../../core/config/objects.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import type { EffectsState } from '../../core/contract/effect.ts'
import type { ForecastReport } from '../../core/contract/forecast.ts'
import { createPicture } from '../../core/source/picture.ts'
import { unixMsOf } from '../../core/units.ts'
import { serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { openStore, type Store } from '../store/store.ts'
import { createEffects, type Effects } from './effects.ts'

const FORECAST: ForecastReport = {
  server: 'a',
  fromMs: 0,
  untilMs: 1,
  levels: [],
  fit: [],
  runs: 12,
  seconds: 60,
  notes: [],
}
const START = START_MS
const LEVEL: PriorityLevelConfiguration = { metadata: { name: 'low' }, spec: { type: 'Exempt' } }
const EDIT = {
  id: '1',
  label: 'shares',
  changes: [
    {
      kind: 'PriorityLevelConfiguration',
      name: 'low',
      from: null,
      to: manifestOf('PriorityLevelConfiguration', LEVEL),
      state: 'applied',
    },
  ],
} satisfies Parameters<Effects['begin']>[0]

describe('effects of edits', () => {
  let folder: string
  let store: Store
  const stores: Store[] = []
  const open = (): Store => {
    const opened = openStore(folder)
    stores.push(opened)
    return opened
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-effects-'))
    store = open()
  })
  afterEach(async () => {
    for (const one of stores.splice(0)) one.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** A console that is connected to the target, and the pages that it reads: one every five seconds. */
  function consoleOf(kept: Store) {
    const picture = createPicture()
    const frames = () => pages
    const pages: ReturnType<typeof serverFrame>[] = []
    /** Where the ranges begin whose history was read. */
    const readFrom: number[] = []
    const effects: Effects = createEffects({
      connection: 1,
      targetKey: 't',
      store: kept.effects,
      first: () => picture.servers[0]?.latest.frame.id,
      latest: (server) => {
        const latest = picture.server(server)?.latest.frame.at
        return latest === undefined ? undefined : unixMsOf(latest)
      },
      frames,
      series: (server, from, to) => {
        const found = picture.server(server)
        if (found === undefined) throw new Error(server)
        readFrom.push(from)
        return found.history.series({ from, to, maxPoints: 1_000 })
      },
    })
    const ended = new AbortController()
    const states: EffectsState[] = []
    effects.states.subscribe((state) => states.push(state), ended.signal)
    const read = (fromSecond: number, toSecond: number): void => {
      for (let second = fromSecond; second <= toSecond; second += 5) {
        const frame = { ...serverFrame(second, []), id: 'a' }
        pages.push(frame)
        picture.take({ kind: 'frame', frame })
        effects.take({ kind: 'frame', frame })
      }
    }
    return { effects, states, read, readFrom, end: () => ended.abort() }
  }
  const settled = () => new Promise((resolve) => void setTimeout(resolve, 30))

  it('are watched for ten minutes and kept for the next console', async () => {
    const first = consoleOf(store)
    await first.effects.begin({ ...EDIT, id: 'none' }, { server: 'a' })
    expect(await first.effects.read('none')).toBeUndefined()
    first.read(0, 60)
    await first.effects.begin({ ...EDIT, id: '1' }, { server: 'a', forecast: FORECAST })
    expect(first.states.at(-1)).toMatchObject({ watched: { id: '1', untilMs: START + 690_000 }, score: null })
    first.read(65, 400)
    expect(await first.effects.read('1')).toMatchObject({ measured: { fromMs: START + 90_000 } })
    // What was before the edit does not change any more.
    expect(first.readFrom.length).toBeGreaterThan(10)
    expect(first.readFrom.filter((from) => from < START + 60_000)).toHaveLength(1)
    await settled()
    const next = consoleOf(open())
    expect(await next.effects.read('1')).toMatchObject({ forecast: FORECAST, measured: { fromMs: START + 90_000 } })
    next.read(500, 695)
    expect((await next.effects.read('1'))?.ended).toBe('interrupted')
    expect(next.states.at(-1)?.watched).toBeNull()
    first.read(405, 695)
    expect((await first.effects.read('1'))?.ended).toBe('complete')
    await settled()
    expect((await open().effects.read('t')).map(({ id, ended }) => [id, ended])).toEqual([['1', 'complete']])
    expect(await store.effects.targets()).toEqual(['t'])
  })

  it('are of the first server where the window had no page yet when they were applied', async () => {
    const { effects, read, states } = consoleOf(store)
    await effects.begin({ ...EDIT, id: 'none' }, undefined)
    expect(await effects.read('none')).toBeUndefined()
    read(0, 60)
    await effects.begin({ ...EDIT, id: '1' }, undefined)
    expect(states.at(-1)?.watched?.id).toBe('1')
    expect(await effects.read('1')).toMatchObject({ server: 'a' })
  })

  it('end with the next edit, and a forecast of another server is not theirs', async () => {
    const { effects, read, states } = consoleOf(store)
    read(0, 60)
    await effects.begin({ ...EDIT, id: '1' }, { server: 'a', forecast: { ...FORECAST, server: 'b' } })
    read(65, 150)
    await effects.change()
    expect(await effects.read('1')).toMatchObject({ ended: 'changed', measured: { untilMs: START + 150_000 } })
    expect((await effects.read('1'))?.forecast).toBeUndefined()
    await effects.begin({ ...EDIT, id: '2' }, { server: 'a' })
    expect(states.at(-1)?.watched?.id).toBe('2')
    expect((await store.effects.read('t')).map(({ id }) => id)).toEqual(['2', '1'])
  })

  it('end when the objects become others, but not by the edit itself', async () => {
    const { effects, read, states } = consoleOf(store)
    const tell = (...levels: PriorityLevelConfiguration[]): void => {
      const objects = ObjectSetSchema.parse({ levels, schemas: [] })
      effects.take({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects } })
    }
    read(0, 60)
    await effects.begin(EDIT, { server: 'a' })
    tell()
    tell(LEVEL)
    read(65, 70)
    await settled()
    expect(states.at(-1)?.watched?.id).toBe('1')
    tell()
    await settled()
    expect(states.at(-1)?.watched).toBeNull()
    expect((await store.effects.read('t'))[0]).toMatchObject({ ended: 'changed' })
  })
})
