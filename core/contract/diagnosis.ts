import { z } from 'zod'
import { KINDS } from '../config/objects.ts'
import { CAUSE_GROUPS, CAUSES } from './causes.ts'
import type { UnixMs } from '../units.ts'

const CAUSE = z.enum(CAUSES)
const INSTANT = z.number() satisfies z.ZodType<UnixMs>

const CausePlaceSchema = z.object({
  server: z.string().exactOptional(),
  level: z.string().exactOptional(),
  schema: z.string().exactOptional(),
  /** Distinguisher of a flow. */
  flow: z.string().exactOptional(),
})
/** The place of a cause. */
export type CausePlace = Readonly<z.infer<typeof CausePlaceSchema>>

export const ManifestSchema = z.object({ kind: z.enum(KINDS), name: z.string(), text: z.string() })
/** One object of an edit, as YAML. */
export type ProposedManifest = Readonly<z.infer<typeof ManifestSchema>>

const RemedySchema = z.object({
  /** What to do, in one or two sentences. */
  text: z.string(),
  /** Objects after the edit, to be opened as a draft; none if no edit helps, or the objects are unknown. */
  manifests: z.array(ManifestSchema).readonly(),
})

const FindingSchema = z.object({
  cause: CAUSE,
  group: z.enum(CAUSE_GROUPS),
  title: z.string(),
  /** What happens, in one or two sentences. */
  text: z.string(),
  /** `strong`: no evidence contradicts it and all facts that it needs are known. */
  confidence: z.enum(['strong', 'likely', 'possible']),
  place: CausePlaceSchema,
  /** Unix milliseconds of the samples that it is based on. */
  from: INSTANT,
  to: INSTANT,
  /** Sentences with numbers. */
  evidenceFor: z.array(z.string()).readonly(),
  evidenceAgainst: z.array(z.string()).readonly(),
  /** Information that would show more but is not available here. */
  unknown: z.array(z.string()).readonly(),
  /** Evidence that would refute it, in one sentence. */
  refutedBy: z.string(),
  remedy: RemedySchema,
})
export type Finding = Readonly<z.infer<typeof FindingSchema>>

export const DiagnosisSchema = z.object({
  /** Unix milliseconds: the time span that was examined; both are those of the last sample if there is only one. */
  from: INSTANT,
  to: INSTANT,
  servers: z.array(z.string()).readonly(),
  /** The headline of the Overview for the last sample: what is wrong, and its evidence in whole sentences. */
  now: z.object({
    tone: z.enum(['ok', 'trouble', 'stale', 'withheld']),
    title: z.string(),
    details: z.string().exactOptional(),
    level: z.string().exactOptional(),
  }),
  /** The title of `now`, what went before if it is over, and the first finding. */
  summary: z.string(),
  /** Best first. Never empty. */
  findings: z.array(FindingSchema).readonly(),
  /** Causes that a fact about them contradicts, each with that fact. */
  excluded: z.array(z.object({ cause: CAUSE, title: z.string(), because: z.string() })).readonly(),
  /** Titles of causes that nothing contradicts and that the data do not show. */
  notShown: z.array(z.string()).readonly(),
  /** Causes that cannot be distinguished here, and the missing evidence, in sentences. */
  limits: z.array(z.string()).readonly(),
})
/** Ranked causes with their evidence. */
export type Diagnosis = Readonly<z.infer<typeof DiagnosisSchema>>
