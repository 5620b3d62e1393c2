import { plural } from '../text/format.ts'
import type { ObjectSet } from '../config/objects.ts'
import { driftBetween, driftFromBuiltIn, type DriftRow } from '../drift/drift.ts'

/** Number of objects of a source that differ from the reference. */
export interface ConfigurationDrift {
  readonly levels: number
  readonly schemas: number
}

/**
 * Differences from the objects of another source, or from the built-in ones of `version` without a reference; objects
 * of people are not differences from the built-in ones.
 */
export function configurationDrift(
  objects: ObjectSet,
  version: string,
  reference: ObjectSet | undefined,
): ConfigurationDrift {
  const rows =
    reference === undefined
      ? driftFromBuiltIn(objects, version).rows.filter(({ change }) => change !== 'extra')
      : driftBetween(objects, reference, version).rows
  const count = (of: DriftRow['kind']): number => rows.filter(({ kind }) => kind === of).length
  return { levels: count('PriorityLevelConfiguration'), schemas: count('FlowSchema') }
}

const counted = (count: number, noun: string): string[] =>
  count === 0 ? [] : [`${count} ${noun}${plural(count, '', 's')}`]

/** `1 level, 2 schemas`; `none`. */
export const driftText = ({ levels, schemas }: ConfigurationDrift): string =>
  [...counted(levels, 'level'), ...counted(schemas, 'schema')].join(', ') || 'none'
