import { mandatorySchemas } from '../config/builtIn.ts'
import { CATCH_ALL, EXEMPT, type Condition, type FlowSchema } from '../config/objects.ts'
import { byCodeUnits } from '../text/order.ts'
import { type RequestDigest, matchesFlowSchema } from './match.ts'

/** The condition that says whether a schema's level exists (specification 7.6). */
export const DANGLING = 'Dangling'

/** The flow schemas that take part in classification, and those that do not because their level does not exist. */
export interface FlowSchemaOrder {
  /** In matching order, missing mandatory schemas added. */
  readonly order: readonly FlowSchema[]
  readonly dangling: readonly FlowSchema[]
}

/** Sorted by precedence, then name by code point; matches bytewise order of UTF-8 for names that the API admits. */
export const inMatchingOrder = (a: FlowSchema, b: FlowSchema): number =>
  a.spec.matchingPrecedence - b.spec.matchingPrecedence || byCodeUnits(a.metadata.name, b.metadata.name)

/**
 * Orders the schemas whose level is among `levels` (specification 2.2, 7.3). A built-in stand-in for a missing or dangling
 * mandatory schema comes first (exempt) or last (catch-all), whatever its precedence says (trap T37).
 */
export function orderFlowSchemas(schemas: readonly FlowSchema[], levels: ReadonlySet<string>): FlowSchemaOrder {
  const refersToLevel = ({ spec }: FlowSchema): boolean => levels.has(spec.priorityLevelConfiguration.name)
  const usable = schemas.filter(refersToLevel).toSorted(inMatchingOrder)
  const builtIn = (name: string): FlowSchema[] =>
    usable.some(({ metadata }) => metadata.name === name)
      ? []
      : mandatorySchemas.filter(({ metadata }) => metadata.name === name)
  return {
    order: [...builtIn(EXEMPT), ...usable, ...builtIn(CATCH_ALL)],
    dangling: schemas.filter((schema) => !refersToLevel(schema)),
  }
}

/**
 * The first schema that matches. When none does, which takes a user in neither of the two system groups, it is the one
 * named catch-all all the same.
 */
export function classify(order: readonly FlowSchema[], digest: RequestDigest): FlowSchema {
  const matching = order.find((schema) => matchesFlowSchema(schema, digest))
  const schema = matching ?? order.find(({ metadata }) => metadata.name === CATCH_ALL)
  if (schema === undefined) throw new Error('the order holds no catch-all schema')
  return schema
}

/** The Dangling condition that the schema must carry; `undefined` when it does already (specification 7.6). */
export function danglingCondition(schema: FlowSchema, found: boolean): Condition | undefined {
  const level = JSON.stringify(schema.spec.priorityLevelConfiguration.name)
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${level}`
  const wanted: Condition = found
    ? { type: DANGLING, status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: DANGLING, status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` }
  const present = schema.status?.conditions?.find(({ type }) => type === DANGLING)
  const same =
    present?.status === wanted.status && present?.reason === wanted.reason && present?.message === wanted.message
  return same ? undefined : wanted
}
