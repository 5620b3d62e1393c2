import { builtInObjects } from '../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../core/config/objects.ts'
import { ObjectSetSchema } from '../../../core/config/schema.ts'
import {
  EXECUTION_FACTOR,
  MOST_SERVERS,
  PER_SEAT,
  REQUEST_FACTOR,
  WHAT_IF_SECONDS,
  WHAT_IF_SEED,
  type LibraryScenario,
  type RequestsFrom,
  type WhatIfWish,
  type WishedVariant,
} from '../../../core/contract/whatif.ts'
import { ALGORITHM_NAMES, ALGORITHMS, NEWEST_VERSION } from '../../../core/engine/profiles.ts'
import { COSTS, UPSTREAM_COSTS } from '../../../core/engine/workEstimator.ts'
import { letterOf } from '../../../core/whatif/present.ts'
import { COVERED_RANGE, isCovered } from '../../../core/metrics/versions.ts'

/**
 * The objects of a variant. `usual`: for the baseline those of the scenario or the built-in ones, for a candidate those
 * of A.
 */
export type ObjectsOf = 'usual' | 'built-in' | 'source' | 'draft'

type Typed = Exclude<keyof WishedVariant, 'name' | 'objects'>

export interface VariantForm extends Readonly<Record<Typed, string>> {
  /** Empty: after its differences from A, see `variantNameOf`. */
  readonly name: string
  readonly objects: ObjectsOf
}
export type VariantField = keyof VariantForm

export interface WhatIfForm {
  /** `cluster`, `recorded`, or the name of a scenario. */
  readonly from: string
  readonly seed: string
  readonly seconds: string
  readonly clients: 'open' | 'closed'
  /** The first one is the baseline. */
  readonly variants: readonly VariantForm[]
}

/** Data that the console has when a comparison starts. */
export interface Known {
  readonly scenarios: readonly LibraryScenario[]
  readonly connection: number | undefined
  /** Objects of the connected source, and the objects that the draft proposes. */
  readonly source: ObjectSet | undefined
  readonly draft: ObjectSet | undefined
}

const BASELINE: VariantForm = {
  name: '',
  objects: 'usual',
  maxRequestsInFlight: '400',
  maxMutatingRequestsInFlight: '200',
  servers: '1',
  version: NEWEST_VERSION,
  algorithm: 'upstream',
  executionFactor: '1',
  requestFactor: '1',
  objectsPerSeat: String(UPSTREAM_COSTS.objectsPerSeat),
  bytesPerSeat: String(UPSTREAM_COSTS.bytesPerSeat),
  watchesPerSeat: String(UPSTREAM_COSTS.watchesPerSeat),
}

/** The initial form: the draft if there is one, else half the limits. */
export const firstForm = (hasDraft: boolean): WhatIfForm => ({
  from: 'cluster',
  seed: '1',
  seconds: String(WHAT_IF_SECONDS.default),
  clients: 'open',
  variants: hasDraft
    ? [
        { ...BASELINE, objects: 'source' },
        { ...BASELINE, objects: 'draft' },
      ]
    : [BASELINE, { ...BASELINE, maxRequestsInFlight: '200', maxMutatingRequestsInFlight: '100' }],
})

/** Adds a candidate: a copy of the last variant, named after what will differ. */
export const withCandidate = (form: WhatIfForm): WhatIfForm => ({
  ...form,
  variants: [...form.variants, { ...(form.variants.at(-1) ?? BASELINE), name: '' }],
})

const OBJECTS_NAMES: Readonly<Record<ObjectsOf, string>> = {
  usual: 'objects as A',
  'built-in': 'built-in objects',
  source: 'objects of the source',
  draft: 'draft',
}

/** Characters of a name in the contract. */
const LONGEST_NAME = 100

/** The name of a variant: as typed, else after what it has that A has not. */
export function variantNameOf(variants: WhatIfForm['variants'], index: number): string {
  const [variant, baseline] = [variants[index], variants[0]]
  if (variant === undefined || baseline === undefined) return ''
  if (variant.name.trim() !== '' || index === 0) return variant.name.trim() || 'baseline'
  const differs = (...fields: readonly VariantField[]): boolean =>
    fields.some((field) => variant[field].trim() !== baseline[field].trim())
  const { objects, maxRequestsInFlight, maxMutatingRequestsInFlight, servers, version, executionFactor } = variant
  const algorithm = ALGORITHMS.find((one) => one === variant.algorithm) ?? 'upstream'
  const parts = [
    ...(differs('objects') ? [OBJECTS_NAMES[objects]] : []),
    ...(differs('maxRequestsInFlight', 'maxMutatingRequestsInFlight')
      ? [`${maxRequestsInFlight.trim()} + ${maxMutatingRequestsInFlight.trim()} in flight`]
      : []),
    ...(differs('servers') ? [`${servers.trim()} servers`] : []),
    ...(differs('version') ? [version.trim()] : []),
    ...(differs('algorithm') ? [ALGORITHM_NAMES[algorithm]] : []),
    ...(differs('executionFactor') ? [`execution × ${executionFactor.trim()}`] : []),
    ...(differs('requestFactor') ? [`requests × ${variant.requestFactor.trim()}`] : []),
    ...COSTS.filter(([field]) => differs(field)).map(([field, what]) => `${variant[field].trim()} ${what} a seat`),
  ]
  const name = (parts.join(', ') || 'as A').slice(0, LONGEST_NAME)
  const isTaken = variants.slice(0, index).some((_, other) => variantNameOf(variants, other) === name)
  return isTaken ? `${name.slice(0, LONGEST_NAME - 4)} (${letterOf(index)})` : name
}

/** A scenario includes the servers that it was written for. */
export function withRequests(form: WhatIfForm, from: string, scenarios: readonly LibraryScenario[]): WhatIfForm {
  const scenario = scenarios.find(({ name }) => name === from)
  if (scenario?.server === undefined) return { ...form, from, ...(from === 'recorded' && { clients: 'open' as const }) }
  const { seed } = scenario
  const { maxRequestsInFlight, maxMutatingRequestsInFlight, version } = scenario.server
  const server = {
    maxRequestsInFlight: String(maxRequestsInFlight),
    maxMutatingRequestsInFlight: String(maxMutatingRequestsInFlight),
    version,
  }
  const variants = form.variants.map((variant, index) => (index === 0 ? { ...variant, ...server } : variant))
  return { ...form, from, seed: String(seed), variants }
}

/** A field of the requests, or of a variant, by its index. */
type Place =
  | { readonly variant: number; readonly field: VariantField }
  | { readonly variant?: undefined; readonly field: 'seed' | 'seconds' }
export type FormError = { readonly message: string } & Place

export type ReadForm =
  { readonly ok: true; readonly wish: WhatIfWish } | { readonly ok: false; readonly errors: readonly FormError[] }

type Bounds = Readonly<Record<'min' | 'max', number>>
const SEATS: Bounds = { min: 0, max: 100_000 }

/** The form as a wish, or every error in it. */
export function readForm(form: WhatIfForm, known: Known): ReadForm {
  const errors: FormError[] = []
  const number = (text: string, { min, max }: Bounds, about: Place, whole = true): number => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
      errors.push({ ...about, message: `Enter a ${whole ? 'whole ' : ''}number from ${min} to ${max}.` })
    }
    return value
  }
  const from = requestsFrom(form, known, number)
  const variants = form.variants.map((variant, index): WishedVariant => {
    const numberIn = (field: VariantField, bounds: Bounds, whole = true) =>
      number(variant[field], bounds, { variant: index, field }, whole)
    const bad = (field: VariantField, message: string): void => void errors.push({ variant: index, field, message })
    const name = variantNameOf(form.variants, index)
    if (form.variants.findIndex((_, other) => variantNameOf(form.variants, other) === name) < index) {
      bad('name', `${name} is taken.`)
    }
    const version = variant.version.startsWith('v') ? variant.version : `v${variant.version}`
    if (!isCovered(version) || !/^v1\.\d+\.\d+$/.test(version)) {
      bad('version', `Enter a version from ${COVERED_RANGE}, such as ${NEWEST_VERSION}.`)
    }
    if (form.clients === 'closed' && Number(variant.requestFactor) < 1)
      bad('requestFactor', 'In a closed loop it is 1.')
    const objects = objectsOf(variant.objects, version, known)
    if (objects === 'missing') {
      bad(
        'objects',
        variant.objects === 'draft' ? 'The Editor has no draft.' : 'The objects of the source are unknown.',
      )
    }
    return {
      name,
      ...(objects !== undefined && objects !== 'missing' && { objects: ObjectSetSchema.parse(objects) }),
      maxRequestsInFlight: numberIn('maxRequestsInFlight', SEATS),
      maxMutatingRequestsInFlight: numberIn('maxMutatingRequestsInFlight', SEATS),
      servers: numberIn('servers', { min: 1, max: MOST_SERVERS }),
      version,
      algorithm: ALGORITHMS.find((one) => one === variant.algorithm) ?? 'upstream',
      executionFactor: numberIn('executionFactor', EXECUTION_FACTOR, false),
      requestFactor: numberIn('requestFactor', REQUEST_FACTOR, false),
      ...Object.fromEntries(COSTS.map(([field]) => [field, numberIn(field, PER_SEAT)])),
    }
  })
  const [baseline, ...candidates] = variants
  if (errors.length > 0 || baseline === undefined) return { ok: false, errors }
  return { ok: true, wish: { from, clients: form.clients, baseline, candidates } }
}

function requestsFrom(
  { from, seed, seconds }: WhatIfForm,
  { connection }: Known,
  number: (text: string, bounds: Bounds, about: Place) => number,
): RequestsFrom {
  if (from === 'recorded') return { kind: 'recorded', connection: connection ?? 0 }
  const seeded = number(seed, WHAT_IF_SEED, { field: 'seed' })
  if (from !== 'cluster') return { kind: 'scenario', name: from, seed: seeded }
  return { kind: 'cluster', seed: seeded, seconds: number(seconds, WHAT_IF_SECONDS, { field: 'seconds' }) }
}

function objectsOf(of: ObjectsOf, version: string, { source, draft }: Known): ObjectSet | 'missing' | undefined {
  switch (of) {
    case 'usual':
      return undefined
    case 'built-in':
      return isCovered(version) ? builtInObjects(version) : undefined
    case 'source':
      return source ?? 'missing'
    case 'draft':
      return draft ?? 'missing'
  }
}
