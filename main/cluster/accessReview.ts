import { z } from 'zod'
import type { Capability, CapabilityResult } from '../../core/contract/source.ts'
import { type Failed, type RequestSettings, getJson, send } from './http.ts'
import { METRICS_LIMITS } from './httpProblems.ts'

/** Who the server takes the console for. */
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

/** Asks the server who the console is (since Kubernetes 1.28); `undefined` when it does not say. Creates nothing. */
export async function reviewSelf(context: ReviewContext): Promise<Identity | undefined> {
  const answer = await askWhoAmI(context)
  return answer.ok ? answer.identity : undefined
}

/** The same with the reason when it does not say. */
export async function askWhoAmI({
  base,
  settings,
}: ReviewContext): Promise<{ readonly ok: true; readonly identity: Identity } | Failed> {
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
  const answer = await getJson({
    url: new URL(`${base}/apis/authentication.k8s.io/v1/selfsubjectreviews`),
    settings,
    body,
  })
  if (!answer.ok) return answer
  const parsed = SelfSubjectReviewSchema.safeParse(answer.value)
  if (!parsed.success) {
    return {
      ok: false,
      problem: { code: 'bad-answer', message: `${base} answered a SelfSubjectReview with something else.` },
    }
  }
  const { username, groups } = parsed.data.status.userInfo
  return { ok: true, identity: { user: username, groups: groups ?? [] } }
}

/** The user that a refusal names: `… User "alice" cannot get path …`. */
export function userInRefusal(message: string | undefined): string | undefined {
  return /\bUser "([^"]+)" cannot /.exec(message ?? '')?.[1]
}

type Verdict = 'allowed' | 'forbidden' | 'unknown'

const AccessReviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) })

/** Asks whether the console may do `verb` on a flow-control resource. A review is answered and not stored. */
async function reviewAccess(
  { base, settings }: ReviewContext,
  verb: string,
  resource: FlowControlResource,
): Promise<Verdict> {
  const body = JSON.stringify({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group: FLOW_CONTROL_GROUP, resource, verb } },
  })
  const url = new URL(`${base}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`)
  const answer = await getJson({ url, settings, body })
  const parsed = answer.ok ? AccessReviewSchema.safeParse(answer.value) : undefined
  if (parsed?.success !== true) return 'unknown'
  return parsed.data.status.allowed ? 'allowed' : 'forbidden'
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
 * What the console may do with flow-control objects. Where the server does not answer access reviews, listing and
 * watching are tried for real (one object, one second); writing is never tried.
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
    // A dry run needs what the change itself does.
    'dry-run': finding('create', 'update', 'patch'),
    write: finding('create', 'update', 'patch', 'delete'),
  }
}

const READS: Readonly<Partial<Record<Verb, string>>> = { list: 'limit=1', watch: 'watch=1&timeoutSeconds=1' }

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
