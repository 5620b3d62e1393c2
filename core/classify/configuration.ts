import { isJsonObject } from '../config/jsonValues.ts'
import type { FlowSchema, ObjectSet } from '../config/objects.ts'
import { nearest } from '../text/text.ts'
import {
  type ConfiguredLimits,
  configuredLimits,
  DEFAULT_SERVER_LIMIT,
  maxSeatsPerRequest,
} from '../engine/allocation.ts'
import { CompiledSchemas } from '../engine/compiledSchemas.ts'
import { type LevelPlan, takeLevels } from '../engine/levelPlan.ts'
import { inMatchingOrder, orderFlowSchemas, type RequestDigest } from '../request/match.ts'
import type { Seats } from '../units.ts'
import type { RequestSample, RequestTest } from '../contract/objects.ts'
import { type Unclassifiable, digestRequest } from './classification.ts'

/** One level, in the state that a server gives it right after reading the configuration. */
export interface ConfiguredLevel {
  readonly plan: LevelPlan
  readonly limits: ConfiguredLimits
  /** Largest estimate for a request, in seats; 0 when the level has no cap (specification 5.2). */
  readonly maxSeats: Seats
}

/** A configuration prepared for classification and explanation (specification 2.2, 6.1, 7.2 – 7.5). */
export interface ClassifyingConfiguration {
  /** By name; mandatory levels that the server creates internally are included, rejected ones are not. */
  readonly levels: ReadonlyMap<string, ConfiguredLevel>
  /** Why a server treats these levels as absent, by name. */
  readonly refused: ReadonlyMap<string, string>
  /** In matching order, including mandatory schemas that the server creates internally. */
  readonly order: readonly FlowSchema[]
  /** In the same order. */
  readonly dangling: readonly FlowSchema[]
  /** The schema that a request falls into. */
  readonly schemaOf: (digest: RequestDigest) => FlowSchema
}

/**
 * The objects as seen by a server that has just started: no level is left over from before. They are used as stored,
 * with their defaults.
 */
export function classifyingConfiguration(
  { levels, schemas }: ObjectSet,
  serverLimit: Seats = DEFAULT_SERVER_LIMIT,
): ClassifyingConfiguration {
  const { plans, accepted, refused } = takeLevels(levels)
  const { order, dangling } = orderFlowSchemas(schemas, accepted)
  const compiled = new CompiledSchemas(order, (schema) => schema)
  return {
    levels: configuredLevels(plans, serverLimit),
    refused,
    order,
    dangling: dangling.toSorted(inMatchingOrder),
    schemaOf: (digest) => compiled.classify(digest),
  }
}

function configuredLevels(plans: readonly LevelPlan[], serverLimit: Seats): ReadonlyMap<string, ConfiguredLevel> {
  const all = configuredLimits(serverLimit, plans)
  return new Map(
    plans.map((plan, index) => {
      const limits = all[index] ?? { nominal: 0, min: 0, max: 0 }
      const { queues, handSize } = plan.queuing
      return [plan.name, { plan, limits, maxSeats: queues > 0 ? maxSeatsPerRequest(limits.nominal, handSize) : 0 }]
    }),
  )
}

/** The level of a schema that is not skipped. Throws for one that is. */
export function levelOf({ levels }: ClassifyingConfiguration, schema: FlowSchema): ConfiguredLevel {
  const level = levels.get(schema.spec.priorityLevelConfiguration.name)
  if (level === undefined) throw new Error(`flow schema ${schema.metadata.name} takes part without a level`)
  return level
}

/** Where a request goes. */
export interface Landing {
  readonly flowSchema: string
  readonly priorityLevel: string
}
type Landed = ({ readonly ok: true } & Landing) | ({ readonly ok: false } & Unclassifiable)

/** One row of the test table after a run. */
export type RequestTestResult = { readonly test: RequestTest } & (
  | { readonly outcome: 'passed' | 'failed' | 'no-expectation'; readonly actual: Landing }
  /** The server would reject the request before classifying it; `problem` is a sentence. */
  | { readonly outcome: 'unclassifiable'; readonly problem: string }
)

/** Where requests go, for many requests on one configuration. The objects are used as stored, with their defaults. */
export function landings(objects: ObjectSet): (request: RequestSample) => Landed {
  const { schemaOf } = classifyingConfiguration(objects)
  return (request) => {
    const read = digestRequest(request)
    if (!read.ok) return read
    const { metadata, spec } = schemaOf(read.digest)
    return { ok: true, flowSchema: metadata.name, priorityLevel: spec.priorityLevelConfiguration.name }
  }
}

/** Runs saved requests on a configuration. Results are in the order of the tests. */
export function runRequestTests(objects: ObjectSet, tests: readonly RequestTest[]): readonly RequestTestResult[] {
  const land = landings(objects)
  return tests.map((test): RequestTestResult => {
    const landed = land(test.request)
    if (!landed.ok) return { test, outcome: 'unclassifiable', problem: landed.problem }
    const { flowSchema, priorityLevel } = landed
    const { expect } = test
    const same = expect?.flowSchema === flowSchema && expect.priorityLevel === priorityLevel
    return {
      test,
      outcome: expect === undefined ? 'no-expectation' : same ? 'passed' : 'failed',
      actual: { flowSchema, priorityLevel },
    }
  })
}

const REQUEST_KEYS = ['user', 'groups', 'method', 'verb', 'url']
const ROW_KEYS = ['id', 'label', 'request', 'expect']
const EXPECT_KEYS = ['flowSchema', 'priorityLevel']

/**
 * For a saved test table: the first key that none of its rows has, in a sentence. A row without `expect` always passes.
 */
export function strangeKeyInTable(table: unknown): string | undefined {
  const rows = isJsonObject(table) ? table['tests'] : table
  if (!Array.isArray(rows)) return undefined
  return firstOf(rows, (row, at) => {
    if (!isJsonObject(row)) return undefined
    const { request, expect } = row
    return (
      strangeKey(row, ROW_KEYS, at) ??
      strangeKey(request, REQUEST_KEYS, `${at}.request`) ??
      strangeKey(expect, EXPECT_KEYS, `${at}.expect`)
    )
  })
}

/** The same for one request or a list of them. */
export const strangeKeyInRequests = (requests: unknown): string | undefined =>
  Array.isArray(requests)
    ? firstOf(requests, (request, at) => strangeKey(request, REQUEST_KEYS, at))
    : strangeKey(requests, REQUEST_KEYS, 'the request')

function firstOf(
  rows: readonly unknown[],
  strangeIn: (row: unknown, at: string) => string | undefined,
): string | undefined {
  for (const [index, row] of rows.entries()) {
    const found = strangeIn(row, `row ${index + 1}`)
    if (found !== undefined) return found
  }
  return undefined
}

function strangeKey(value: unknown, known: readonly string[], at: string): string | undefined {
  const strange = isJsonObject(value) ? Object.keys(value).find((key) => !known.includes(key)) : undefined
  if (strange === undefined) return undefined
  const meant = nearest(strange, known)
  return `There is no key ${JSON.stringify(strange)} in ${at}; ${meant === undefined ? `valid keys are ${known.join(', ')}.` : `did you mean ${meant}?`}`
}
