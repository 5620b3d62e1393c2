import { INSTANT } from './alerts.ts'
import { z } from 'zod'
import { ObjectSetSchema } from '../config/schema.ts'
import { MOST_TUNE_TEXTS, TUNE_SEEDS } from '../bounds.ts'
import { ManifestSchema } from './diagnosis.ts'
import { runEventSchema } from './whatif.ts'

const connection = z.number().int()
const texts = z.array(z.string().max(300)).max(MOST_TUNE_TEXTS)

/** The requests that every edit is run on, and the conditions that must hold (docs/tune.md). */
export const TuneWishSchema = z.object({
  from: z.discriminatedUnion('kind', [
    /**
     * The twin of a server, from its newest pages, ten minutes at most; from the recorded pages before `at`, if it is
     * given.
     */
    z.object({ kind: z.literal('twin'), connection, server: z.string(), at: INSTANT.exactOptional() }),
    /** The recorded requests of a source between two instants, both included. */
    z.object({ kind: z.literal('recorded'), connection, from: INSTANT, to: INSTANT }),
  ]),
  before: ObjectSetSchema,
  /** Seats of the server. */
  serverLimit: z.number().int().min(1),
  version: z.string(),
  /** In words. */
  goals: texts.min(1),
  guardRails: texts,
  /** The levels that may be changed. */
  levels: z.array(z.string()).max(1_000),
  seeds: z.number().int().min(TUNE_SEEDS.min).max(TUNE_SEEDS.max),
})
export type TuneWish = z.infer<typeof TuneWishSchema>

/** A goal or guard rail with its measured value before and after the edit. */
const GoalEvidenceSchema = z.object({
  /** `wait p99 of level workload-high ≤ 1000 ms`. */
  goal: z.string(),
  unit: z.string(),
  before: z.number(),
  after: z.number(),
  metBefore: z.boolean(),
  metAfter: z.boolean(),
})
export type GoalEvidence = z.infer<typeof GoalEvidenceSchema>

const LevelNumbersSchema = z.object({
  offered: z.number(),
  served: z.number(),
  rejectedPercent: z.number(),
  /** Milliseconds, 0 where nothing was dispatched. */
  waitP99: z.number(),
  seats: z.number(),
  /** Mean; absent if nothing limits the level. */
  limit: z.number().exactOptional(),
})
export type LevelNumbers = z.infer<typeof LevelNumbersSchema>

/** One level before and after. */
const LevelEvidenceSchema = z.object({ level: z.string(), before: LevelNumbersSchema, after: LevelNumbersSchema })
export type LevelEvidence = z.infer<typeof LevelEvidenceSchema>

/** `from` is absent if the object has no such field. */
const SettingChangeSchema = z.object({ setting: z.string(), from: z.number().exactOptional(), to: z.number() })
export type SettingChange = z.infer<typeof SettingChangeSchema>

const ProposalSchema = z.object({
  changes: z.array(SettingChangeSchema).readonly(),
  /** The same as whole objects, YAML. */
  objects: z.array(ManifestSchema).readonly(),
  goals: z.array(GoalEvidenceSchema).readonly(),
  guardRails: z.array(GoalEvidenceSchema).readonly(),
  levels: z.array(LevelEvidenceSchema).readonly(),
  /** Numbers that get worse, and findings of the Editor's guard rails, one sentence each. */
  costs: z.array(z.string()).readonly(),
  findings: z.array(z.string()).readonly(),
  seeds: z.object({ met: z.array(z.number()).readonly(), missed: z.array(z.number()).readonly() }),
  met: z.boolean(),
})
export type TuneProposal = z.infer<typeof ProposalSchema>

const TuneAnswerSchema = z.object({
  answer: ProposalSchema,
  runnerUp: ProposalSchema.exactOptional(),
  evaluations: z.number(),
  /** Limitations of the evidence, in sentences. */
  notes: z.array(z.string()).readonly(),
})
export type TuneAnswer = z.infer<typeof TuneAnswerSchema>

export const TuneEventSchema = runEventSchema(TuneAnswerSchema)
export type TuneEvent = z.infer<typeof TuneEventSchema>
