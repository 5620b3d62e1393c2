import { builtInObject } from '../config/builtIn.ts'
import type { FlowSchema, ObjectSet, PolicyRules, Subject } from '../config/objects.ts'
import type { Suggestion } from '../contract/advice.ts'
import { NEWEST_VERSION } from '../engine/profiles.ts'
import { matchesGroup, matchesResource, matchesSubject, matchesVerb } from '../request/match.ts'
import { requestInfo, type RequestInfo } from '../request/requestInfo.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { plain } from '../text/format.ts'
import type { WithoutNamespace } from './missedTally.ts'
import { between } from './tally.ts'
import type { ServerUsage } from './usage.ts'

/** Fewer requests may be an exception. */
const LEAST_REQUESTS = 10
/** A schema for everybody leaves requests out on purpose. */
const EVERYBODY = new Set(['*', 'system:authenticated', 'system:unauthenticated', 'system:serviceaccounts'])

/** What a rule lacks to match a request of its subjects. */
type Lacks = 'clusterScope' | 'nonResourceRules'

const REMEDIES: Readonly<Record<Lacks, Pick<Suggestion, 'text' | 'snippet'> & { readonly what: string }>> = {
  clusterScope: {
    what: 'requests without a namespace',
    text: 'A rule with namespaces but without clusterScope matches neither lists of all namespaces nor objects of the cluster.',
    snippet: 'clusterScope: true\n',
  },
  nonResourceRules: {
    what: 'requests for paths',
    text: 'Resource rules match no request for a path, such as /healthz or the discovery of the API.',
    snippet: "nonResourceRules:\n  - verbs: ['*']\n    nonResourceURLs: ['*']\n",
  },
}

/** Schemas whose own subjects send requests without a namespace that only a later schema matches. */
export function missedAdvice(
  sent: readonly WithoutNamespace[],
  [server]: readonly ServerUsage[],
  objects: ObjectSet | undefined,
): readonly Suggestion[] {
  if (server === undefined || objects === undefined) return []
  const version = server.version ?? NEWEST_VERSION
  const read = sent.flatMap((one) => {
    const info = infoOf(one.example)
    return info === undefined ? [] : [{ ...one, info }]
  })
  const precedence = new Map(objects.schemas.map(({ metadata, spec }) => [metadata.name, spec.matchingPrecedence]))
  return objects.schemas
    .filter(({ metadata: { name } }) => builtInObject('FlowSchema', name, version) === undefined)
    .flatMap((schema) => {
      const later = read
        .filter(({ example }) => (precedence.get(example.schema) ?? Infinity) > schema.spec.matchingPrecedence)
        .map((one) => ({ ...one, lacks: whatLacks(schema, one) }))
      return (['clusterScope', 'nonResourceRules'] as const).flatMap((lacks): readonly Suggestion[] => {
        const missed = later.filter((one) => one.lacks === lacks)
        const [first] = missed.toSorted((a, b) => b.requests - a.requests)
        const requests = missed.reduce((sum, one) => sum + one.requests, 0)
        if (first === undefined || requests < LEAST_REQUESTS) return []
        const { example } = first
        const all = {
          requests,
          from: Math.min(...missed.map(({ from }) => from)),
          to: Math.max(...missed.map(({ to }) => to)),
        }
        const { what, ...remedy } = REMEDIES[lacks]
        return [
          {
            kind: 'schema',
            verdict: 'precaution',
            title: `Let ${schema.metadata.name} match ${what}`,
            ...remedy,
            server: server.id,
            from: all.from,
            to: all.to,
            evidence: [
              `Its subjects sent ${plain.counted(requests, 'such request')}, ${between(all)}; most were like ${example.verb.toUpperCase()} ${example.url.split('?', 1)[0] ?? ''} of ${example.user}, which went to ${example.schema}.`,
            ],
            unknown: ['Whether these requests are meant to go there.'],
            changes: [],
            impact: [],
          },
        ]
      })
    })
}

function infoOf({ verb, url }: WithoutNamespace['example']): RequestInfo | undefined {
  const target = parseRequestTarget(url)
  return target && { ...requestInfo('GET', target).info, verb: verb.toLowerCase() }
}

function whatLacks(
  { spec }: FlowSchema,
  { example: { user, groups }, info }: WithoutNamespace & { readonly info: RequestInfo },
): Lacks | undefined {
  const own = (spec.rules ?? []).filter(({ subjects }) =>
    subjects.some((subject) => isParticular(subject) && matchesSubject(subject, { name: user, groups })),
  )
  if (own.length === 0) return undefined
  if (!info.isResource)
    return own.every(({ nonResourceRules = [] }) => nonResourceRules.length === 0) ? 'nonResourceRules' : undefined
  return own.some((rules) => lacksScope(rules, info)) ? 'clusterScope' : undefined
}

const isParticular = ({ user, group }: Subject): boolean => !EVERYBODY.has(user?.name ?? group?.name ?? '')

const lacksScope = ({ resourceRules = [] }: PolicyRules, info: RequestInfo): boolean =>
  resourceRules.some(
    (rule) =>
      rule.clusterScope !== true && matchesVerb(rule, info) && matchesResource(rule, info) && matchesGroup(rule, info),
  )
