import type { Capability, CapabilityResult } from '../../core/contract/source.ts'
import {
  FLOW_CONTROL_GROUP,
  FLOW_CONTROL_RESOURCES,
  reviewAccess,
  type FlowControlResource,
  type ReviewContext,
  type Verdict,
} from './accessReview.ts'
import { send } from './http.ts'
import { METRICS_LIMITS } from './httpProblems.ts'

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
