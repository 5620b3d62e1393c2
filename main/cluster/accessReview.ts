import { z } from 'zod'
import type { Capability, CapabilityResult } from '../../core/contract/source.ts'
import { type Failed, type RequestSettings, getJson, send } from './http.ts'
import { METRICS_LIMITS } from './httpProblems.ts'

/** The user that the server authenticates the console as. */
export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
}

export interface ReviewContext {
  readonly base: string
  readonly settings: RequestSettings
}

export const FLOW_CONTROL_GROUP = 'flowcontrol.apiserver.k8s.io'
export const FLOW_CONTROL_RESOURCES = ['flowschemas', 'prioritylevelconfigurations'] as const
export type FlowControlResource = (typeof FLOW_CONTROL_RESOURCES)[number]

const SelfSubjectReviewSchema = z.object({
  status: z.object({
    userInfo: z.object({ username: z.string(), groups: z.array(z.string()).optional() }),
  }),
})

/**
 * Requests the console's identity from the server (since Kubernetes 1.28); `undefined` when the server does not report
 * it. Creates nothing.
 */
export async function reviewSelf(context: ReviewContext): Promise<Identity | undefined> {
  const answer = await askWhoAmI(context)
  return answer.ok ? answer.identity : undefined
}

/** States that the console's requests are exempt from flow control, and the remedy; `undefined` when they are not. */
export const exemptNote = ({ user, groups }: Identity): string | undefined =>
  groups.includes('system:masters')
    ? `Flow control does not limit the console’s own requests, because ${user} is in the group system:masters; they take seats from other levels, one at a time. To give the console a level of its own, connect as another user; apf-console permissions prints the role and the level for it.`
    : undefined

/** The same with the reason when the server does not report it. */
export async function askWhoAmI(
  context: ReviewContext,
): Promise<{ readonly ok: true; readonly identity: Identity } | Failed> {
  const answer = await review(context, 'authentication', 'SelfSubjectReview', undefined, SelfSubjectReviewSchema)
  if (!answer.ok) return answer
  const { username, groups } = answer.value.status.userInfo
  return { ok: true, identity: { user: username, groups: groups ?? [] } }
}

/** Sends a review, which the server answers and does not store. */
export async function review<S extends z.ZodType>(
  { base, settings }: ReviewContext,
  group: 'authentication' | 'authorization',
  kind: string,
  spec: object | undefined,
  schema: S,
): Promise<{ readonly ok: true; readonly value: z.output<S> } | Failed> {
  const apiVersion = `${group}.k8s.io/v1`
  const url = new URL(`${base}/apis/${apiVersion}/${kind.toLowerCase()}s`)
  const answer = await getJson({ url, settings, body: JSON.stringify({ apiVersion, kind, spec }) })
  if (!answer.ok) return answer
  const parsed = schema.safeParse(answer.value)
  return parsed.success ? { ok: true, value: parsed.data } : unclear(base, kind)
}

export const unclear = (base: string, kind: string): Failed => ({
  ok: false,
  problem: { code: 'bad-answer', message: `${base} sent an unexpected response to a ${kind}.` },
})

/** The user that a refusal names: `… User "alice" cannot get path …`. */
export function userInRefusal(message: string | undefined): string | undefined {
  return /\bUser "([^"]+)" cannot /.exec(message ?? '')?.[1]
}

type Verdict = 'allowed' | 'forbidden' | 'unknown'

const AccessReviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) })

/** Checks whether the console may do `verb` on a flow-control resource. */
async function reviewAccess(context: ReviewContext, verb: string, resource: FlowControlResource): Promise<Verdict> {
  const spec = { resourceAttributes: { group: FLOW_CONTROL_GROUP, resource, verb } }
  const answer = await review(context, 'authorization', 'SelfSubjectAccessReview', spec, AccessReviewSchema)
  if (!answer.ok) return 'unknown'
  return answer.value.status.allowed ? 'allowed' : 'forbidden'
}

/** The outcome of one test. */
export type Finding = Pick<CapabilityResult, 'status' | 'found'>

export type ObjectAccess = Readonly<Record<Extract<Capability, `${string}-objects` | 'dry-run' | 'write'>, Finding>>

const VERBS = ['list', 'watch', 'create', 'update', 'patch', 'delete'] as const
type Verb = (typeof VERBS)[number]

interface Judged {
  readonly verb: Verb
  readonly resource: FlowControlResource
  readonly verdict: Verdict
}

/**
 * What the console may do with flow-control objects. If the server does not answer access reviews, listing and watching
 * are tried for real (one object, one second); writing is never tried.
 */
export async function testObjects(context: ReviewContext, user: string | undefined): Promise<ObjectAccess> {
  const asked = VERBS.flatMap((verb) => FLOW_CONTROL_RESOURCES.map((resource) => ({ verb, resource })))
  const judged = await Promise.all(
    asked.map(async ({ verb, resource }): Promise<Judged> => {
      const reviewed = await reviewAccess(context, verb, resource)
      const verdict = reviewed === 'unknown' ? await tryOut(context, verb, resource) : reviewed
      return { verb, resource, verdict }
    }),
  )
  const finding = (...verbs: readonly Verb[]): Finding =>
    summarise(
      judged.filter(({ verb }) => verbs.includes(verb)),
      user,
    )
  return {
    'list-objects': finding('list'),
    'watch-objects': finding('watch'),
    // A dry run needs the same permissions as the change itself.
    'dry-run': finding('create', 'update', 'patch'),
    write: finding('create', 'update', 'patch', 'delete'),
  }
}

/** A watch of an old version ends at once, and costs less than one without a version. */
const READS: Readonly<Partial<Record<Verb, string>>> = {
  list: 'limit=1',
  watch: 'watch=true&timeoutSeconds=1&resourceVersion=1',
}

async function tryOut({ base, settings }: ReviewContext, verb: Verb, resource: FlowControlResource): Promise<Verdict> {
  const query = READS[verb]
  if (query === undefined) return 'unknown'
  const url = new URL(`${base}/apis/${FLOW_CONTROL_GROUP}/v1/${resource}?${query}`)
  const answer = await send({ url, settings, limits: METRICS_LIMITS }, () => 'enough')
  if (answer.ok) return 'allowed'
  return answer.status === 403 ? 'forbidden' : 'unknown'
}

function summarise(judged: readonly Judged[], user: string | undefined): Finding {
  const refused = judged.filter(({ verdict }) => verdict === 'forbidden')
  if (refused.length > 0) {
    const whom = user === undefined ? '' : ` for user ${user}`
    return { status: 'forbidden', found: `missing${whom}: ${words(refused)}` }
  }
  if (judged.every(({ verdict }) => verdict === 'allowed')) return { status: 'allowed', found: 'allowed on both kinds' }
  return { status: 'failed', found: 'the server answers no access reviews, and writing is not tried' }
}

/** `list, watch flowschemas; list prioritylevelconfigurations` */
function words(judged: readonly Judged[]): string {
  const byResource = Map.groupBy(judged, ({ resource }) => resource)
  return [...byResource]
    .map(([resource, items]) => `${items.map(({ verb }) => verb).join(', ')} ${resource}`)
    .join('; ')
}
