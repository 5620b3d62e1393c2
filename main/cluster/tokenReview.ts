import { z } from 'zod'
import type { Problem } from '../../core/errors.ts'
import { FLOW_CONTROL_GROUP, FLOW_CONTROL_RESOURCES, review, unclear, type ReviewContext } from './accessReview.ts'

/** The user of a token, as the API server reports it; `spec` of an access review has the same fields. */
const UserSchema = z.object({
  username: z.string().min(1),
  uid: z.string().optional(),
  groups: z.array(z.string()).optional(),
  extra: z.record(z.string(), z.array(z.string())).optional(),
})
export type ReviewedUser = z.output<typeof UserSchema>

const TokenReviewSchema = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    user: z.unknown().optional(),
    audiences: z.array(z.string()).optional(),
  }),
})
const AccessSchema = z.object({
  status: z.object({ allowed: z.boolean(), denied: z.boolean().optional() }),
})

type Asked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem }

/**
 * Requests the user of a token from the API server (TokenReview, authentication.k8s.io/v1); `undefined` for a token
 * that is unknown, has expired, or is for none of the audiences. The response repeats the token, so nothing of it is
 * passed on.
 */
export async function reviewToken(
  { base, settings }: ReviewContext,
  token: string,
  audiences: readonly string[],
): Promise<Asked<ReviewedUser | undefined>> {
  const context = { base, settings: { ...settings, secrets: [...settings.secrets, token] } }
  const spec = { token, ...(audiences.length > 0 && { audiences }) }
  const answer = await review(context, 'authentication', 'TokenReview', spec, TokenReviewSchema)
  if (!answer.ok) return { ok: false, problem: answer.problem }
  const { authenticated, user, audiences: accepted = [] } = answer.value.status
  if (authenticated !== true) return { ok: true, value: undefined }
  // An authenticator without support for audiences omits them: then nothing shows that the token is for us.
  if (audiences.length > 0 && !accepted.some((one) => audiences.includes(one))) return { ok: true, value: undefined }
  const known = UserSchema.safeParse(user)
  return known.success ? { ok: true, value: known.data } : unclear(base, 'TokenReview')
}

/** What the console shows: a user must be allowed to read all of it. */
const SHOWN = [
  ...['/metrics', '/debug/api_priority_and_fairness/dump_requests'].map((path) => ({
    name: `get ${path}`,
    spec: { nonResourceAttributes: { path, verb: 'get' } },
  })),
  ...FLOW_CONTROL_RESOURCES.flatMap((resource) =>
    ['list', 'watch'].map((verb) => ({
      name: `${verb} ${resource}`,
      spec: { resourceAttributes: { group: FLOW_CONTROL_GROUP, resource, verb } },
    })),
  ),
]

/** The rights to read what the console shows that a user lacks (SubjectAccessReview); empty for an admissible user. */
export async function missingRights(
  context: ReviewContext,
  { username, ...rest }: ReviewedUser,
): Promise<Asked<readonly string[]>> {
  const answers = await Promise.all(
    SHOWN.map(async ({ name, spec }) => {
      const whole = { user: username, ...rest, ...spec }
      return { name, answer: await review(context, 'authorization', 'SubjectAccessReview', whole, AccessSchema) }
    }),
  )
  const missing: string[] = []
  for (const { name, answer } of answers) {
    if (!answer.ok) return { ok: false, problem: answer.problem }
    const { allowed, denied = false } = answer.value.status
    if (!allowed || denied) missing.push(name)
  }
  return { ok: true, value: missing }
}
