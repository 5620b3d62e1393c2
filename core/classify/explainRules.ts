import type { FlowSchema, NonResourceRule, PolicyRules, ResourceRule } from '../config/objects.ts'
import {
  matchesGroup,
  matchesResource,
  matchesScope,
  matchesSubject,
  matchesUrls,
  matchesVerb,
  resourceOf,
  type RequestDigest,
} from '../request/match.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import type { Outcome, Outcomes, RuleTrace } from './classification.ts'
import { CRITERIA, type Mismatch } from './mismatch.ts'

const NOTHING_ASKED: Outcomes = {
  who: 'none',
  verb: 'none',
  group: 'none',
  resource: 'none',
  scope: 'none',
  url: 'none',
}
const outcome = (passes: boolean): Outcome => (passes ? 'pass' : 'fail')

/** How one resource or non-resource rule answers; `who` is not its business. */
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

/** The one that got furthest; of equals the one that passes more, then the earlier one. */
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

/** How every rule of a schema answers. */
export const traceRules = ({ spec }: FlowSchema, digest: RequestDigest): readonly RuleTrace[] =>
  (spec.rules ?? []).map((rules, index) => traceRule(rules, index, digest))

/** The rule that explains the schema: the first that matches, else the one that got furthest. */
export const tellingRule = (traces: readonly RuleTrace[]): RuleTrace | undefined =>
  traces.find(({ matched }) => matched) ?? furthest(traces)
