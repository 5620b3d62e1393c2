import { INSTANT } from './alerts.ts'
import { z } from 'zod'
import { KINDS } from '../config/objects.ts'

const ADVICE_KINDS = [
  'shares',
  'lending',
  'queues',
  'schema',
  'flags',
  'users',
  'boundary',
  'scrape',
  'nothing',
] as const

/**
 * - `edit`: requests wait or are rejected, and this removes a cause; how much it helps is not computed.
 * - `precaution`: nothing waits for it now.
 * - `rejected`: an obvious idea that would not help; the evidence explains why.
 */
const ADVICE_VERDICTS = ['edit', 'precaution', 'rejected'] as const

/** One object of a recommended edit. */
const ChangeSchema = z.object({
  kind: z.enum(KINDS),
  name: z.string(),
  /** The object as YAML; `null` deletes it. */
  text: z.string().nullable(),
})

const ThresholdSchema = z.object({ seats: z.number(), label: z.string() })
/** Seats that a history is judged by, and what they are: `95 % of the time at most 307`. */
export type Threshold = Readonly<z.infer<typeof ThresholdSchema>>

const SuggestionSchema = z.object({
  kind: z.enum(ADVICE_KINDS),
  verdict: z.enum(ADVICE_VERDICTS),
  /** An imperative, such as `Give workload-low 140 shares`. */
  title: z.string(),
  /** Its effect, in one or two sentences. */
  text: z.string(),
  /** The server whose samples it is based on. */
  server: z.string(),
  level: z.string().exactOptional(),
  /** Unix milliseconds: the time span of the samples that it is based on. */
  from: INSTANT,
  to: INSTANT,
  /** What the demand of the level is judged by. */
  threshold: ThresholdSchema.exactOptional(),
  /** Sentences with numbers, each with its time. */
  evidence: z.array(z.string()).readonly(),
  /** Unknown facts that could change the recommendation. */
  unknown: z.array(z.string()).readonly(),
  /** Objects of the edit, to be opened as a draft; none if no object changes or the objects are unknown. */
  changes: z.array(ChangeSchema).readonly(),
  /** Nominal limits of all levels before and after the edit, in seats; empty without an edit of levels. */
  impact: z.array(z.object({ level: z.string(), before: z.number(), after: z.number() })).readonly(),
  /** Flags or settings of other programs, to be copied. */
  snippet: z.string().exactOptional(),
})
export type Suggestion = Readonly<z.infer<typeof SuggestionSchema>>

export const AdviceSchema = z.object({
  /** Unix milliseconds; both are 0 without samples. */
  from: INSTANT,
  to: INSTANT,
  servers: z.array(z.string()).readonly(),
  /** How many edits help, and whether more seats would, in one or two sentences. */
  summary: z.string(),
  /** The verdict of the diagnosis, where it names a cause: its remedy comes before any advice. */
  verdict: z.string().exactOptional(),
  /** Edits that help first. */
  suggestions: z.array(SuggestionSchema).readonly(),
  /** Seats of one server in which all demand fits during a share of the time; for the server with the most demand. */
  enough: z.array(z.object({ share: z.number(), seats: z.number() })).readonly(),
  /** Seats that this server has; absent if the pages do not show it. */
  serverLimit: z.number().exactOptional(),
  /** Missing information, in sentences. */
  limits: z.array(z.string()).readonly(),
})
/** Recommended changes, with evidence. */
export type Advice = Readonly<z.infer<typeof AdviceSchema>>
