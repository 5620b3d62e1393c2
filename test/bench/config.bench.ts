/**
 * What the editor does on every keystroke, on a configuration of 100 schemas and 40 levels: every object is converted,
 * decoded, defaulted and judged, the configuration is compared with the one before, the seats of every level are worked
 * out before and after, and the guard rails check the edit. Each keystroke has a configuration of its own. Fails when
 * the slowest step-sum of 95 in 100 keystrokes takes longer than a frame.
 */
import fc from 'fast-check'
import { checkObject, type CheckedValue } from '../../core/config/checkObject.ts'
import { manifestOf, configDiff } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { FlowSchema, ObjectSet, PriorityLevelConfiguration } from '../../core/config/objects.ts'
import { guardRails } from '../../core/guard/guardRails.ts'
import { seatImpact } from '../../core/impact/seatImpact.ts'
import { validFlowSchemaArbitrary, validLevelArbitrary } from '../fixtures/configObjects.ts'
import { median, report, round } from './statistics.ts'

const SCHEMAS = 100
const LEVELS = 40
const KEYSTROKES = 500
const WARM_UP = 100
const FRAME_MS = 16
const VERSION = 'v1.36.3'
const SEED = 20_261_121

/** Distinct names, and every schema refers to a level that is there. */
function configuration(): ObjectSet {
  const levels = fc.sample(validLevelArbitrary, { seed: SEED, numRuns: LEVELS }).map((level, index) => ({
    ...level,
    metadata: { ...level.metadata, name: `level-${index}` },
  }))
  const schemas = fc.sample(validFlowSchemaArbitrary, { seed: SEED, numRuns: SCHEMAS }).map((schema, index) => ({
    metadata: { ...schema.metadata, name: `schema-${index}` },
    spec: { ...schema.spec, priorityLevelConfiguration: { name: `level-${index % LEVELS}` } },
  }))
  return { levels, schemas }
}

/** The configuration with other shares of one level, or with one schema at another place. */
const edited = ({ levels, schemas }: ObjectSet, keystroke: number): ObjectSet =>
  keystroke % 2 === 0
    ? {
        levels: levels.map((level, index) => (index === keystroke % LEVELS ? withShares(level, 1 + keystroke) : level)),
        schemas,
      }
    : {
        levels,
        schemas: schemas.map((schema, index) =>
          index === keystroke % SCHEMAS ? withPrecedence(schema, 2 + ((keystroke * 97) % 9_000)) : schema,
        ),
      }

const withPrecedence = (schema: FlowSchema, matchingPrecedence: number): FlowSchema => ({
  ...schema,
  spec: { ...schema.spec, matchingPrecedence },
})

const withShares = (level: PriorityLevelConfiguration, shares: number): PriorityLevelConfiguration => ({
  ...level,
  spec: {
    ...level.spec,
    ...(level.spec.limited && { limited: { ...level.spec.limited, nominalConcurrencyShares: shares } }),
  },
})

const manifestsOf = ({ levels, schemas }: ObjectSet): readonly JsonObject[] => [
  ...levels.map((level) => manifestOf('PriorityLevelConfiguration', level)),
  ...schemas.map((schema) => manifestOf('FlowSchema', schema)),
]

function objectsOf(checked: readonly CheckedValue[]): ObjectSet {
  const levels: PriorityLevelConfiguration[] = []
  const schemas: FlowSchema[] = []
  for (const { kind, defaulted, findings } of checked) {
    if (findings.some(({ severity }) => severity === 'error')) throw new Error('a valid object has an error')
    if (defaulted !== undefined && kind === 'FlowSchema') schemas.push(defaulted)
    else if (defaulted !== undefined) levels.push(defaulted)
  }
  return { levels, schemas }
}

interface Times {
  readonly validate: number
  readonly diff: number
  readonly impact: number
  readonly guard: number
}

function timed(before: ObjectSet, manifests: readonly JsonObject[]): Times {
  const started = performance.now()
  const after = objectsOf(manifests.map((manifest) => checkObject(manifest, VERSION)))
  const validated = performance.now()
  if (configDiff(before, after).length > 1) throw new Error('one keystroke changed several objects')
  const compared = performance.now()
  if (seatImpact({ before, after, serverLimit: 600, version: VERSION }).rows.length < LEVELS)
    throw new Error('levels are lost')
  const weighed = performance.now()
  guardRails({ before, after, context: { version: VERSION, serverLimit: 600, origin: 'cluster' } })
  return {
    validate: validated - started,
    diff: compared - validated,
    impact: weighed - compared,
    guard: performance.now() - weighed,
  }
}

export function run(): Promise<void> {
  const before = configuration()
  const times: Times[] = []
  for (let i = -WARM_UP; i < KEYSTROKES; i++) {
    const manifests = manifestsOf(edited(before, i + WARM_UP))
    const measured = timed(before, manifests)
    if (i >= 0) times.push(measured)
  }
  const sums = times.map(({ validate, diff, impact, guard }) => validate + diff + impact + guard)
  const slow = sums.toSorted((a, b) => a - b)[Math.floor(KEYSTROKES * 0.95)] ?? Number.NaN
  report({
    bench: 'config',
    schemas: SCHEMAS,
    levels: LEVELS,
    keystrokes: KEYSTROKES,
    validateMs: round(median(times.map(({ validate }) => validate)), 3),
    diffMs: round(median(times.map(({ diff }) => diff)), 3),
    impactMs: round(median(times.map(({ impact }) => impact)), 3),
    guardMs: round(median(times.map(({ guard }) => guard)), 3),
    keystrokeMs: round(median(sums), 3),
    p95Ms: round(slow, 3),
    limitMs: FRAME_MS,
  })
  if (!(slow < FRAME_MS)) process.exitCode = 1
  return Promise.resolve()
}
