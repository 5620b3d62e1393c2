import { expect, it } from 'vitest'
import { fitFindings, readSweep, type WrittenSweep } from './read.ts'
import { crowdedBase, SWEEP } from './sweep.fixture.ts'

const misfits = ({ plan: { parameters, results } }: WrittenSweep) =>
  fitFindings({ parameters, measured: { results } }, crowdedBase())

const found = (before: string, after: string): readonly string[] => {
  expect(SWEEP).toContain(before)
  return readSweep(SWEEP.replace(before, after), 's.yaml').findings.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  )
}

it('reads parameters, ranges and results', () => {
  const { value, findings } = readSweep(SWEEP, 's.yaml')
  expect(findings).toEqual([])
  expect(value?.base).toEqual({ kind: 'scenario', scenario: 'crowded.yaml' })
  expect(value?.plan.parameters.map(({ values }) => values)).toEqual([
    [20, 100, 300],
    [8, 16],
  ])
  expect(value?.plan.search).toEqual({ kind: 'grid' })
  expect(value && misfits(value)).toEqual([])
})

it('says line, place and remedy of every kind of mistake', () => {
  expect(found('field: queues', 'field: queue')).toEqual([
    '5:35 There is no field “queue” of a level: did you mean “queues”?',
  ])
  expect(found('field: queues', 'field: threads')).toEqual(['5:35 threads is a setting of clients: add clients.'])
  expect(found('[20, 100, 300]', '[20, -1]')).toEqual([
    '4:61 nominalConcurrencyShares takes whole numbers from 0 to 100000, not -1.',
  ])
  expect(found('[20, 100, 300]', '[20, 20]')).toEqual([
    '4:61 parameters[0].values has the same value twice: remove one.',
  ])
  expect(found('step: 8', 'step: 0')).toEqual([
    '5:7 A range goes upwards: to must not be below from, and step must be above 0.',
  ])
  expect(found(', from: 8, to: 16, step: 8', '')).toEqual([
    '5:7 parameters[1] needs either values (a list) or a range: from, to and step.',
  ])
  expect(found('base: { scenario: crowded.yaml }', 'base: {}')).toEqual([
    '2:1 base needs either a scenario (a name of the library, or a file) or requests (files).',
  ])
  expect(found('measure: waitP99', 'measure: wait')).toEqual([
    expect.stringContaining('7:37 There is no measure “wait”: '),
  ])
  expect(found('from: 8, to: 16, step: 8', 'from: 1, to: 100000')).toEqual([
    '5:7 The range has 100000 values; a parameter has at most 10000: make step larger.',
  ])
  expect(found('name: shares', 'nam: shares')).toContain(
    '1:1 There is no field “nam” at the top of the object: remove it or correct its name.',
  )
})

it('says what the base does not have', () => {
  const fits = (before: string, after: string): readonly string[] => {
    const { value } = readSweep(SWEEP.replace(before, after), 's.yaml')
    return value === undefined ? ['unread'] : misfits(value).map(({ message }) => message)
  }
  expect(fits('level: workload-low, field: queues', 'level: workload-lo, field: queues')).toEqual([
    'There is no level “workload-lo”: did you mean “workload-low”?',
  ])
  expect(fits('level: workload-low, field: queues', 'level: exempt, field: queues')).toEqual([
    'parameters[1] cannot be varied: exempt is not a Limited level.',
  ])
  expect(fits('level: workload-low, field: queues', 'clients: leases, field: threads')).toEqual([
    'parameters[1] cannot be varied: leases have no threads: they send at a rate or in a burst.',
  ])
  expect(fits('clients: leases, measure', 'clients: lease, measure')).toEqual([
    'There is no group of clients “lease”: did you mean “leases”?',
  ])
})
