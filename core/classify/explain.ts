import type { FlowSchema, ObjectSet, NonResourceRule, PolicyRules, ResourceRule } from '../config/objects.ts'
import type { RequestSample } from '../contract/objects.ts'
import { isLongRunning, type RequestInfo } from '../request/requestInfo.ts'
import {
  type RequestDigest,
  matchesFlowSchema,
  matchesGroup,
  matchesResource,
  matchesScope,
  matchesSubject,
  matchesUrls,
  matchesVerb,
  resourceOf,
  flowOf,
  hashToBigInt,
} from '../request/match.ts'
import { Dealer } from '../engine/dealer.ts'
import type { LevelPlan } from '../engine/levelPlan.ts'
import {
  type DanglingTrace,
  type Explained,
  type RuleTrace,
  type SchemaTrace,
  type ServerContext,
  type FlowExplanation,
  digestRequest,
  type Outcome,
  type Outcomes,
} from './classification.ts'
import { type ClassifyingConfiguration, classifyingConfiguration, levelOf } from './configuration.ts'
import { explainSeats } from './explainSeats.ts'
import { matchText, mismatchText, CRITERIA, type Mismatch } from './mismatch.ts'

/** `resource`: data about the resource that the request names; it is added to the context of the explainer. */
export type Explainer = (request: RequestSample, resource?: ServerContext) => Explained

/** Explains requests on a configuration as a server stores it, with its defaults (specification 2, 3.2, 5, 7.3). */
export function explainer(objects: ObjectSet, context: ServerContext = {}): Explainer {
  const configuration = classifyingConfiguration(objects, context.serverLimit)
  const given = new Set(objects.schemas)
  return (request, resource) => {
    const read = digestRequest(request)
    if (!read.ok) return read
    const { digest, query } = read
    const schema = configuration.schemaOf(digest)
    const level = levelOf(configuration, schema)
    const trace = traceSchemas(configuration, digest, schema, given)
    const bypasses = digest.info.verb !== 'watch' && isLongRunning(digest.info)
    const fallback = trace.every(({ matched }) => !matched)
    return {
      ok: true,
      classification: {
        info: digest.info,
        flowSchema: schema.metadata.name,
        priorityLevel: level.plan.name,
        uids: { flowSchema: given.has(schema) ? (schema.metadata.uid ?? '') : '', priorityLevel: level.plan.uid },
        fallback,
        bypasses,
        trace,
        dangling: configuration.dangling.map((each) => traceDangling(configuration, digest, each)),
        flow: explainFlow(schema, digest, level.plan),
        nominalLimit: level.limits.nominal,
        seats: explainSeats(digest.info, query, level.maxSeats, { ...context, ...resource }),
        notes: requestNotes(digest, request.method, { bypasses, fallback }),
      },
    }
  }
}

function traceSchemas(
  { order }: ClassifyingConfiguration,
  digest: RequestDigest,
  deciding: FlowSchema,
  given: ReadonlySet<FlowSchema>,
): readonly SchemaTrace[] {
  let reached = true
  return order.map((schema) => {
    const rules = traceRules(schema, digest)
    const rule = tellingRule(rules)
    const matched = rule?.matched === true
    const decides = schema === deciding
    const why = ruleReason(schema, rule)
    const traced: SchemaTrace = {
      flowSchema: schema.metadata.name,
      priorityLevel: schema.spec.priorityLevelConfiguration.name,
      matchingPrecedence: schema.spec.matchingPrecedence,
      imagined: !given.has(schema),
      matched,
      reached,
      decides,
      ...(rule === undefined ? {} : { rule }),
      rules,
      reason: reached
        ? decides && !matched
          ? `nothing matches; ${why}, and is used anyway`
          : why
        : notReached(matched, why),
    }
    if (matched) reached = false
    return traced
  })
}

const notReached = (matched: boolean, why: string): string => `not reached; ${matched ? 'would match' : why}`

/** Why the schema matches or does not. */
function ruleReason({ spec }: FlowSchema, rule: RuleTrace | undefined): string {
  if (rule === undefined) return 'has no rules'
  if (rule.mismatch !== undefined) return mismatchText(rule.mismatch)
  const rules = spec.rules?.[rule.index]
  const { subject, part } = rule
  return rules === undefined || subject === undefined || part === undefined ? '' : matchText(rules, subject, part)
}

function traceDangling(
  { refused }: ClassifyingConfiguration,
  digest: RequestDigest,
  schema: FlowSchema,
): DanglingTrace {
  const { name } = schema.spec.priorityLevelConfiguration
  const why = refused.get(name)
  return {
    flowSchema: schema.metadata.name,
    priorityLevel: name,
    matchingPrecedence: schema.spec.matchingPrecedence,
    matched: matchesFlowSchema(schema, digest),
    cause: why === undefined ? 'missing' : 'refused',
    reason:
      why === undefined
        ? `inactive: there is no level ${name}`
        : `inactive: the server rejects the level ${name}, because ${why}`,
  }
}

/** Every user is in one of these groups. */
const EVERYBODY = ['system:authenticated', 'system:unauthenticated']
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Caveats of the classification of a request, in sentences. */
function requestNotes(
  { user, info }: RequestDigest,
  method: string,
  { bypasses, fallback }: { readonly bypasses: boolean; readonly fallback: boolean },
): readonly string[] {
  const notes: string[] = []
  if (!info.isResource && /^\/apis?(?:\/|$)/.test(info.path)) {
    notes.push(`${info.path} is not a resource path; non-resource rules apply.`)
  }
  if (info.isResource && !METHODS.has(method)) {
    notes.push(`The server derives no verb from method ${JSON.stringify(method)}; only verb * matches it.`)
  }
  if (info.resource === 'namespaces' && info.namespace !== '') {
    notes.push(
      `A request for namespace ${info.namespace} itself counts as one in that namespace; clusterScope does not cover it.`,
    )
  }
  if (!user.groups.some((group) => EVERYBODY.includes(group))) {
    notes.push(
      'The user is in neither system:authenticated nor system:unauthenticated; a server puts every user into one of them.',
    )
  }
  if (bypasses) {
    notes.push(
      'The request is long-running but not a watch, so the server serves it without flow control, whatever it matches.',
    )
  }
  if (fallback) notes.push('No flow schema matches; the server uses catch-all anyway.')
  return notes
}

/** The flow of a request that falls into this schema and level, and its hand (specification 2.6, 2.7, 3.2). */
function explainFlow(schema: FlowSchema, digest: RequestDigest, { queuing }: LevelPlan): FlowExplanation {
  const { queues, handSize } = queuing
  const { distinguisher, hash } = flowOf(schema, digest, queues)
  const method = methodOf(schema)
  return {
    method,
    distinguisher,
    hash: String(hashToBigInt(hash)),
    queues,
    handSize,
    hand: queues > 0 ? handOf(hash, queues, handSize) : [],
    reason: reasonFor(method, queues, distinguisher),
  }
}

function handOf(hash: { readonly hi: number; readonly lo: number }, queues: number, handSize: number): number[] {
  const dealer = new Dealer()
  dealer.configure(queues, handSize)
  return [...dealer.handOf(hash)]
}

function methodOf({ spec }: FlowSchema): FlowExplanation['method'] {
  const type = spec.distinguisherMethod?.type
  return type === 'ByUser' || type === 'ByNamespace' ? type : 'none'
}

function reasonFor(method: FlowExplanation['method'], queues: number, distinguisher: string): string {
  if (queues < 0) return 'The level is exempt: nothing is queued, and flows are not separated.'
  if (queues === 0) return 'The level rejects instead of queuing: flows are not separated.'
  if (queues === 1) return 'The level has one queue: flows are not separated.'
  switch (method) {
    case 'ByUser':
      return 'Each user is a flow of its own.'
    case 'ByNamespace':
      return distinguisher === ''
        ? 'Each namespace is a flow of its own; all requests without one share a flow.'
        : 'Each namespace is a flow of its own.'
    case 'none':
      return 'The flow schema has no distinguisher: all its requests are one flow.'
  }
}

const NOTHING_ASKED: Outcomes = {
  who: 'none',
  verb: 'none',
  group: 'none',
  resource: 'none',
  scope: 'none',
  url: 'none',
}
const outcome = (passes: boolean): Outcome => (passes ? 'pass' : 'fail')

/** The result of one resource or non-resource rule, regardless of the subjects. */
interface PartTrace {
  readonly index: number
  readonly outcomes: Outcomes
  readonly mismatch: Mismatch | undefined
}

function traceResourceRule(rule: ResourceRule, index: number, info: RequestInfo): PartTrace {
  const outcomes: Outcomes = {
    ...NOTHING_ASKED,
    verb: outcome(matchesVerb(rule, info)),
    group: outcome(matchesGroup(rule, info)),
    resource: outcome(matchesResource(rule, info)),
    scope: outcome(matchesScope(rule, info)),
  }
  return { index, outcomes, mismatch: resourceMismatch(rule, info, outcomes) }
}

function resourceMismatch(rule: ResourceRule, info: RequestInfo, outcomes: Outcomes): Mismatch | undefined {
  const cause = 'not-listed'
  if (outcomes.verb === 'fail') return { criterion: 'verb', cause, wanted: rule.verbs ?? [], found: info.verb }
  if (outcomes.group === 'fail')
    return { criterion: 'group', cause, wanted: rule.apiGroups ?? [], found: info.apiGroup }
  if (outcomes.resource === 'fail') {
    return { criterion: 'resource', cause, wanted: rule.resources ?? [], found: resourceOf(info) }
  }
  if (outcomes.scope === 'pass') return undefined
  const { namespaces = [], clusterScope = false } = rule
  return { criterion: 'scope', cause, found: info.namespace, namespaces, clusterScope }
}

function traceNonResourceRule(rule: NonResourceRule, index: number, info: RequestInfo): PartTrace {
  const outcomes: Outcomes = {
    ...NOTHING_ASKED,
    verb: outcome(matchesVerb(rule, info)),
    url: outcome(matchesUrls(rule, info)),
  }
  const cause = 'not-listed'
  const mismatch: Mismatch | undefined =
    outcomes.verb === 'fail'
      ? { criterion: 'verb', cause, wanted: rule.verbs ?? [], found: info.verb }
      : outcomes.url === 'fail'
        ? { criterion: 'url', cause, wanted: rule.nonResourceURLs ?? [], found: info.path }
        : undefined
  return { index, outcomes, mismatch }
}

type Progress = Pick<RuleTrace, 'outcomes'> & { readonly mismatch?: Mismatch | undefined }

/** The position of the first criterion that fails. */
const stop = ({ mismatch }: Progress): number =>
  mismatch === undefined ? CRITERIA.length : CRITERIA.indexOf(mismatch.criterion)
const passes = ({ outcomes }: Progress): number => CRITERIA.filter((criterion) => outcomes[criterion] === 'pass').length

const isFurther = (a: Progress, b: Progress): boolean =>
  stop(a) > stop(b) || (stop(a) === stop(b) && passes(a) > passes(b))

/** The rule that got furthest; among equals the one that passes more criteria, then the earlier one. */
const furthest = <P extends Progress>(traces: readonly P[]): P | undefined =>
  traces.reduce<P | undefined>(
    (best, trace) => (best === undefined || isFurther(trace, best) ? trace : best),
    undefined,
  )

function traceRule(rules: PolicyRules, index: number, { user, info }: RequestDigest): RuleTrace {
  const subjects = rules.subjects ?? []
  const subject = subjects.findIndex((candidate) => matchesSubject(candidate, user))
  const resourceRules = rules.resourceRules ?? []
  const nonResourceRules = rules.nonResourceRules ?? []
  const best = furthest(
    info.isResource
      ? resourceRules.map((rule, at) => traceResourceRule(rule, at, info))
      : nonResourceRules.map((rule, at) => traceNonResourceRule(rule, at, info)),
  )
  const nothing: Mismatch = {
    criterion: info.isResource ? 'resource' : 'url',
    cause: resourceRules.length + nonResourceRules.length === 0 ? 'no-rules' : 'other-rules-only',
  }
  const mismatch: Mismatch | undefined =
    subject === -1 ? { criterion: 'who', cause: 'not-listed', subjects } : best === undefined ? nothing : best.mismatch
  return {
    index,
    matched: mismatch === undefined,
    outcomes: {
      ...(best?.outcomes ?? { ...NOTHING_ASKED, [nothing.criterion]: 'fail' }),
      who: outcome(subject !== -1),
    },
    ...(subject === -1 ? {} : { subject }),
    ...(best === undefined
      ? {}
      : { part: { kind: info.isResource ? 'resourceRules' : 'nonResourceRules', index: best.index } }),
    ...(mismatch === undefined ? {} : { mismatch }),
  }
}

/** The results of all rules of a schema. */
const traceRules = ({ spec }: FlowSchema, digest: RequestDigest): readonly RuleTrace[] =>
  (spec.rules ?? []).map((rules, index) => traceRule(rules, index, digest))

/** The rule that explains the schema: the first that matches, else the one that got furthest. */
const tellingRule = (traces: readonly RuleTrace[]): RuleTrace | undefined =>
  traces.find(({ matched }) => matched) ?? furthest(traces)
