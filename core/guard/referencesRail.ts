import type { GuardFinding } from './finding.ts'
import { levelRef, schemaRef } from './finding.ts'
import type { Rail, Side } from './rail.ts'

/** Schemas whose level does not exist, so that the server does as if they did not (specification 7.3, 7.6). */
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
            ? `${schema} leads to ${level}, which the server does without because ${refused}.`
            : deleted
              ? `${schema} leads to ${level}, which the edit deletes; its requests go to the next schema that matches.`
              : `${schema} leads to ${level}, which does not exist; its requests go to the next schema that matches.`,
        remedy: {
          sentence: deleted
            ? `Keep ${level}, or give ${schema} another level.`
            : `Create ${level}, or give ${schema} another level.`,
        },
        evidence: old ? ['so before the edit, too'] : [],
      }
    }),
    ...unfed(before, after),
  ]
}

export interface DanglingSchema {
  readonly schema: string
  readonly level: string
  /** Why the server refuses the level, when there is one. */
  readonly refused: string | undefined
}

export const danglingIn = ({ configuration: { dangling, refused } }: Side): readonly DanglingSchema[] =>
  dangling.map(({ metadata, spec }) => {
    const level = spec.priorityLevelConfiguration.name
    return { schema: metadata.name, level, refused: refused.get(level) }
  })

/** Levels that lose their last schema, or are added without one: their seats serve nobody. */
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
        message: `No schema leads to ${name}, so that its seats serve nobody until other levels borrow them.`,
        remedy: { sentence: `Add a schema that leads to ${name}, or leave the level out.` },
        evidence: [],
      },
    ]
  })
}

const fedLevels = ({ configuration: { order } }: Side): ReadonlySet<string> =>
  new Set(order.map(({ spec }) => spec.priorityLevelConfiguration.name))
