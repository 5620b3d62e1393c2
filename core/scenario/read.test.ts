import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readScenario } from './read.ts'

const CALL = "calls: [{ request: 'GET /api/v1/pods', executionMs: 10 }]"
const lines = (...text: readonly string[]): string => `${text.join('\n')}\n`
const GOOD = lines(
  'name: one',
  'seconds: 10',
  'clients:',
  `  - { name: some, user: 'system:serviceaccount:tenant-{i}:app', count: 3, threads: 2, ${CALL} }`,
  'variants:',
  '  - { name: now }',
)

const found = (text: string): readonly string[] =>
  readScenario(text, 'one.yaml').findings.map(
    ({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`,
  )
const instead = (before: string, after: string): readonly string[] => found(GOOD.replace(before, after))

it('reads a scenario, with what is left out filled in', () => {
  const { scenario, findings } = readScenario(GOOD, 'one.yaml')
  expect(findings).toEqual([])
  expect(scenario).toMatchObject({ name: 'one', seed: 1, seconds: 10, statisticsFrom: 0, phases: [], criteria: [] })
  expect(scenario?.clients[0]).toMatchObject({
    clients: 3,
    user: {
      name: 'system:serviceaccount:tenant-{i}:app',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:tenant-{i}', 'system:authenticated'],
    },
    behaviour: {
      kind: 'closed',
      threads: 2,
      onRejection: 'next',
      think: { kind: 'uniform', fromMs: 2.5, toMs: 7.5 },
      calls: [{ method: 'GET', target: '/api/v1/pods', weight: 1, execution: { kind: 'exponential', meanMs: 10 } }],
    },
  })
  expect(scenario?.variants[0]).toMatchObject({
    algorithm: 'upstream',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
  })
})

it('reads how clients back off, and the tolerance of a value', () => {
  const { scenario, findings } = readScenario(
    GOOD.replace('threads: 2', 'threads: 2, backOff: { mostMs: 5000 }') +
      lines(
        'assertions:',
        '  - { clients: some, measure: failedPercent, about: 41 }',
        '  - { clients: some, measure: failedPercent, about: 1 }',
        '  - { clients: some, measure: failedPercent, about: 0 }',
        '  - { clients: some, measure: served, about: 1000, specified: 2000, because: It is so. }',
      ),
    'one.yaml',
  )
  expect(findings).toEqual([])
  expect(scenario?.clients[0]?.behaviour).toMatchObject({
    onRejection: { firstMs: 800, factor: 2, mostMs: 5_000, jitter: 0.5 },
  })
  expect(scenario?.assertions.map(({ least, most }) => [least, most])).toEqual([
    [38, 44],
    [0, 4],
    [0, 0.1],
    [850, 1150],
  ])
})

describe('says line, field and remedy', () => {
  it('of a value with bounds of its own or without a reason, and of two ways to try again', () => {
    const about = (more: string): readonly string[] =>
      found(`${GOOD}assertions: [{ clients: some, measure: served, ${more} }]\n`)
    expect(about('about: 1, most: 2')).toEqual([
      '7:55 assertions[0].about: about sets both bounds: remove it, or least and most.',
    ])
    expect(about('about: 1, specified: 2')).toEqual([
      '7:16 assertions[0]: specified is a value that the model does not have: give both it and because, or neither.',
    ])
    expect(instead('threads: 2', 'threads: 2, retries: true, backOff: {}')).toEqual([
      expect.stringContaining('waits for Retry-After or by a back-off: remove retries or backOff.'),
    ])
  })

  it('of members that are unknown, missing or of a wrong type', () => {
    expect(instead('seconds: 10', 'second: 10')).toEqual([
      '2:1 second: There is no field “second” at the top of the object: remove it or correct its name.',
    ])
    expect(instead('seconds: 10', 'seconds: long')).toEqual([
      '2:10 seconds: seconds must be a number, not the text “long”.',
    ])
    expect(instead('seconds: 10', 'seconds: 0')).toEqual([
      '2:10 seconds: seconds must be a number from 1 to 3600, not 0.',
    ])
    expect(instead('name: one', "name: ''")).toEqual(['1:7 name: A scenario needs a name.'])
    expect(instead('  - { name: now }', '  []')).toEqual([
      '5:1 variants: A scenario needs a variant: one with a name is enough.',
    ])
  })

  it('of clients', () => {
    expect(instead('threads: 2', 'threads: 2, perSecond: 1')).toEqual([
      '4:7 clients[0]: clients[0] needs exactly one of threads, perSecond and burst.',
    ])
    expect(instead('GET /api/v1/pods', 'pods')).toEqual([
      '4:106 clients[0].calls[0].request: clients[0].calls[0].request must be method and path, such as “GET /api/v1/pods”, not “pods”.',
    ])
    expect(instead('count: 3, threads: 2', 'count: 30000, threads: 2')).toEqual([
      '3:1 clients: The clients have 60000 threads; a scenario has at most 50000.',
    ])
  })

  it('of clients that would send without end', () => {
    const endless = 'calls: [{ request: GET /api/v1/pods, executionMs: 0 }]'
    expect(found(GOOD.replace(CALL, endless).replace('threads: 2', 'threads: 2, thinkMs: 0'))).toEqual([
      '3:1 clients: The clients may send more than 20000000 requests: increase their think time, or reduce their number.',
    ])
    expect(instead('threads: 2', 'perSecond: 100000')).toEqual([])
    expect(found(GOOD.replace('threads: 2', 'perSecond: 100000').replace('seconds: 10', 'seconds: 100'))).toHaveLength(
      1,
    )
  })

  it('of objects, as a server rejects them', () => {
    const level =
      '{ apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, metadata: { name: a } }'
    const [first = ''] = instead('{ name: now }', `{ name: now, configuration: [${level}] }`)
    expect(first).toMatch(/^6:\d+ variants\[0\]\.configuration\[0\]\.spec/)
  })

  it('of names that nothing has', () => {
    const check = lines('assertions:', '  - { clients: same, measure: waitp99, most: 5, variants: [later] }')
    expect(found(GOOD + check)).toEqual([
      '8:31 assertions[0].measure: There is no measure “waitp99”: did you mean “waitP99”?',
    ])
    expect(found(GOOD + check.replace('waitp99', 'waitP99'))).toEqual([
      '8:16 assertions[0].clients: There is no group of clients “same”: did you mean “some”?',
      expect.stringMatching(/^8:\d+ assertions\[0\]\.variants\[0\]: There is no variant “later”/),
    ])
    expect(found(GOOD + check.replace('most: 5, ', '').replace('waitp99', 'waitP99'))).toEqual([
      expect.stringContaining('An assertion needs a bound: about, least, most, or least and most.'),
    ])
  })

  it('of faults', () => {
    const fault = (text: string): readonly string[] => found(`${GOOD}phases:\n  - { at: 1, ${text} }\n`)
    expect(fault('restart: { seconds: 2 }, disconnect: { seconds: 3 }, bug: { clients: some, thinkMs: 50 }')).toEqual(
      [],
    )
    expect(fault('bug: { clients: som, thinkMs: 1000 }')).toEqual([
      '8:30 phases[0].bug.clients: There is no group of clients “som”: did you mean “some”?',
    ])
    expect(fault('bug: { clients: some, thinkMs: 0 }')).toEqual([
      '8:45 phases[0].bug.thinkMs: phases[0].bug.thinkMs must be a number from 1 to 60000, not 0.',
    ])
    expect(fault('restart: 5')).toEqual([expect.stringContaining('phases[0].restart')])
    expect(found(`${GOOD}phases: [{ at: 11 }]\n`)).toEqual([expect.stringContaining('The run ends after 10 s.')])
    expect(instead('threads: 2', 'perSecond: 2')).toEqual([])
    expect(
      found(`${GOOD.replace('threads: 2', 'perSecond: 2')}phases: [{ at: 1, bug: { clients: some, thinkMs: 5 } }]\n`),
    ).toEqual([
      '7:35 phases[0].bug.clients: Only clients with threads have a think time: “some” has no threads of its own.',
    ])
  })

  it('of requests that others need or cause', () => {
    const job = (text: string): readonly string[] => instead('executionMs: 10', `executionMs: 10, ${text}`)
    expect(job('needs: reviews')).toEqual([
      '4:150 clients[0].calls[0].needs: There is no group with onDemand “reviews”: none are defined.',
    ])
    expect(instead('threads: 2', 'threads: 2, onDemand: true, retries: true, to: 5')).toHaveLength(2)
    expect(instead('threads: 2', 'perSecond: 2, onDemand: true')).toHaveLength(1)
    expect(
      found(GOOD.replace('threads: 2', 'threads: 2, onDemand: true').replace('ionMs: 10', 'ionMs: 10, causes: some')),
    ).toEqual([expect.stringContaining('On-demand clients cannot create work for other clients: remove causes.')])
  })

  it('of controllers', () => {
    const controller = (text: string): readonly string[] =>
      found(`${GOOD}controllers:\n  - { name: a, everySeconds: 1${text} }\n`)
    expect(controller(', maintains: v1.33')).toEqual([])
    expect(controller('')).toEqual(['8:7 controllers[0]: controllers[0] needs exactly one of maintains and writes.'])
    expect(controller(', maintains: v1.3')).toEqual([expect.stringContaining('must be a version from')])
    expect(found(`${GOOD}assertions: [{ controller: a, measure: writes, most: 1 }]\n`)).toEqual([
      '7:28 assertions[0].controller: There is no controller “a”: none are defined.',
    ])
    expect(found(`${GOOD}assertions: [{ clients: some, measure: writes, most: 1 }]\n`)).toEqual([
      expect.stringContaining('Only controllers have writes'),
    ])
  })

  it('of texts that hold none', () => {
    expect(found('')).toEqual(['1:1 : The file contains no scenario: it needs a name, clients and variants.'])
    expect(found('[1')).toHaveLength(1)
    expect(found(`${GOOD}---\n${GOOD}`)).toEqual([expect.stringContaining('A file contains one scenario')])
  })
})

/** A scenario with every kind of field, as lines to corrupt. */
const WHOLE = lines(
  GOOD.trimEnd(),
  'stored: [{ resource: events, count: 5, averageSize: 10 }]',
  'server: { maxRequestsInFlight: 10, version: v1.36, without: [probes] }',
  'phases: [{ at: 1, executionFactor: 2, pause: { clients: some, seconds: 1 }, restart: { seconds: 1 } }]',
  'controllers: [{ name: a, everySeconds: 1, maintains: v1.33 }]',
  'criteria: [{ clients: some, measure: failedPercent, most: 1 }]',
  'assertions: [{ level: exempt, measure: currentLimit, least: 0, variants: [now] }]',
)

it('never throws, and places everything that it finds, whatever a file says', () => {
  expect(found(WHOLE)).toEqual([])
  const junk = fc.constantFrom(
    'null',
    '[]',
    '{}',
    '-1',
    '1e999',
    '"x"',
    '{ a: 1 }',
    '[1, {}]',
    '~',
    ': :',
    '- -',
    '*a',
    'yes',
  )
  const tokens = WHOLE.split(/(?<=[ {}[\],:\n])|(?=[ {}[\],:\n])/u)
  fc.assert(
    fc.property(fc.nat(tokens.length - 1), junk, fc.boolean(), (at, text, cut) => {
      const damaged = cut ? tokens.slice(0, at).join('') : tokens.with(at, text).join('')
      const { scenario, findings } = readScenario(damaged, 'damaged.yaml')
      const errors = findings.filter(({ severity }) => severity === 'error')
      expect(scenario === undefined).toBe(errors.length > 0)
      const count = damaged.split('\n').length
      for (const { line, column, message } of findings) {
        expect(line).toBeGreaterThanOrEqual(1)
        expect(line).toBeLessThanOrEqual(count)
        expect(column).toBeGreaterThanOrEqual(1)
        expect(message).toMatch(/^[^\n]{10,}$/u)
      }
    }),
    { numRuns: 300 },
  )
})
