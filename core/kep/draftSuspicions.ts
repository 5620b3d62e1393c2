import { type Finding, quoted, suspicious } from '../config/finding.ts'
import {
  type Atom,
  type DraftFlowSchema,
  type DraftSet,
  type RequestPriority,
  RESOURCE_FIELDS,
} from './draftObjects.ts'

/** A warning about one object of a set. */
interface Suspicion {
  readonly of: RequestPriority | DraftFlowSchema
  readonly finding: Finding
}

/** What is allowed but probably unintended. Most of it occurs in the draft’s own example. */
export function suspicionsOf({ levels, schemas }: DraftSet): readonly Suspicion[] {
  const byName = new Map(levels.map((level) => [level.name, level]))
  return [
    ...levels.flatMap((level) => ofLevel(level, levels, schemas)),
    ...schemas.flatMap((schema) => ofSchema(schema, byName)),
    ...(levels.length === 0 ? [] : ofAll(schemas)),
  ]
}

/** The draft demands that some schema matches every request: one with an empty conjunction. Schemas alone are part of a set. */
function ofAll(schemas: readonly DraftFlowSchema[]): readonly Suspicion[] {
  const last = schemas.toSorted((a, b) => a.matchingPriority - b.matchingPriority).at(-1)
  if (last === undefined || schemas.some(({ match }) => match.some((atoms) => atoms.length === 0))) return []
  const message =
    'No FlowSchema matches every request: what none matches goes to the backstop. Add one with an empty and.'
  return [{ of: last, finding: suspicious('spec.match', message) }]
}

function ofLevel(
  level: RequestPriority,
  levels: readonly RequestPriority[],
  schemas: readonly DraftFlowSchema[],
): readonly Suspicion[] {
  const found: Suspicion[] = []
  if (level.exempt && levels.find(({ exempt }) => exempt) !== level) {
    found.push({
      of: level,
      finding: suspicious('spec.exempt', 'There is an exempt level already; at most one may be exempt.'),
    })
  }
  if (schemas.length > 0 && !schemas.some((schema) => schema.level === level.name)) {
    const left = level.catchAll ? 'only requests that no FlowSchema matches reach it' : 'no request reaches it'
    found.push({
      of: level,
      finding: suspicious('metadata.name', `No FlowSchema names the level ${quoted(level.name)}: ${left}.`),
    })
  }
  return found
}

function ofSchema(schema: DraftFlowSchema, levels: ReadonlyMap<string, RequestPriority>): readonly Suspicion[] {
  const found: Finding[] = []
  const { flowDistinguisher: flow, match } = schema
  const level = levels.get(schema.level)
  if (level === undefined) {
    const message = `There is no RequestPriority ${quoted(schema.level)}: the FlowSchema matches nothing.`
    found.push(suspicious('spec.requestPriority.name', message, 'FieldValueNotFound'))
  } else if (flow !== undefined && (level.exempt || level.queues === 1)) {
    const why = level.exempt ? 'is exempt' : 'has one queue'
    found.push(
      suspicious('spec.flowDistinguisher', `The level ${quoted(level.name)} ${why}: the flowDistinguisher is ignored.`),
    )
  }
  if (flow?.source === 'namespace' && !match.every(wantsResource)) {
    const message = 'The schema also matches non-resource requests: they have no namespace and share the empty flow.'
    found.push(suspicious('spec.flowDistinguisher.source', message))
  }
  for (const [index, atoms] of match.entries()) {
    const place = atoms.findIndex(({ field }) => field === 'user')
    const name = atoms.flatMap(userOf).find((user) => user.startsWith('system:controller:'))
    if (name === undefined) continue
    const message = `Controllers authenticate as service accounts of kube-system or as system:kube-controller-manager, not as ${quoted(name)}.`
    found.push(suspicious(`spec.match[${index}].and[${place}]`, message))
  }
  return found.map((finding) => ({ of: schema, finding }))
}

/** Names of users that a test matches; for a pattern, the pattern. */
function userOf(atom: Atom): readonly string[] {
  if (atom.field !== 'user' || atom.negated) return []
  if (atom.test === 'equals') return [atom.value]
  return atom.test === 'patternMatch' ? [atom.pattern.source] : atom.set
}

/** Whether only requests for a resource can pass. */
const wantsResource = (atoms: readonly Atom[]): boolean =>
  atoms.some(
    (atom) =>
      (RESOURCE_FIELDS.has(atom.field) && !atom.negated) ||
      (atom.field === 'isResource' && atom.test === 'equals' && (atom.value === 'true') !== atom.negated),
  )
