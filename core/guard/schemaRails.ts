import { plural } from '../text/format.ts'
import { CATCH_ALL, objectNamed } from '../config/objects.ts'
import { type GuardFinding, type GuardRemedy, schemaRef, levelRef } from './finding.ts'
import { type NamesDecide, type Shadowed, namesDecideIn, shadowedIn, winnersOver } from './shadowing.ts'
import type { Rail, Side } from './changes.ts'
import { listed } from '../text/text.ts'

/** Schemas that the edit makes unreachable, or whose order only their names decide. */
export const matchingRail: Rail = ({ before, after, changes }) => {
  const changed = new Set(changes.flatMap(({ kind, name }) => (kind === 'FlowSchema' ? [name] : [])))
  const [was, is] = [namesIn(before), namesIn(after)]
  const moved = new Set([...changed, ...is.filter((name) => !was.includes(name))])
  // The order has not changed.
  if (moved.size === 0 && was.length === is.length) return []

  const { schemas } = after.objects
  const precedenceOf = new Map(schemas.map(({ metadata, spec }) => [metadata.name, spec.matchingPrecedence]))
  const unreachable = shadowedIn(after, moved)
    .filter(({ schema }) => schema !== CATCH_ALL && (changed.has(schema) || !isShadowed(schema, before)))
    .map((one) => shadowedFinding(one, precedenceOf, changed))

  const pair = ({ first, second }: NamesDecide): string => `${first} ${second}`
  const tiesBefore = new Set(namesDecideIn(before.configuration.order, moved).map(pair))
  const levelOf = new Map(schemas.map(({ metadata, spec }) => [metadata.name, spec.priorityLevelConfiguration.name]))
  const ties = namesDecideIn(after.configuration.order, moved)
    .filter((tie) => !tiesBefore.has(pair(tie)))
    .map((tie) => tieFinding(tie, levelOf.get(tie.first) === levelOf.get(tie.second)))
  return [...unreachable, ...ties]
}

/** Schemas that are not skipped, in matching order. */
const namesIn = ({ configuration }: Side): readonly string[] => configuration.order.map(({ metadata }) => metadata.name)

function isShadowed(name: string, { configuration }: Side): boolean {
  const schema = objectNamed(configuration.order, name)
  return schema !== undefined && winnersOver(schema, configuration) !== undefined
}

/** `changed` are the schemas of the edit: they are the ones to move. */
export function shadowedFinding(
  { schema, by }: Shadowed,
  precedenceOf: ReadonlyMap<string, number>,
  changed: ReadonlySet<string> = new Set(),
): GuardFinding {
  if (by.length === 0) {
    return {
      code: 'matching/nothing',
      severity: 'warns',
      objects: [schemaRef(schema)],
      message: `${schema} matches no requests: none of its rules has both subjects and resource or non-resource rules.`,
      remedy: { sentence: `Add a rule with subjects and with resource or non-resource rules, or remove ${schema}.` },
      evidence: [],
    }
  }
  return {
    code: 'matching/shadowed',
    severity: 'warns',
    objects: [schemaRef(schema), ...by.map(schemaRef)],
    message: `${schema} never gets a request: ${listed(by)} ${plural(by.length, 'matches', 'together match')} all of its requests first.`,
    remedy: remedyFor({ schema, by }, precedenceOf, changed),
    evidence: by.map((name) => `${name} comes first, at ${precedenceOf.get(name) ?? 'unknown precedence'}`),
  }
}

function remedyFor(
  { schema, by }: Shadowed,
  precedenceOf: ReadonlyMap<string, number>,
  changed: ReadonlySet<string>,
): GuardRemedy {
  const [only] = by
  const behind = (precedenceOf.get(schema) ?? 0) + 1
  if (by.length === 1 && only !== undefined && changed.has(only) && !changed.has(schema) && behind < 10_000) {
    return moveTo(only, behind, `so that ${schema} comes first`)
  }
  const first = Math.min(...by.map((name) => precedenceOf.get(name) ?? 1))
  // 1 is reserved for exempt.
  return first > 2
    ? moveTo(schema, first - 1, 'so that it comes first')
    : { sentence: `Remove ${schema}, or narrow ${listed(by)}.` }
}

const moveTo = (schema: string, precedence: number, purpose: string): GuardRemedy => ({
  sentence: `Set the matching precedence of ${schema} to ${precedence}, ${purpose}.`,
  fix: { action: 'set', object: schemaRef(schema), path: ['spec', 'matchingPrecedence'], value: precedence },
})

function tieFinding({ precedence, first, second }: NamesDecide, sameLevel: boolean): GuardFinding {
  return {
    code: 'matching/same-precedence',
    severity: sameLevel ? 'expected' : 'warns',
    objects: [schemaRef(first), schemaRef(second)],
    message: `${first} and ${second} have the same matching precedence ${precedence} and match some of the same requests; ${first} gets them because its name sorts first.`,
    remedy: { sentence: 'Give them different matching precedences.' },
    evidence: sameLevel ? ['both reference the same level'] : [],
  }
}

/** Schemas whose level does not exist, so that the server ignores them (specification 7.3, 7.6). */
export const referencesRail: Rail = ({ before, after }) => {
  const dangledBefore = new Set(before.configuration.dangling.map(({ metadata }) => metadata.name))
  const levelsBefore = new Set(before.objects.levels.map(({ metadata }) => metadata.name))
  return [
    ...danglingIn(after).map(({ schema, level, refused }): GuardFinding => {
      const old = dangledBefore.has(schema)
      const deleted = levelsBefore.has(level) && refused === undefined
      return {
        code: `references/${deleted ? 'level-deleted' : 'dangling'}`,
        severity: old ? 'warns' : 'blocks',
        objects: [schemaRef(schema), levelRef(level)],
        message:
          refused !== undefined
            ? `${schema} references ${level}, which the server ignores because ${refused}.`
            : deleted
              ? `${schema} references ${level}, which the edit deletes; its requests go to the next schema that matches.`
              : `${schema} references ${level}, which does not exist; its requests go to the next schema that matches.`,
        remedy: {
          sentence: deleted
            ? `Keep ${level}, or point ${schema} to another level.`
            : `Create ${level}, or point ${schema} to another level.`,
        },
        evidence: old ? ['also before the edit'] : [],
      }
    }),
    ...unfed(before, after),
  ]
}

interface DanglingSchema {
  readonly schema: string
  readonly level: string
  /** Why the server rejects the level, if it exists. */
  readonly refused: string | undefined
}

export const danglingIn = ({ configuration: { dangling, refused } }: Side): readonly DanglingSchema[] =>
  dangling.map(({ metadata, spec }) => {
    const level = spec.priorityLevelConfiguration.name
    return { schema: metadata.name, level, refused: refused.get(level) }
  })

/** Levels that lose their last schema, or are added without one: their seats are unused. */
function unfed(before: Side, after: Side): readonly GuardFinding[] {
  const [was, is] = [fedLevels(before), fedLevels(after)]
  const known = new Set(before.objects.levels.map(({ metadata }) => metadata.name))
  return after.objects.levels.flatMap(({ metadata: { name } }): GuardFinding[] => {
    if (is.has(name) || (known.has(name) && !was.has(name))) return []
    return [
      {
        code: 'references/unfed',
        severity: 'warns',
        objects: [levelRef(name)],
        message: `No schema references ${name}, so its seats are used only when other levels borrow them.`,
        remedy: { sentence: `Add a schema that references ${name}, or remove the level.` },
        evidence: [],
      },
    ]
  })
}

const fedLevels = ({ configuration: { order } }: Side): ReadonlySet<string> =>
  new Set(order.map(({ spec }) => spec.priorityLevelConfiguration.name))
