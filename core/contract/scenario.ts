import { z } from 'zod'
import { MOST_SCENARIO_TEXT, VERDICTS } from '../bounds.ts'
import { ABOUT_SCENARIO, FirstDifferenceSchema, OutcomesSchema, runEventSchema, WHAT_IF_SEED } from './whatif.ts'

const seed = z.number().int().min(WHAT_IF_SEED.min).max(WHAT_IF_SEED.max).exactOptional()

/** The scenario to run; absent seed: its own. */
export const ScenarioWishSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('library'), name: z.string().max(100), seed }),
  /** The text of a file, in YAML or JSON. */
  z.object({ kind: z.literal('file'), file: z.string().max(1_000), text: z.string().max(MOST_SCENARIO_TEXT), seed }),
])
export type ScenarioWish = z.infer<typeof ScenarioWishSchema>

/** A scenario of the user, stored by the console. */
export const KeptScenarioSchema = z.object({
  file: z.string().min(1).max(255),
  /** YAML or JSON. */
  text: z.string().max(MOST_SCENARIO_TEXT),
})
export type KeptScenario = z.infer<typeof KeptScenarioSchema>

/** All windows together. */
export const MOST_KEPT_SCENARIOS = 50

export type Verdict = (typeof VERDICTS)[number]

/** A criterion or an assertion about one variant, with what was measured. */
const CheckedSchema = z.object({
  /** `failed requests of leases ≤ 0.1 %`. */
  text: z.string(),
  /** The same without its bounds. */
  what: z.string().exactOptional(),
  value: z.number(),
  /** Empty for a plain number. */
  unit: z.string(),
  holds: z.boolean(),
  /** The group of clients that it is about, if it is about one. */
  clients: z.string().exactOptional(),
})

/** Requests of each group of clients that ended, in every step of a run from its start. */
const CourseSchema = z.object({
  stepSeconds: z.number(),
  clients: z
    .array(z.object({ client: z.string(), served: z.array(z.number()), failed: z.array(z.number()) }))
    .readonly(),
})
export type RunCourse = z.infer<typeof CourseSchema>

const ScenarioRunReportSchema = z.object({
  name: z.string(),
  /** Whether its run can be stepped through: its server has priority levels. */
  steppable: z.boolean(),
  /** Absent without criteria. */
  verdict: z.enum(VERDICTS).exactOptional(),
  expected: z.enum(VERDICTS).exactOptional(),
  criteria: z.array(CheckedSchema).readonly(),
  assertions: z.array(CheckedSchema).readonly(),
  passed: z.boolean(),
  /** Of the measured period. */
  seconds: z.number(),
  clients: z.array(OutcomesSchema.extend({ client: z.string() })).readonly(),
  /** Absent where it was not asked for. */
  course: CourseSchema.exactOptional(),
  /** From the first variant that can be stepped through; absent for that one, and where it was not asked for. */
  first: FirstDifferenceSchema.exactOptional(),
})
export type ScenarioRunReport = z.infer<typeof ScenarioRunReportSchema>

const ScenarioReportSchema = z.object({
  /** What the clients send their requests to. */
  of: z.enum(['server', 'etcd']),
  ...ABOUT_SCENARIO,
  runs: z.array(ScenarioRunReportSchema).readonly(),
  passed: z.boolean(),
})
export type ScenarioReport = z.infer<typeof ScenarioReportSchema>

export const ScenarioEventSchema = runEventSchema(ScenarioReportSchema)
export type ScenarioEvent = z.infer<typeof ScenarioEventSchema>
