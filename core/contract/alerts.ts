import { z } from 'zod'
import { QuantileRangeSchema } from '../frame/derived.ts'
import type { UnixMs } from '../units.ts'

export const RULE_IDS = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10', 'R11', 'R12'] as const
export type RuleId = (typeof RULE_IDS)[number]
const RuleIdSchema = z.enum(RULE_IDS)

export const SEVERITIES = ['critical', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

const NAME = z.string().max(500)
export const INSTANT = z.number() satisfies z.ZodType<UnixMs>

const PlaceSchema = z.object({
  /** Absent if the alert is about the objects, which all servers share. */
  server: z.string().optional(),
  level: z.string().optional(),
  /** A reason of rejection, a pair of windows, an object: its meaning depends on the rule. */
  subject: z.string().optional(),
})
/** The place of an alert: alerts of one rule differ in it. */
export type Place = Readonly<z.infer<typeof PlaceSchema>>

const EvidenceSchema = z.object({
  name: z.string(),
  value: z.number(),
  unit: z.enum(['requests/s', 'requests', 'seats', 'seconds', 'ratio']),
  /** Of a quantile of a histogram: the bounds between which it certainly lies. */
  range: QuantileRangeSchema.exactOptional(),
})
/** One number behind an alert, and its threshold. */
export type Evidence = Readonly<z.infer<typeof EvidenceSchema>>

const AlertSchema = PlaceSchema.extend({
  rule: RuleIdSchema,
  /** The name in Prometheus: `APFRequestsRejected`. */
  name: z.string(),
  severity: z.enum(SEVERITIES),
  /** Unix milliseconds at which the condition began to hold. */
  since: INSTANT,
  /** Unix milliseconds at which it had held long enough. */
  firedAt: INSTANT,
  /** Values at the last sample in which the condition held. */
  evidence: z.array(EvidenceSchema).readonly(),
  /** One or two sentences each. */
  cause: z.string(),
  remedy: z.string(),
  silenced: z.boolean(),
})
/** A condition that held for as long as its rule requires. */
export type Alert = Readonly<z.infer<typeof AlertSchema>>

const AlertChangeSchema = z.object({
  kind: z.enum(['fired', 'resolved']),
  /** Unix milliseconds of the sample that shows it. */
  at: INSTANT,
  alert: AlertSchema,
})
/** An alert begins or ends. */
export type AlertChange = Readonly<z.infer<typeof AlertChangeSchema>>

export const SilenceSchema = z.object({
  rule: RuleIdSchema.optional(),
  level: NAME.optional(),
  server: NAME.optional(),
  /** Unix milliseconds; absent: it does not end. */
  until: INSTANT.optional(),
})
/** Alerts to suppress; absent members match everything. */
export type Silence = Readonly<z.infer<typeof SilenceSchema>>

const RuleStateSchema = z.object({
  rule: RuleIdSchema,
  /** `off` with the reason if no server has what the rule needs. */
  state: z.enum(['firing', 'pending', 'quiet', 'off']),
  why: z.string().optional(),
  /**
   * For conditions that hold but do not fire yet, the one that has held longest: since when, and how long it must hold.
   */
  pending: PlaceSchema.extend({ since: INSTANT, holdMs: z.number() }).optional(),
  /** Unix milliseconds at which it last fired, within the evaluated samples. */
  lastFired: INSTANT.optional(),
})
/** The current state of a rule. */
export type RuleState = Readonly<z.infer<typeof RuleStateSchema>>

/** Changes of alerts that are kept for a source. */
export const MOST_ALERT_CHANGES = 200

export const AlertsStateSchema = z.object({
  /** Unix milliseconds of the newest sample that was evaluated; absent before the first. */
  asOf: INSTANT.optional(),
  /** Servers that had not answered for a minute then, each with its newest sample: its rules stand as at that. */
  silent: z.array(z.object({ server: z.string(), since: INSTANT })).readonly(),
  /** R1 to R12. */
  rules: z.array(RuleStateSchema).readonly(),
  /** Firing alerts, in the order of the rules, then of their beginning. */
  alerts: z.array(AlertSchema).readonly(),
  /** The newest first, `MOST_ALERT_CHANGES` at most. */
  changes: z.array(AlertChangeSchema).readonly(),
  silences: z.array(SilenceSchema).readonly(),
})
/** The state of the alert rules for a source. */
export type AlertsState = Readonly<z.infer<typeof AlertsStateSchema>>
