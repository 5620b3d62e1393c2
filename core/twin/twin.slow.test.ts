import { describe, expect, test } from 'vitest'
import type { LimitedSpec, ObjectSet } from '../config/objects.ts'
import type { ForecastEvidence } from '../contract/forecast.ts'
import { constant, exponential } from '../simulate/random.ts'
import type { Workload } from '../simulate/workload.ts'
import { fitTwin } from './fit.ts'
import type { Twin } from './twin.ts'
import { forecast } from './forecast.ts'
import { twinHistory } from './history.ts'
import { observe } from './observe.ts'
import { CALLS, clients, OBJECTS, pagesOf, SERVER, withLow, workloadOf } from './twin.fixture.ts'

const BEFORE = { from: 20, until: 120 }
const EDITED_AT = 120

const closed = workloadOf(
  clients('crawler', 1, { kind: 'closed', threads: 200, think: constant(0), calls: CALLS }),
  clients('worker', 4, { kind: 'closed', threads: 5, think: exponential(300), calls: CALLS }),
)
const open = workloadOf(
  clients('many', 10, {
    kind: 'open',
    arrivals: { kind: 'poisson', perSecond: 20 },
    calls: CALLS,
    onRejection: 'next',
  }),
)
/** A user of workload-high. */
const MANAGER = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] }
const calm = workloadOf(
  clients('few', 10, { kind: 'open', arrivals: { kind: 'poisson', perSecond: 5 }, calls: CALLS, onRejection: 'next' }),
)

function twinOf(workload: Workload, flows: ForecastEvidence['flows'] = []): Twin {
  const history = twinHistory(pagesOf(workload, BEFORE), 8_000)
  const twin = history && fitTwin({ history, variant: SERVER, flows })
  if (twin === undefined) throw new Error('no twin')
  return twin
}

const low = (twin: Twin) => twin.fit.find(({ level }) => level === 'workload-low')

/** The behaviour of the simulated server after the edit, which the twin has no access to. */
function truthOf(workload: Workload, change: Partial<LimitedSpec>) {
  const pages = pagesOf(workload, { from: 140, until: 240, edit: { at: EDITED_AT, objects: withLow(change) } })
  const level = observe(pages)?.levels.find(({ name }) => name === 'workload-low')
  if (level === undefined) throw new Error('nothing observed')
  return level.quantities
}

function forecastOf(twin: Twin, change: Partial<LimitedSpec>) {
  const level = forecast(twin, withLow(change))?.levels.find((one) => one.level === 'workload-low')
  if (level === undefined) throw new Error('no forecast')
  return level
}

describe('a twin of a simulated server', () => {
  test('finds closed clients, the heavy flow among them, and the wait after an edit', () => {
    const twin = twinOf(closed)
    expect(low(twin)).toMatchObject({ clients: 'closed', fits: true })
    for (const change of [{ nominalConcurrencyShares: 30 }, { nominalConcurrencyShares: 300 }]) {
      const { bands } = forecastOf(twin, change)
      const truth = truthOf(closed, change)
      expect(within(bands.waitP50?.point, truth.waitP50)).toBeLessThan(0.2)
      expect(within(bands.current?.point, truth.current)).toBeLessThan(0.03)
      expect(truth.rejectedPerSecond).toBe(0)
      expect(bands.rejectedPerSecond?.point).toBe(0)
    }
  })

  test('finds open clients by what they leave in the queues, and their rejections after an edit', () => {
    const twin = twinOf(open)
    expect(low(twin)).toMatchObject({ clients: 'open', fits: true })
    const change = { nominalConcurrencyShares: 30 }
    const { bands } = forecastOf(twin, change)
    const truth = truthOf(open, change)
    expect(truth.rejectedPerSecond).toBeGreaterThan(50)
    expect(within(bands.rejectedPerSecond?.point, truth.rejectedPerSecond)).toBeLessThan(0.2)
    expect(within(bands.waitP99?.point, truth.waitP99)).toBeLessThan(0.1)
  })

  test('forecasts that a level without waits keeps its seats', () => {
    const twin = twinOf(calm)
    const level = forecastOf(twin, { nominalConcurrencyShares: 60 })
    expect(within(level.bands.seats?.point, truthOf(calm, { nominalConcurrencyShares: 60 }).seats)).toBeLessThan(0.1)
    expect(level.note).toContain('No requests waited')
  })

  test('shows limits only where a level has no requests, is new, or is exempt', () => {
    const levels = forecast(twinOf(calm), {
      ...OBJECTS,
      levels: OBJECTS.levels.map((level) =>
        level.metadata.name === 'system' ? { ...level, metadata: { name: 'another' } } : level,
      ),
    })?.levels
    const noteOf = (name: string) => levels?.find(({ level }) => level === name)
    expect(noteOf('catch-all')).toMatchObject({ bands: {}, note: 'No requests in this time.' })
    expect(noteOf('another')).toMatchObject({
      bands: {},
      note: 'New level: metrics do not show which requests it will receive.',
    })
    expect(noteOf('system')).toMatchObject({ bands: {}, note: 'The edit removes this level.' })
    expect(noteOf('exempt')).toMatchObject({ bands: {} })
  })

  test('forecasts what a server started with fewer seats does', () => {
    const limit = 60
    const { bands } = forecast(twinOf(closed), OBJECTS, { serverLimit: limit })?.levels.find(
      ({ level }) => level === 'workload-low',
    ) ?? { bands: undefined }
    const pages = pagesOf(closed, {
      from: 20,
      until: 120,
      server: { ...SERVER, maxRequestsInFlight: limit, maxMutatingRequestsInFlight: 0 },
    })
    const truth = observe(pages)?.levels.find(({ name }) => name === 'workload-low')?.quantities
    expect(within(bands?.waitP50?.point, truth?.waitP50)).toBeLessThan(0.2)
    expect(within(bands?.current?.point, truth?.current)).toBeLessThan(0.03)
    expect(within(bands?.seats?.point, truth?.seats)).toBeLessThan(0.05)
  })

  test('shows limits only where the edit sends requests elsewhere that no dump names', () => {
    const [service] = OBJECTS.schemas.filter(({ metadata }) => metadata.name === 'service-accounts')
    if (service === undefined) throw new Error('no schema')
    const spec = { ...service.spec, matchingPrecedence: 850, priorityLevelConfiguration: { name: 'workload-high' } }
    const edited = { ...OBJECTS, schemas: [...OBJECTS.schemas, { metadata: { name: 'moved' }, spec }] }
    const noteOf = (twin: Twin, objects: ObjectSet) =>
      forecast(twin, objects)?.levels.find(({ level }) => level === 'workload-low')
    const twin = twinOf(calm)
    expect(noteOf(twin, edited)).toMatchObject({
      bands: {},
      note: 'The edit may send requests of flow schema service-accounts elsewhere, and no debug dump names their flows.',
    })
    // Nothing is known about the level that receives them either.
    const two = workloadOf(...calm.groups, { ...clients('manager', 2, calm.groups[0]!.behaviour), user: MANAGER })
    expect(forecast(twinOf(two), edited)?.levels.find(({ level }) => level === 'workload-high')).toMatchObject({
      bands: {},
      note: 'The edit may send requests of flow schema service-accounts here, and no debug dump names their flows.',
    })
    // A schema that is matched later takes nothing.
    const later = { ...edited.schemas.at(-1)!, spec: { ...spec, matchingPrecedence: 9_950 } }
    expect(noteOf(twin, { ...OBJECTS, schemas: [...OBJECTS.schemas, later] })?.bands).toHaveProperty('seats')
    // If the flows are known, their new level is known too.
    const flows = [{ schema: 'service-accounts', flows: [{ name: 'system:serviceaccount:batch:few-0', share: 1 }] }]
    expect(noteOf(twinOf(calm, flows), edited)?.bands).toHaveProperty('seats')
  })

  test('is not made of too few pages, and ends when it is told to', () => {
    expect(twinHistory(pagesOf(calm, { from: 0, until: 10 }), 1_000)).toBeUndefined()
    const history = twinHistory(pagesOf(calm, { from: 0, until: 40 }), 1_000)
    expect(history && fitTwin({ history, variant: SERVER, flows: [] }, () => false)).toBeUndefined()
    expect(history).toBeDefined()
  })
})

const within = (point: number | undefined, truth: number | undefined): number =>
  point === undefined || truth === undefined ? Infinity : Math.abs(point - truth) / Math.max(truth, 1e-9)
