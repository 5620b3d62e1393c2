import { INSTANT } from './alerts.ts'
import { z } from 'zod'
import { KINDS } from '../config/objects.ts'
import { CAUSE_GROUPS, CAUSES } from './causes.ts'

const CAUSE = z.enum(CAUSES)

const CausePlaceSchema = z.object({
  server: z.string().exactOptional(),
  level: z.string().exactOptional(),
  schema: z.string().exactOptional(),
  /** Distinguisher of a flow. */
  flow: z.string().exactOptional(),
})
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

/** The evidence that a statement rests on, from one page to single requests. */
export const TIERS = ['page', 'metrics', 'dumps', 'objects', 'requests'] as const

const FindingSchema = z.object({
  cause: CAUSE,
  group: z.enum(CAUSE_GROUPS),
  title: z.string(),
  /** Whom or what to look at: a client, an object, a server, as it would be looked up. */
  culprit: z.string().exactOptional(),
  /** The part of the harm that it explains, 0 to 1, and the range of that which the data allow. */
  share: z.object({ part: z.number(), low: z.number(), high: z.number() }).exactOptional(),
  /** When it began. */
  since: INSTANT.exactOptional(),
  /** Clients that suffer and do not cause it, the worst first, each with what it suffers. */
  victims: z.array(z.object({ name: z.string(), text: z.string() })).readonly(),
  tier: z.enum(TIERS),
  /** `rule`: it follows from how flow control works; `but-for`: the engine ran the same requests without it. */
  method: z.enum(['rule', 'but-for']),
  /** What is wrong although nothing queues, as a title. */
  symptom: z.string().exactOptional(),
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

/** A change of an object or of the process, and what it did. */
const JudgedChangeSchema = z.object({
  at: INSTANT,
  /** `FlowSchema payments`, or the server. */
  subject: z.string(),
  /** What was done, by whom, with the difference. */
  text: z.string(),
  /** What it did, or that it did nothing. */
  effect: z.string(),
  /** Absent: the data do not show it. */
  isToBlame: z.boolean().exactOptional(),
})
export type JudgedChange = Readonly<z.infer<typeof JudgedChangeSchema>>

export const STATES = ['unknown', 'flowing', 'slow', 'squeezed', 'queueing', 'timing out', 'rejecting'] as const

/** The verdict: what is wrong, since when, why, who suffers, who does not cause it, and what helps. */
export const DiagnosisSchema = z.object({
  state: z.enum(STATES),
  /** When the victims’ service changed; absent while nothing is wrong, or where no sample is from before. */
  since: INSTANT.exactOptional(),
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
  /** Changes in the examined time, those with the largest effect first. */
  changes: z.array(JudgedChangeSchema).readonly(),
  /** Obvious suspects that do not cause it, each with the reason. */
  innocent: z.array(z.object({ name: z.string(), text: z.string() })).readonly(),
  /** Causes that a fact about them contradicts, each with that fact. */
  excluded: z.array(z.object({ cause: CAUSE, title: z.string(), because: z.string() })).readonly(),
  /** Titles of causes that nothing contradicts and that the data do not show. */
  notShown: z.array(z.string()).readonly(),
  /** Causes that cannot be distinguished here, and the missing evidence, in sentences. */
  limits: z.array(z.string()).readonly(),
})
/** Ranked causes with their evidence. */
export type Diagnosis = Readonly<z.infer<typeof DiagnosisSchema>>
