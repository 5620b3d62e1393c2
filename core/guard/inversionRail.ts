import type { FlowSchema } from '../config/objects.ts'
import { type GuardFinding, type GuardRemedy, levelRef, schemaRef } from './finding.ts'
import { type Loop, type LoopKind, loopsIn, serverAccountsOf } from './inversions.ts'
import { listed } from './listed.ts'
import type { Rail, Side } from './rail.ts'

/** Loops that the edit makes, or moves to another level. */
export const inversionRail: Rail = ({ before, after }) => {
  const accounts = serverAccountsOf(after.objects)
  const known = new Set(loopsIn(before, accounts).map(keyOf))
  const made = loopsIn(after, accounts).filter((loop) => !known.has(keyOf(loop)))
  return byLevel(made).map((loops) => loopFinding(loops, after, 'warns'))
}

const keyOf = ({ level, caller, answerer }: Loop): string => `${level} ${caller} ${answerer}`

export type Loops = readonly [Loop, ...Loop[]]

/** Those of one level and kind together. */
export function byLevel(loops: readonly Loop[]): readonly Loops[] {
  const groups = new Map<string, [Loop, ...Loop[]]>()
  for (const loop of loops) {
    const key = `${loop.kind} ${loop.level}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [loop])
    else group.push(loop)
  }
  return [...groups.values()]
}

export function loopFinding(loops: Loops, side: Side, severity: 'warns' | 'expected'): GuardFinding {
  const [{ kind, level, caller, answerer }] = loops
  const schemas = [...new Set(loops.flatMap(({ callerSchema, answererSchema }) => [callerSchema, answererSchema]))]
  return {
    code: `inversion/${kind}`,
    severity,
    objects: [levelRef(level), ...schemas.map(schemaRef)],
    message: `Requests of ${level} can wait for requests of the same level: ${caller} holds a seat while ${answerer} may have to wait for one.`,
    remedy: remedyFor(kind, level, side),
    evidence: evidenceOf(loops),
  }
}

/** For each caller what it may wait for. */
function evidenceOf(loops: Loops): readonly string[] {
  const callers = new Map<string, string[]>()
  for (const { caller, callerSchema, answerer, answererSchema } of loops) {
    const key = `${caller} (${callerSchema})`
    callers.set(key, [...(callers.get(key) ?? []), `${answerer} (${answererSchema})`])
  }
  return [...callers].map(([caller, answerers]) => `${caller} needs ${listed(answerers)}`)
}

const OWN_SCHEMA = 'access-reviews'
/** Before all schemas for whole groups of users, behind those for nodes and leader elections. */
const OWN_PRECEDENCE = 700
const OWN_LEVEL = 'system'

function remedyFor(kind: LoopKind, level: string, { configuration, objects }: Side): GuardRemedy {
  if (kind === 'webhook') {
    return {
      sentence: `Give the service accounts of admission webhooks a schema of their own that leads to another level than ${level}.`,
    }
  }
  const sentence = `Give access and token reviews by service accounts a schema of their own that leads to another level than ${level}.`
  const taken = objects.schemas.some(({ metadata }) => metadata.name === OWN_SCHEMA)
  return taken || level === OWN_LEVEL || !configuration.levels.has(OWN_LEVEL)
    ? { sentence }
    : { sentence, fix: { action: 'add', kind: 'FlowSchema', object: reviewsSchema() } }
}

/** What KEP-1040 proposes for them. */
const reviewsSchema = (): FlowSchema => ({
  metadata: { name: OWN_SCHEMA },
  spec: {
    priorityLevelConfiguration: { name: OWN_LEVEL },
    matchingPrecedence: OWN_PRECEDENCE,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'system:serviceaccounts' } }],
        resourceRules: [
          {
            verbs: ['create'],
            apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
            resources: ['subjectaccessreviews', 'localsubjectaccessreviews', 'tokenreviews'],
            clusterScope: true,
            namespaces: ['*'],
          },
        ],
      },
    ],
  },
})
