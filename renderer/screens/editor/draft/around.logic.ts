import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'

/** The level that an object is, or leads to. */
export const effectiveLevelName = ({ schemas }: ObjectSet, { kind, name }: ObjectRef): string | undefined =>
  kind === 'PriorityLevelConfiguration'
    ? name
    : schemas.find(({ metadata }) => metadata.name === name)?.spec.priorityLevelConfiguration.name
