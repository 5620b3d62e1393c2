import { describe, expect, test } from 'vitest'
import { mandatoryLevels, mandatorySchemas } from '../config/builtIn.ts'
import type { LimitedSpec, ObjectSet } from '../config/objects.ts'
import type { Band, ForecastEvidence, Observation } from '../contract/forecast.ts'
import { constant, exponential, lognormal } from '../simulate/random.ts'
import type { Workload } from '../simulate/workload.ts'
import { fitTwin } from './fit.ts'
import { flowsOf } from './flows.ts'
import type { Twin } from './twin.ts'
import { forecast, pairsOf } from './forecast.ts'
import { twinHistory } from './history.ts'
import { observe } from './observe.ts'
import { CALLS, clients, OBJECTS, pagesAndDumps, pagesOf, SERVER, withLow, workloadOf } from './twin.fixture.ts'

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
    expect(low(twin)).toMatchObject({ fits: true })
    expect(low(twin)?.clients).not.toBe('open')
    for (const change of [{ nominalConcurrencyShares: 30 }, { nominalConcurrencyShares: 300 }]) {
      const { bands } = forecastOf(twin, change)
      const truth = truthOf(closed, change)
      expect(isIn(bands.waitP99, truth.waitP99)).toBe(true)
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
    expect(isIn(bands.rejectedPerSecond, truth.rejectedPerSecond)).toBe(true)
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
      note: 'New level: it would receive none of the requests of this time.',
    })
    expect(noteOf('system')).toMatchObject({ bands: {}, note: 'The edit removes this level.' })
    const twin = twinOf(calm)
    const objects = { ...OBJECTS, levels: OBJECTS.levels.filter(({ metadata }) => metadata.name !== 'system') }
    const unknown = forecast({ ...twin, variant: { ...twin.variant, objects } }, objects)?.levels
    expect(unknown?.find(({ level }) => level === 'system')?.note).toBe('The object of this level is unknown.')
    expect(noteOf('exempt')).toMatchObject({ bands: {} })
  })

  test('forecasts what a server started with fewer seats does, whose clients came before its objects', () => {
    const limit = 60
    const report = forecast(twinOf(closed), OBJECTS, { serverLimit: limit })
    const bands = report?.levels.find(({ level }) => level === 'workload-low')?.bands
    expect(report?.notes).toContainEqual(expect.stringContaining('The server restarts.'))
    const truthFrom = (first: ObjectSet) => {
      const server = { ...SERVER, maxRequestsInFlight: limit, maxMutatingRequestsInFlight: 0 }
      const pages = pagesOf(closed, { first, from: 20, until: 120, server, edit: { at: 1, objects: OBJECTS } })
      return observe(pages)?.levels.find(({ name }) => name === 'workload-low')?.quantities
    }
    const truth = truthFrom({ levels: mandatoryLevels, schemas: mandatorySchemas })
    expect(isIn(bands?.waitP99, truth?.waitP99)).toBe(true)
    expect(within(bands?.current?.point, truth?.current)).toBeLessThan(0.1)
    expect(within(bands?.seats?.point, truth?.seats)).toBeLessThan(0.1)
    // What catch-all demanded then matters for as long as this.
    expect(within(truthFrom(OBJECTS)?.current, truth?.current)).toBeGreaterThan(0.1)
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
    const flows = [
      {
        schema: 'service-accounts',
        flows: [{ name: 'system:serviceaccount:batch:few-0', share: 1, slowness: 1, present: 20 }],
      },
    ]
    expect(noteOf(twinOf(calm, flows), edited)?.bands).toHaveProperty('seats')
  })

  test('tells clients behind one schema apart by dumps', () => {
    const callsOf = (ms: number) => [{ ...CALLS[0]!, execution: lognormal(ms, 0.4) }]
    const workload = workloadOf(
      clients('quick', 1, { kind: 'closed', threads: 120, think: constant(0), calls: callsOf(150) }),
      clients('slow', 4, { kind: 'open', arrivals: { kind: 'poisson', perSecond: 7 }, calls: callsOf(900) }),
    )
    // A p50 needs as long a history as the Editor has.
    const { pages, dumps } = pagesAndDumps(workload, { from: 20, until: 300 })
    const history = twinHistory(pages, 20_000)
    const flows = flowsOf(dumps)
    const shown = flows.flatMap((one) => one.flows).map(({ name, slowness }) => [name.split(':').at(-1), slowness > 1])
    expect(Object.fromEntries(shown)).toMatchObject({ 'quick-0': false, 'slow-0': true, 'slow-3': true })
    const change = { nominalConcurrencyShares: 300 }
    const truth = truthOf(workload, change)
    const bandsWith = (known: ForecastEvidence['flows']) => {
      const twin = history && fitTwin({ history, variant: SERVER, flows: known })
      return twin && forecastOf(twin, change).bands
    }
    expect(isIn(bandsWith(flows)?.waitP50, truth.waitP50)).toBe(true)
    expect(isIn(bandsWith(flows)?.waitP99, truth.waitP99)).toBe(true)
    // Without them, less is known of the p50.
    const widthOf = ({ low: least, high: most } = { low: 0, high: 15 }): number => most - least
    expect(widthOf(bandsWith(flows)?.waitP50)).toBeLessThan(widthOf(bandsWith([])?.waitP50))
  })

  test('slows down with the seats in use where several schemas show it', () => {
    const turns = { firstMs: 0, activeMs: 15_000, periodMs: 30_000 }
    const plain = workloadOf(
      clients('busy', 4, { kind: 'closed', threads: 25, think: constant(0), calls: CALLS }),
      {
        ...clients('manager', 1, { kind: 'open', arrivals: { kind: 'poisson', perSecond: 15 }, calls: CALLS }),
        user: MANAGER,
      },
      {
        ...clients('alice', 1, { kind: 'closed', threads: 30, think: exponential(100), waves: turns, calls: CALLS }),
        user: { name: 'alice', groups: ['system:authenticated'] },
      },
    )
    const capacity = [
      { seats: 40, slowdown: 1 },
      { seats: 140, slowdown: 4 },
    ]
    const workload = { ...plain, service: { ...plain.service, capacity } }
    const { pages, dumps } = pagesAndDumps(workload, BEFORE)
    const history = twinHistory(pages, 20_000)
    if (history === undefined) throw new Error('no history')
    expect(history.whole.slowdown).toBeDefined()
    expect(observe(pagesOf(plain, BEFORE))).not.toHaveProperty('slowdown')
    const change = { nominalConcurrencyShares: 400 }
    const truth = truthOf(workload, change)
    const { slowdown: _, ...unslowed } = history.whole
    const [withTerm, without] = [history.whole, unslowed].map((whole) => {
      const twin = fitTwin({ history: { ...history, whole }, variant: SERVER, flows: flowsOf(dumps) })
      return twin && forecastOf(twin, change).bands.waitP99
    })
    expect(isIn(withTerm, truth.waitP99)).toBe(true)
    expect(within(withTerm?.point, truth.waitP99)).toBeLessThan(within(without?.point, truth.waitP99))
  })

  test('runs faster and slower after an edit by as much as it did before', () => {
    const workload = workloadOf(
      clients('few', 10, { kind: 'open', arrivals: { kind: 'poisson', perSecond: 7 }, calls: CALLS }),
    )
    const slowed = (second: number): number =>
      second >= EDITED_AT ? 1.15 : (second - BEFORE.from) % 50 < 25 ? 0.85 : 1.2
    const history = twinHistory(pagesOf(workload, { ...BEFORE, slowed }), 20_000)
    const twin = history && fitTwin({ history, variant: SERVER, flows: [] })
    if (twin === undefined) throw new Error('no twin')
    const objects = withLow({ nominalConcurrencyShares: 150 })
    const pages = pagesOf(workload, { from: 140, until: 240, edit: { at: EDITED_AT, objects }, slowed })
    const seatsIn = (one: Observation | undefined) =>
      one?.levels.find(({ name }) => name === 'workload-low')?.quantities.seats ?? Number.NaN
    const runs = (parts: Twin['parts']) =>
      pairsOf({ ...twin, parts }, objects, {})?.map(({ edited }) => seatsIn(edited)) ?? []
    const truth = seatsIn(observe(pages))
    expect(Math.max(...runs(twin.parts))).toBeGreaterThan(truth)
    expect(Math.max(...runs([]))).toBeLessThan(truth)
  })

  test('keeps waves as they are', () => {
    const waves = { firstMs: 0, activeMs: 8_000, periodMs: 20_000 }
    const workload = workloadOf(
      clients('wave', 4, { kind: 'closed', threads: 40, think: constant(0), waves, calls: CALLS }),
      clients('few', 4, {
        kind: 'open',
        arrivals: { kind: 'poisson', perSecond: 3 },
        calls: CALLS,
        onRejection: 'next',
      }),
    )
    const change = { nominalConcurrencyShares: 30 }
    const truth = truthOf(workload, change)
    const { bands } = forecastOf(twinOf(workload), change)
    // As many requests, spread evenly, would wait for nothing.
    expect(truth.waitP99).toBeGreaterThan(2)
    expect(isIn(bands.waitP99, truth.waitP99)).toBe(true)
    expect(isIn(bands.seats, truth.seats)).toBe(true)
  })

  test('is one of a whole wave, where dumps tell who comes in waves and who does not', () => {
    const waves = { firstMs: 10_000, activeMs: 50_000, periodMs: 130_000 }
    const calls = [{ ...CALLS[0]!, execution: lognormal(120, 0.8) }]
    const workload = workloadOf(
      clients('crawler', 1, { kind: 'closed', threads: 200, think: exponential(200), waves, calls: CALLS }),
      clients('operator', 8, { kind: 'closed', threads: 3, think: exponential(600), calls }),
    )
    const { pages, dumps } = pagesAndDumps(workload, { from: 0, until: 600 })
    const history = twinHistory(pages, 3_000)
    const flows = flowsOf(dumps)
    const twin = history && fitTwin({ history, variant: SERVER, flows })
    if (history === undefined || twin === undefined) throw new Error('no twin')
    expect(low(twin)).toMatchObject({ fits: true })
    const change = { nominalConcurrencyShares: 200 }
    const after = pagesOf(workload, { from: 620, until: 880, edit: { at: 600, objects: withLow(change) } })
    const truth = observe(after)?.levels.find(({ name }) => name === 'workload-low')?.quantities
    const { bands } = forecastOf(twin, change)
    expect(isIn(bands.waitP99, truth?.waitP99)).toBe(true)
    expect(isIn(bands.seats, truth?.seats)).toBe(true)
    // Without the dumps' counts, everybody comes in waves.
    const even = flows.map(({ schema, flows: own }) => ({
      schema,
      flows: own.map((flow) => {
        const { counts: _, ...rest } = flow
        return rest
      }),
    }))
    const blind = fitTwin({ history, variant: SERVER, flows: even })
    expect(low(twin)?.error).toBeLessThan((blind && low(blind)?.error) ?? 0)
  })

  test('follows the flows that a new level takes', () => {
    const { pages, dumps } = pagesAndDumps(closed, BEFORE)
    const history = twinHistory(pages, 8_000)
    const twin = history && fitTwin({ history, variant: SERVER, flows: flowsOf(dumps) })
    const [service] = OBJECTS.schemas.filter(({ metadata }) => metadata.name === 'service-accounts')
    const [level] = OBJECTS.levels.filter(({ metadata }) => metadata.name === 'workload-low')
    if (twin === undefined || service === undefined || level === undefined) throw new Error('nothing to change')
    const name = 'crawler'
    const rules = service.spec.rules?.map((rule) => ({
      ...rule,
      subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'batch', name: 'crawler-0' } }],
    }))
    const limited = { ...level.spec.limited!, nominalConcurrencyShares: 30 }
    const edited = {
      levels: [...OBJECTS.levels, { metadata: { name }, spec: { ...level.spec, limited } }],
      schemas: [
        ...OBJECTS.schemas,
        {
          metadata: { name },
          spec: {
            ...service.spec,
            matchingPrecedence: 850,
            priorityLevelConfiguration: { name },
            ...(rules && { rules }),
          },
        },
      ],
    }
    const truth = observe(pagesOf(closed, { from: 140, until: 240, edit: { at: EDITED_AT, objects: edited } }))
    for (const one of [name, 'workload-low']) {
      const { bands } = forecast(twin, edited)?.levels.find((own) => own.level === one) ?? { bands: undefined }
      const came = truth?.levels.find((own) => own.name === one)?.quantities
      expect(isIn(bands?.seats, came?.seats)).toBe(true)
      expect(isIn(bands?.current, came?.current)).toBe(true)
    }
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

const isIn = (band: Band | undefined, value = Number.NaN): boolean =>
  band !== undefined && value >= band.low && value <= band.high
