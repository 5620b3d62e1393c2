import { SEATS } from '../../core/scenario/read.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { applyManifests } from '../../core/impact/applyManifests.ts'
import { ALGORITHMS } from '../../core/engine/profiles.ts'
import { isCovered, COVERED_RANGE } from '../../core/metrics/versions.ts'
import { EXECUTION_FACTOR, MOST_SERVERS, PER_SEAT, REQUEST_FACTOR } from '../../core/contract/whatif.ts'
import { MOST_VARIANTS } from '../../core/bounds.ts'
import { defaultVariant, type Variant } from '../../core/whatif/variant.ts'
import { acceptable } from '../live/proposed.ts'
import type { Console } from './console.ts'
import { isError, readConfiguration, refuseEmpty } from './inputFiles.ts'
import { refuseErrors } from './liveObjects.ts'
import { type Given, meantInstead, UsageError } from './usage.ts'

type Settings = Partial<Omit<Variant, 'name' | 'objects'>>

const WHOLE_PER_SEAT = { ...PER_SEAT, whole: true } as const
const CODEL_MS = { min: 1, max: 3_600_000 } as const

/** How each setting of a variant is written: `NAME=VALUE`. */
const SETTINGS: Readonly<Record<string, (text: string) => Settings | string>> = {
  'max-requests-inflight': (text) => within(text, SEATS, (maxRequestsInFlight) => ({ maxRequestsInFlight })),
  'max-mutating-requests-inflight': (text) =>
    within(text, SEATS, (maxMutatingRequestsInFlight) => ({ maxMutatingRequestsInFlight })),
  servers: (text) => within(text, { min: 1, max: MOST_SERVERS, whole: true }, (servers) => ({ servers })),
  'execution-factor': (text) => within(text, EXECUTION_FACTOR, (executionFactor) => ({ executionFactor })),
  'request-factor': (text) => within(text, REQUEST_FACTOR, (requestFactor) => ({ requestFactor })),
  'objects-per-seat': (text) => within(text, WHOLE_PER_SEAT, (objectsPerSeat) => ({ objectsPerSeat })),
  'bytes-per-seat': (text) => within(text, WHOLE_PER_SEAT, (bytesPerSeat) => ({ bytesPerSeat })),
  'watches-per-seat': (text) => within(text, WHOLE_PER_SEAT, (watchesPerSeat) => ({ watchesPerSeat })),
  'codel-target-ms': (text) => within(text, CODEL_MS, (codelTargetMs) => ({ codelTargetMs })),
  'codel-interval-ms': (text) => within(text, CODEL_MS, (codelIntervalMs) => ({ codelIntervalMs })),
  version(text) {
    const version = text.startsWith('v') ? text : `v${text}`
    return isCovered(text) ? { version } : `takes a version from ${COVERED_RANGE}`
  },
  algorithm(text) {
    const algorithm = ALGORITHMS.find((known) => known === text)
    return algorithm === undefined ? `takes ${ALGORITHMS.join(' or ')}` : { algorithm }
  },
}

function within(
  text: string,
  { min, max, whole = false }: { readonly min: number; readonly max: number; readonly whole?: boolean },
  settings: (value: number) => Settings,
): Settings | string {
  const value = Number(text)
  const fits = text.trim() !== '' && value >= min && value <= max && (!whole || Number.isInteger(value))
  return fits ? settings(value) : `takes a ${whole ? 'whole ' : ''}number from ${min} to ${max}`
}

/** `edit.yaml,servers=3`: manifests and settings. */
function partsOf(option: string, text: string): { readonly settings: Settings; readonly files: readonly string[] } {
  const files: string[] = []
  let settings: Settings = {}
  for (const part of text.split(',')) {
    const [name = '', ...rest] = part.split('=')
    if (rest.length === 0) {
      if (part === '') throw new UsageError(`${option} has an empty part in ${JSON.stringify(text)}.`)
      files.push(part)
      continue
    }
    const read = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined
    if (read === undefined) {
      const known = Object.keys(SETTINGS)
      const mend = meantInstead(name, known, `the settings are ${known.join(', ')}`)
      throw new UsageError(`${option}: there is no setting ${JSON.stringify(name)}; ${mend}`)
    }
    const value = read(rest.join('='))
    if (typeof value === 'string') {
      throw new UsageError(`${option}: ${name} ${value}, not ${JSON.stringify(rest.join('='))}.`)
    }
    settings = { ...settings, ...value }
  }
  return { settings, files }
}

/**
 * The variants that the options describe. Throws for parts that cannot be parsed, and for objects that a server would
 * reject.
 */
export async function variantsFrom(
  given: Given,
  console: Console,
): Promise<{ readonly baseline: Variant; readonly candidates: readonly Variant[] }> {
  const baseline = await baselineFrom(given.value('baseline'), console)
  const texts = given.values('candidate')
  if (texts.length >= MOST_VARIANTS) {
    throw new UsageError(`--candidate can be given ${MOST_VARIANTS - 1} times, not ${texts.length}.`)
  }
  const candidates: Variant[] = []
  for (const text of texts) {
    const candidate = await candidateFrom(text, baseline, console)
    if ([baseline, ...candidates].some(({ name }) => name === candidate.name)) {
      throw new UsageError(`Two variants are named ${JSON.stringify(candidate.name)}; give each its own name.`)
    }
    candidates.push(candidate)
  }
  return { baseline, candidates }
}

async function baselineFrom(text: string | undefined, console: Console): Promise<Variant> {
  const { settings, files } = text === undefined ? { settings: {}, files: [] } : partsOf('--baseline', text)
  const { version } = { ...defaultVariant('', { levels: [], schemas: [] }), ...settings }
  const objects = files.length === 0 ? builtInObjects(version) : await wholeConfiguration(files, version, console)
  return { ...defaultVariant('baseline', objects), ...settings }
}

async function wholeConfiguration(files: readonly string[], version: string, console: Console): Promise<ObjectSet> {
  const read = await readConfiguration(files, { version, reading: console })
  refuseErrors(read.findings.filter(isError))
  refuseEmpty(read, files)
  return acceptable(read.objects, version)
}

/** `NAME=PART,…`: manifests are applied to the objects of the baseline, as `kubectl apply` does. */
async function candidateFrom(text: string, baseline: Variant, console: Console): Promise<Variant> {
  const at = text.indexOf('=')
  const name = text.slice(0, at).trim()
  if (at === -1 || name === '') {
    throw new UsageError(`--candidate takes NAME=PART,…, such as more-shares=edit.yaml, not ${JSON.stringify(text)}.`)
  }
  const { settings, files } = partsOf(`--candidate ${name}`, text.slice(at + 1))
  const variant: Variant = { ...baseline, ...settings, name }
  if (files.length === 0) return variant
  const { version } = variant
  const read = await readConfiguration(files, { version, reading: console })
  refuseEmpty(read, files)
  const documents = read.files.flatMap((one) => one.documents)
  const applied = applyManifests(baseline.objects, documents, { version, before: 'live' })
  const own = documents.flatMap(({ findings }) => findings.filter(isError))
  refuseErrors([...own.filter((error) => !applied.supplied.has(error)), ...applied.findings])
  return { ...variant, objects: acceptable(applied.objects, version) }
}
