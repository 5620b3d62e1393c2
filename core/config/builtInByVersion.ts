import {
  earlierSuggestedSchemas,
  mandatoryLevels,
  mandatorySchemas,
  suggestedLevels,
  suggestedSchemas,
} from './builtIn.ts'
import type { FlowSchema, Kind, ObjectSet, PriorityLevelConfiguration } from './objects.ts'
import { minorOf } from './rules.ts'

/** Last minor with the schemas for leader elections on endpoints and configmaps. */
const LAST_WITH_EARLIER_SCHEMAS = 33
/** In the order of the release that had them they stand before this one. */
const FOLLOWING = 'kube-controller-manager'

/** The objects that a server of a version makes by itself, defaults filled in (specification 10): mandatory ones first. */
export const builtInObjects = (version: string): ObjectSet => ({
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemasOf(minorOf(version))],
})

/** The built-in object of a kind and name in a version; `undefined` of a name that is not built in. */
export function builtInObject(kind: 'FlowSchema', name: string, version: string): FlowSchema | undefined
export function builtInObject(
  kind: 'PriorityLevelConfiguration',
  name: string,
  version: string,
): PriorityLevelConfiguration | undefined
export function builtInObject(
  kind: Kind,
  name: string,
  version: string,
): FlowSchema | PriorityLevelConfiguration | undefined
export function builtInObject(
  kind: Kind,
  name: string,
  version: string,
): FlowSchema | PriorityLevelConfiguration | undefined {
  const { levels, schemas } = builtInObjects(version)
  return (kind === 'FlowSchema' ? schemas : levels).find(({ metadata }) => metadata.name === name)
}

/** Whether the engine cannot do without the object: it may not be changed, and is made again when it is deleted. */
export const isMandatory = (kind: Kind, name: string): boolean =>
  hasName(kind === 'FlowSchema' ? mandatorySchemas : mandatoryLevels, name)

/** Whether a server of the version makes the object when it is missing, and keeps it in step unless told otherwise. */
export const isSuggested = (kind: Kind, name: string, version: string): boolean =>
  hasName(kind === 'FlowSchema' ? suggestedSchemasOf(minorOf(version)) : suggestedLevels, name)

/** Upstream's order, which is that in which a server makes them. */
function suggestedSchemasOf(minor: number): readonly FlowSchema[] {
  if (minor > LAST_WITH_EARLIER_SCHEMAS) return suggestedSchemas
  return suggestedSchemas.toSpliced(
    suggestedSchemas.findIndex(({ metadata }) => metadata.name === FOLLOWING),
    0,
    ...earlierSuggestedSchemas,
  )
}

const hasName = (objects: ObjectSet['levels'] | ObjectSet['schemas'], name: string): boolean =>
  objects.some(({ metadata }) => metadata.name === name)
