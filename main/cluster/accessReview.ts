import { z } from 'zod'
import type { Failed, RequestSettings } from './http.ts'
import { getJson } from './json.ts'

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
export function userInRefusal(words: string | undefined): string | undefined {
  return /\bUser "([^"]+)" cannot /.exec(words ?? '')?.[1]
}

export type Verdict = 'allowed' | 'forbidden' | 'unknown'

const AccessReviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) })

/** Asks whether the console may do `verb` on a flow-control resource. A review is answered and not stored. */
export async function reviewAccess(
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
