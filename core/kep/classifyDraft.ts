import type { RequestDigest } from '../request/match.ts'
import { byCodeUnits } from '../text/text.ts'
import type { Seats } from '../units.ts'
import {
  type Atom,
  type DraftField,
  type DraftFlowSchema,
  type DraftSet,
  IMPLICIT_EXEMPT,
  IMPLICIT_LIMITED,
  type RequestPriority,
  RESOURCE_FIELDS,
} from './draftObjects.ts'

/** Where a request goes under a configuration of the draft. */
export interface DraftClassification {
  readonly schema: string
  readonly level: RequestPriority
  /** Empty where the level does not separate flows. */
  readonly distinguisher: string
  /** Whether no object matched and an implicit one took the request. */
  readonly backstop: boolean
}

/** The implicit schemas, as the draft names them. */
const BACKSTOP = 'non-top-backstop'
const MASTERS = 'system:masters'

/** Levels that exist, including those that the draft adds implicitly. */
export function effectiveLevels({ levels }: DraftSet): readonly RequestPriority[] {
  return [
    ...levels,
    ...(levels.some(({ exempt }) => exempt) ? [] : [IMPLICIT_EXEMPT]),
    ...(levels.some(({ exempt }) => !exempt) ? [] : [IMPLICIT_LIMITED]),
  ]
}

/** Schemas in the order in which they are tried. Schemas without a level are never tried. */
export function draftOrder({ levels, schemas }: DraftSet): readonly DraftFlowSchema[] {
  const names = new Set(levels.map(({ name }) => name))
  return schemas
    .filter(({ level }) => names.has(level))
    .toSorted((a, b) => a.matchingPriority - b.matchingPriority || byCodeUnits(a.name, b.name))
}

/** Seats of each level that is not exempt, by name: its part of the server limit, rounded up. */
export function assuredLimits(set: DraftSet, serverLimit: Seats): ReadonlyMap<string, Seats> {
  const limited = effectiveLevels(set).filter(({ exempt }) => !exempt)
  const sum = limited.reduce((shares, { assuredConcurrencyShares }) => shares + assuredConcurrencyShares, 0)
  return new Map(
    limited.map(({ name, assuredConcurrencyShares: shares }) => [
      name,
      sum === 0 ? 0 : Math.ceil((serverLimit * shares) / sum),
    ]),
  )
}

export function classifyByDraft(set: DraftSet, digest: RequestDigest): DraftClassification {
  const schema = draftOrder(set).find(({ match }) => matchesAny(match, digest))
  const levels = effectiveLevels(set)
  if (schema !== undefined) {
    const level = levels.find(({ name }) => name === schema.level) ?? IMPLICIT_LIMITED
    return { schema: schema.name, level, distinguisher: flowOf(schema, level, digest), backstop: false }
  }
  if (digest.user.groups.includes(MASTERS)) {
    const level = levels.find(({ exempt }) => exempt) ?? IMPLICIT_EXEMPT
    return { schema: IMPLICIT_EXEMPT.name, level, distinguisher: '', backstop: true }
  }
  const [level = IMPLICIT_LIMITED] = levels
    .filter(({ catchAll, exempt }) => catchAll && !exempt)
    .toSorted((a, b) => byCodeUnits(a.name, b.name))
  const distinguisher = level.queues > 1 ? digest.user.name : ''
  return { schema: BACKSTOP, level, distinguisher, backstop: true }
}

function flowOf({ flowDistinguisher: flow }: DraftFlowSchema, level: RequestPriority, digest: RequestDigest): string {
  if (flow === undefined || level.exempt || level.queues === 1) return ''
  const attribute = textOf(flow.source, digest) ?? ''
  return flow.transform === undefined ? attribute : (flow.transform.match(attribute) ?? '')
}

export const matchesAny = (match: DraftFlowSchema['match'], digest: RequestDigest): boolean =>
  match.some((atoms) => atoms.every((atom) => holds(atom, digest)))

/** A negated test holds exactly where the test does not, also for attributes that the request lacks. */
const holds = (atom: Atom, digest: RequestDigest): boolean => passes(atom, digest) !== atom.negated

function passes(atom: Atom, digest: RequestDigest): boolean {
  const text = textOf(atom.field, digest)
  if (atom.test === 'superSet') {
    const has = atom.field === 'groups' ? digest.user.groups : text === undefined ? undefined : [text]
    return has !== undefined && atom.set.every((one) => has.includes(one))
  }
  if (text === undefined) return false
  if (atom.test === 'equals') return text === atom.value
  return atom.test === 'inSet' ? atom.set.includes(text) : atom.pattern.match(text) !== undefined
}

/** An attribute of a request; `undefined` where the request has none, and for the set of groups. */
function textOf(field: DraftField, { user, info }: RequestDigest): string | undefined {
  if (RESOURCE_FIELDS.has(field) && !info.isResource) return undefined
  switch (field) {
    case 'user':
      return user.name
    case 'groups':
      return undefined
    case 'isResource':
      return String(info.isResource)
    case 'path':
      return info.isResource ? undefined : info.path
    default:
      return info[field]
  }
}
