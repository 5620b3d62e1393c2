import { expect, test } from 'vitest'
import { builtInObjects } from '../../../core/config/builtIn.ts'
import { NEWEST_VERSION } from '../../../core/engine/profiles.ts'
import {
  firstForm,
  variantNameOf,
  readForm,
  withCandidate,
  withRequests,
  type Known,
  type WhatIfForm,
} from './form.logic.ts'

const scenario = {
  name: 'S1',
  title: 'A flood',
  teaches: 'Seats protect leases.',
  seed: 7,
  seconds: 60,
  statisticsFrom: 0,
  clients: [],
  server: { maxRequestsInFlight: 30, maxMutatingRequestsInFlight: 10, version: 'v1.33.0' },
  variants: ['now', 'before'],
  steppable: ['now', 'before'],
}
const known: Known = { scenarios: [scenario], connection: 3, source: undefined, draft: undefined }
const wishOf = (form: WhatIfForm, more: Partial<Known> = {}) => {
  const read = readForm(form, { ...known, ...more })
  return read.ok ? read.wish : expect.fail(JSON.stringify(read.errors))
}

test('the first form compares half the limits, or the draft where there is one', () => {
  const wish = wishOf(firstForm(false))
  expect(wish).toMatchObject({ from: { kind: 'cluster', seed: 1, seconds: 300 }, clients: 'open' })
  expect(wish.candidates).toMatchObject([
    { name: '200 + 100 in flight', maxRequestsInFlight: 200, maxMutatingRequestsInFlight: 100 },
  ])
  expect(wish.baseline.objects).toBeUndefined()
  const objects = builtInObjects(NEWEST_VERSION)
  const drafted = wishOf(firstForm(true), { source: objects, draft: objects })
  expect(drafted.baseline.objects?.levels).toHaveLength(objects.levels.length)
  expect(drafted.candidates[0]?.objects?.schemas).toHaveLength(objects.schemas.length)
})

test('a scenario comes with its seed and its server; recorded clients cannot react', () => {
  const form = withRequests({ ...firstForm(false), clients: 'closed' }, 'S1', [scenario])
  expect(wishOf(form)).toMatchObject({
    from: { kind: 'scenario', name: 'S1', seed: 7 },
    clients: 'closed',
    baseline: { maxRequestsInFlight: 30, maxMutatingRequestsInFlight: 10, version: 'v1.33.0' },
  })
  expect(wishOf(withRequests(form, 'recorded', [scenario]))).toMatchObject({
    from: { kind: 'recorded', connection: 3 },
    clients: 'open',
  })
})

test('a further candidate begins as the last one; a variant is named after what differs in it', () => {
  const form = withCandidate(withCandidate(firstForm(false)))
  const names = (variants: WhatIfForm['variants']) => variants.map((_, index) => variantNameOf(variants, index))
  expect(names(form.variants)).toEqual([
    'baseline',
    '200 + 100 in flight',
    '200 + 100 in flight (C)',
    '200 + 100 in flight (D)',
  ])
  const [a, b] = form.variants
  if (a === undefined || b === undefined) return expect.fail('there are two variants')
  expect(names([a, { ...a, algorithm: 'drr' }, { ...a, objects: 'draft', version: 'v1.30.0' }, a])).toEqual([
    'baseline',
    'Deficit round robin',
    'draft, v1.30.0',
    'as A',
  ])
  expect(
    names([
      { ...a, name: 'prod' },
      { ...b, name: 'half', algorithm: 'drr' },
    ]),
  ).toEqual(['prod', 'half'])
  expect(form.variants[3]?.maxRequestsInFlight).toBe('200')
})

test('every mistake is named with its place and its remedy', () => {
  const [baseline, candidate] = firstForm(false).variants
  if (baseline === undefined || candidate === undefined) return expect.fail('there are two variants')
  const broken: WhatIfForm = {
    ...firstForm(false),
    seed: 'x',
    seconds: '0.5',
    variants: [
      { ...baseline, servers: '0', version: '1.99' },
      { ...candidate, name: 'baseline', objects: 'draft', maxRequestsInFlight: '', executionFactor: '0' },
    ],
  }
  const read = readForm(broken, known)
  if (read.ok) return expect.fail('the form has mistakes')
  expect(read.errors.map(({ variant, field }) => `${variant ?? ''} ${field}`)).toEqual([
    ' seed',
    ' seconds',
    '0 version',
    '0 servers',
    '1 name',
    '1 objects',
    '1 maxRequestsInFlight',
    '1 executionFactor',
  ])
  expect(read.errors[1]?.message).toBe('Enter a whole number from 1 to 3600.')
  return undefined
})
