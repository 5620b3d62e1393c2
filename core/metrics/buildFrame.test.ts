import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captureVersions, metricsPages, readFixture } from '../../test/fixtures/load.ts'
import { ServerFrameSchema, type LevelFrame, type ServerFrame } from '../frame/frame.ts'
import { CATALOGUE, KIND_FAMILIES, NEEDED_FAMILIES, RATIO_FAMILIES } from './catalogue.ts'
import { createParser } from './parse.ts'
import { createFrameBuilder } from './buildFrame.ts'

const AT = '2026-11-21T07:30:00.000Z'
const PREFIX = 'apiserver_flowcontrol_'

const bytes = (text: string) => new TextEncoder().encode(text)
const build = (text: string, version = 'v1.36.3'): ServerFrame =>
  createFrameBuilder({ id: 'api-1:6443' })(createParser().parse(bytes(text)), { at: AT, version })

const gauge = (name: string, ...lines: readonly string[]) =>
  [`# TYPE ${PREFIX}${name} gauge`, ...lines.map((line) => `${PREFIX}${name}${line}`), ''].join('\n')
const counter = (name: string, ...lines: readonly string[]) => gauge(name, ...lines).replace(' gauge\n', ' counter\n')

const level = (frame: ServerFrame, name: string): LevelFrame => {
  const found = frame.levels.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`no level ${name}`)
  return found
}

/** The value of one line of a page, read without the code under test. */
const lineValue = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

describe('a frame from a few lines', () => {
  const text =
    gauge('nominal_limit_seats', '{priority_level="b"} 12', '{priority_level="a"} 3') +
    gauge('current_limit_seats', '{priority_level="b"} 9.5e1') +
    counter(
      'dispatched_requests_total',
      '{flow_schema="y",priority_level="b"} 7',
      '{flow_schema="x",priority_level="b"} 5',
    ) +
    gauge('current_executing_seats', '{flow_schema="y",priority_level="b"} 4') +
    counter('rejected_requests_total', '{flow_schema="y",priority_level="b",reason="time-out"} 2')
  /** The other families of a page that was not filtered, as far as no test needs one to be missing. */
  const rest = [...CATALOGUE.values()]
    .filter(({ needed, presence, name }) => needed && presence === 'at-rest' && !text.includes(`${name}{`))
    .filter(({ name }) => !/lower_limit|executing_requests|current_r$|seat_fair_frac/.test(name))
    .map(({ name }) => `${name}{priority_level="b"} 1\n`)
    .join('')

  it('reports numbers as they are, levels and schemas by name', () => {
    const frame = build(text)
    expect(frame.levels.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(level(frame, 'b').schemas.map(({ name }) => name)).toEqual(['x', 'y'])
    expect(level(frame, 'b').limits.current).toBe(95)
    expect(level(frame, 'b').schemas[1]).toMatchObject({ dispatched: 7, seats: { executing: 4 } })
  })

  it('reads what its first event has not created as 0', () => {
    const frame = build(text + rest)
    expect(level(frame, 'b').schemas[0]).toMatchObject({
      rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
      seats: { executing: 0, queued: 0 },
      requests: { queued: 0 },
      noAccommodation: 0,
    })
    expect(level(frame, 'a')).toMatchObject({
      seats: { executing: 0, queued: 0 },
      dispatched: 0,
      rejected: { 'queue-full': 0 },
      schemas: [],
    })
  })

  it('sums the shifts of virtual time that succeeded and failed', () => {
    const R = gauge('current_r', '{priority_level="b"} 7')
    const of = (...lines: readonly string[]) =>
      level(build(text + rest + R + counter('epoch_advance_total', ...lines)), 'b')
    expect(
      of('{priority_level="b",success="true"} 3', '{priority_level="b",success="false"} 1').virtualTime,
    ).toMatchObject({
      epochs: 4,
    })
    expect(of('{priority_level="b",success="true"} 3').virtualTime).toMatchObject({ epochs: 3 })
    // A page that was filtered may have lost it.
    expect(level(build(text + R), 'b').virtualTime?.epochs).toBeUndefined()
  })

  it('does not read as 0 what somebody summed over the levels, and reads what was summed over the schemas', () => {
    const summed =
      counter('dispatched_requests_total', '{priority_level="b"} 9') +
      counter('rejected_requests_total', '{priority_level="b",reason="queue-full"} 2') +
      gauge('current_executing_requests', '{} 5')
    const frame = build(gauge('nominal_limit_seats', '{priority_level="b"} 12') + summed)
    expect(level(frame, 'b')).toMatchObject({
      dispatched: 9,
      rejected: { 'queue-full': 2, 'time-out': 0 },
      schemas: [],
    })
    expect(level(frame, 'b').requests.executing).toBeUndefined()
    expect(frame.missing.map(({ family }) => family)).toContain(`${PREFIX}current_executing_requests`)
  })

  it('does not read as 0 what a filtered page may have left out', () => {
    const frame = build(gauge('nominal_limit_seats', '{priority_level="b"} 12'))
    expect(level(frame, 'b')).toMatchObject({ seats: {}, requests: {} })
    expect([level(frame, 'b').dispatched, level(frame, 'b').rejected, level(frame, 'b').seats.queued]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(frame.missing.map(({ family }) => family)).toContain(`${PREFIX}current_inqueue_seats`)
  })

  it('counts requests that were rejected as cancelled among those that timed out', () => {
    const cancelled = counter('rejected_requests_total', '{flow_schema="y",priority_level="b",reason="cancelled"} 5')
    expect(level(build(text + cancelled.replace(/^.*\n/, '')), 'b').rejected?.['time-out']).toBe(7)
  })

  it('leaves out what the server would set and did not, and families that are missing', () => {
    const frame = build(text + rest)
    expect(level(frame, 'a').limits.current).toBeUndefined()
    expect(level(frame, 'b').limits.lower).toBeUndefined()
    expect(level(frame, 'b').requests.executing).toBeUndefined()
    expect(level(frame, 'b').virtualTime).toBeUndefined()
    expect(frame.seatFairFrac).toBeUndefined()
    const missing = frame.missing.map(({ family }) => family)
    expect(missing).toContain(`${PREFIX}lower_limit_seats`)
    expect(missing).toContain(`${PREFIX}current_executing_requests`)
    expect(missing).not.toContain(`${PREFIX}current_inqueue_seats`)
    expect(missing).toEqual(missing.toSorted())
  })

  it('sums over the schemas of a level', () => {
    expect(level(build(text), 'b')).toMatchObject({
      dispatched: 12,
      seats: { executing: 4 },
      rejected: { 'time-out': 2 },
    })
  })

  it('keeps a schema that moved under both levels', () => {
    const moved = text + counter('request_dispatch_no_accommodation_total', '{flow_schema="y",priority_level="a"} 1')
    const frame = build(moved)
    expect(level(frame, 'a').schemas.map(({ name }) => name)).toEqual(['y'])
    expect(level(frame, 'b').schemas.map(({ name }) => name)).toEqual(['x', 'y'])
  })

  it('treats a value that is no number as not reported, so that the frame stays valid', () => {
    const frame = build(gauge('current_limit_seats', '{priority_level="a"} NaN', '{priority_level="b"} +Inf'))
    expect(level(frame, 'a').limits.current).toBeUndefined()
    expect(level(frame, 'b').limits.current).toBeUndefined()
    expect(() => ServerFrameSchema.parse(frame)).not.toThrow()
  })

  it('leaves out a histogram that is not whole', () => {
    const name = `${PREFIX}request_execution_seconds`
    const part = `# TYPE ${name} histogram\n${name}_bucket{flow_schema="x",priority_level="a",type="regular",le="1"} 1\n`
    expect(level(build(part), 'a').schemas[0]?.execution).toBeUndefined()
  })

  it('is empty for a page of something else', () => {
    const frame = build('# TYPE up gauge\nup 1\n')
    expect(frame.levels).toEqual([])
    expect(frame.missing.length).toBeGreaterThan(10)
  })

  it('takes the version from the source, else from the page', () => {
    const info = '# TYPE kubernetes_build_info gauge\nkubernetes_build_info{git_version="v1.35.1"} 1\n'
    const page = createParser().parse(bytes(info))
    const builder = createFrameBuilder({ id: 'x' })
    expect(builder(page, { at: AT }).version).toBe('v1.35.1')
    expect(builder(page, { at: AT, version: 'v1.30.0' }).version).toBe('v1.30.0')
    expect(builder(createParser().parse(bytes('')), { at: AT }).version).toBeUndefined()
  })

  it('does not miss the version family when the source knows the version', () => {
    expect(build(text).missing.map(({ family }) => family)).not.toContain('kubernetes_build_info')
  })
})

describe.each(metricsPages)('a frame from %s', (path) => {
  const text = readFixture(path).toString('utf8')
  const keep = new Set([...NEEDED_FAMILIES, ...RATIO_FAMILIES])
  const frame = createFrameBuilder({ id: 'x' })(createParser({ keep }).parse(bytes(text)), { at: AT })
  const version = captureVersions.find((known) => path.includes(known))

  it('is valid and knows its version and start', () => {
    expect(() => ServerFrameSchema.parse(frame)).not.toThrow()
    expect(frame.version).toBe(version)
    expect(frame.startedAt).toBe(lineValue(text, 'process_start_time_seconds'))
    expect(frame.seatFairFrac).toBe(lineValue(text, `${PREFIX}seat_fair_frac`))
  })

  it('has the numbers of the text', () => {
    expect(frame.levels).toHaveLength(8)
    const ofKind = (phase: string, kind: string) =>
      lineValue(text, `${PREFIX}read_vs_write_current_requests_sum{phase="${phase}",request_kind="${kind}"}`)
    expect(frame.executingByKind?.readOnly?.sum).toBe(ofKind('executing', 'readOnly'))
    expect(frame.executingByKind?.mutating?.sum).toBe(ofKind('executing', 'mutating'))
    expect(frame.waitingByKind?.readOnly?.sum).toBe(ofKind('waiting', 'readOnly'))
    expect(frame.waitingByKind?.mutating?.sum).toBe(ofKind('waiting', 'mutating'))
    for (const one of frame.levels) {
      const { name, limits, demand, virtualTime, schemas, seatUtilization } = one
      const at = (family: string, labels = `{priority_level="${name}"}`) =>
        lineValue(text, `${PREFIX}${family}${labels}`)
      expect(limits).toEqual({
        nominal: at('nominal_limit_seats'),
        lower: at('lower_limit_seats'),
        upper: at('upper_limit_seats'),
        current: at('current_limit_seats'),
      })
      expect(demand).toEqual({
        highWatermark: at('demand_seats_high_watermark'),
        average: at('demand_seats_average'),
        stdev: at('demand_seats_stdev'),
        smoothed: at('demand_seats_smoothed'),
        target: at('target_seats'),
      })
      expect(virtualTime?.currentR).toBe(at('current_r'))
      expect(virtualTime?.dispatchR).toBe(at('dispatch_r') ?? 0)
      // It appears with the first event.
      expect(virtualTime?.epochs).toBe(0)
      expect(virtualTime?.nextSMax).toBe(at('next_s_bounds', `{bound="max",priority_level="${name}"}`) ?? 0)
      expect(seatUtilization?.sum).toBe(
        at('priority_level_seat_utilization_sum', `{phase="executing",priority_level="${name}"}`),
      )
      const requests = (phase: string) =>
        at('priority_level_request_utilization_sum', `{phase="${phase}",priority_level="${name}"}`)
      expect(one.executingUtilization?.sum).toBe(requests('executing'))
      expect(one.waitingUtilization?.sum).toBe(requests('waiting'))
      for (const schema of schemas) {
        const labels = `{flow_schema="${schema.name}",priority_level="${name}"`
        expect(schema.dispatched).toBe(at('dispatched_requests_total', `${labels}}`) ?? 0)
        expect(schema.seats.executing).toBe(at('current_executing_seats', `${labels}}`) ?? 0)
        expect(schema.seats.queued).toBe(at('current_inqueue_seats', `${labels}}`) ?? 0)
        expect(schema.rejected?.['queue-full']).toBe(
          at('rejected_requests_total', `${labels},reason="queue-full"}`) ?? 0,
        )
        const wait = `{execute="true",flow_schema="${schema.name}",priority_level="${name}"`
        expect(schema.wait?.count).toBe(at('request_wait_duration_seconds_count', `${wait}}`))
        expect(schema.wait?.counts[1]).toBe(at('request_wait_duration_seconds_bucket', `${wait},le="0.005"}`))
        expect(schema.wait?.counts.at(-1)).toBe(schema.wait?.count)
      }
    }
  })
})

describe('building frame after frame', () => {
  const path = 'captures/v1.36.3/elephants-and-mice'
  const pages = [1, 2].map((part) => readFixture(`${path}-${part}.metrics.txt.gz`))

  it('yields what a fresh builder yields, whatever came before', () => {
    const parser = createParser({ keep: NEEDED_FAMILIES })
    const builder = createFrameBuilder({ id: 'x' })
    for (const index of [0, 1, 1, 0, 1]) {
      const page = parser.parse(pages[index] ?? new Uint8Array())
      const fresh = createFrameBuilder({ id: 'x' })(page, { at: AT })
      expect(builder(page, { at: AT })).toEqual(fresh)
    }
  })

  it('shares histogram bounds between frames of the same shape', () => {
    const parser = createParser({ keep: NEEDED_FAMILIES })
    const builder = createFrameBuilder({ id: 'x' })
    const [a, b] = [0, 1].map(() => builder(parser.parse(pages[1] ?? new Uint8Array()), { at: AT }))
    expect(b?.levels[0]?.seatUtilization?.bounds).toBe(a?.levels[0]?.seatUtilization?.bounds)
    expect(b?.levels[0]?.seatUtilization?.counts).not.toBe(a?.levels[0]?.seatUtilization?.counts)
  })
})

describe('any page', () => {
  const flow = fc.record({
    level: fc.constantFrom('a', 'b', 'Ä', 'exempt'),
    schema: fc.constantFrom('s', 't', 'u'),
    value: fc.nat(1_000),
  })
  const flows = fc.uniqueArray(flow, { selector: ({ level: name, schema }) => `${name}/${schema}` })

  it('has level sums equal to the sums over its schemas, and names in order', () => {
    fc.assert(
      fc.property(flows, flows, flows, (dispatched, executing, queued) => {
        const lines = (values: typeof dispatched) =>
          values.map(({ level: name, schema, value }) => `{flow_schema="${schema}",priority_level="${name}"} ${value}`)
        const frame = build(
          counter('dispatched_requests_total', ...lines(dispatched)) +
            gauge('current_executing_seats', ...lines(executing)) +
            gauge('current_inqueue_requests', ...lines(queued)),
        )
        const total = (values: typeof dispatched, name: string) =>
          values.filter((each) => each.level === name).reduce((sum, { value }) => sum + value, 0)
        const names = frame.levels.map(({ name }) => name)
        expect(names).toEqual(
          [...new Set([...dispatched, ...executing, ...queued].map((each) => each.level))].toSorted(),
        )
        for (const { name, dispatched: sum, seats, requests, schemas } of frame.levels) {
          if (dispatched.length > 0) expect(sum).toBe(total(dispatched, name))
          if (executing.length > 0) expect(seats.executing).toBe(total(executing, name))
          if (queued.length > 0) expect(requests.queued).toBe(total(queued, name))
          expect(schemas.map((schema) => schema.name)).toEqual(schemas.map((schema) => schema.name).toSorted())
        }
      }),
    )
  })
})

describe('requests by kind', () => {
  it('are those of the whole server, and left out where a page does not have them', () => {
    const keep = new Set([...NEEDED_FAMILIES, ...KIND_FAMILIES])
    const read = (text: string) =>
      createFrameBuilder({ id: 'x' })(createParser({ keep }).parse(bytes(text)), { at: AT, version: 'v1.36.3' })
    const frame = read(
      `apiserver_current_inflight_requests{request_kind="mutating"} 2
apiserver_current_inflight_requests{request_kind="readOnly"} 7
`,
    )
    expect(frame.inFlight).toEqual({ readOnly: 7, mutating: 2 })
    expect(frame.inQueue).toBeUndefined()
    expect(frame.levels).toEqual([])
    expect(frame.missing.map(({ family }) => family)).not.toContain('apiserver_current_inqueue_requests')
  })
})

describe('pages of earlier releases', () => {
  const read = (text: string, version: string) =>
    createFrameBuilder({ id: 'x' })(createParser({ keep: NEEDED_FAMILIES }).parse(bytes(text)), { at: AT, version })

  it('name the one limit of a level and its seats in use otherwise', () => {
    const frame = read(
      `apiserver_flowcontrol_request_concurrency_limit{priority_level="global-default"} 25
apiserver_flowcontrol_request_concurrency_in_use{priority_level="global-default",flow_schema="global-default"} 3
apiserver_flowcontrol_dispatched_requests_total{priority_level="global-default",flow_schema="global-default"} 7
`,
      'v1.23.4',
    )
    expect(frame.levels).toMatchObject([
      {
        name: 'global-default',
        limits: { nominal: 25, current: 25 },
        seats: { executing: 3 },
        dispatched: 7,
        schemas: [{ name: 'global-default', seats: { executing: 3 } }],
      },
    ])
    expect(frame.levels[0]?.limits).not.toHaveProperty('lower', expect.anything())
    const missing = new Map(frame.missing.map(({ family, reason }) => [family, reason]))
    expect(missing.get('apiserver_flowcontrol_lower_limit_seats')).toBe('not-yet')
    expect(missing.get('apiserver_flowcontrol_nominal_limit_seats')).toBeUndefined()
  })

  it('name executing seats otherwise where there are nominal limits already', () => {
    const frame = read(
      `apiserver_flowcontrol_nominal_limit_seats{priority_level="a"} 25
apiserver_flowcontrol_request_concurrency_limit{priority_level="a"} 25
apiserver_flowcontrol_request_concurrency_in_use{priority_level="a",flow_schema="a"} 3
`,
      'v1.27.16',
    )
    expect(frame.levels[0]).toMatchObject({ limits: { nominal: 25 }, seats: { executing: 3 } })
    // The old limit is the nominal one; the current one is not available.
    expect(frame.levels[0]?.limits.current).toBeUndefined()
    const reasons = new Map(frame.missing.map(({ family, reason }) => [family, reason]))
    expect(reasons.get('apiserver_flowcontrol_current_executing_seats')).toBeUndefined()
    expect(reasons.get('apiserver_flowcontrol_current_inqueue_seats')).toBe('not-yet')
  })

  it('spell labels otherwise, and have waits without the label that divides them', () => {
    const wait = 'apiserver_flowcontrol_request_wait_duration_seconds'
    const labels = 'flowSchema="a",priorityLevel="b"'
    const frame = read(
      `# TYPE ${wait} histogram
${wait}_bucket{${labels},le="1"} 2
${wait}_bucket{${labels},le="+Inf"} 3
${wait}_sum{${labels}} 4
${wait}_count{${labels}} 3
`,
      'v1.19.0',
    )
    expect(frame.levels).toMatchObject([{ name: 'b', schemas: [{ name: 'a', wait: { counts: [2, 3], count: 3 } }] }])
  })

  it('do not lend their limit to a level of a later release without a current one', () => {
    const frame = read(
      `apiserver_flowcontrol_nominal_limit_seats{priority_level="a"} 5
apiserver_flowcontrol_request_concurrency_limit{priority_level="a"} 5
`,
      'v1.29.0',
    )
    expect(frame.levels[0]?.limits).toMatchObject({ nominal: 5 })
    expect(frame.levels[0]?.limits.current).toBeUndefined()
  })
})
