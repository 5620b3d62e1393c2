import { type ClassifyingConfiguration, classifyingConfiguration } from '../classify/configuration.ts'
import type { FlowSchema, ObjectSet } from '../config/objects.ts'
import { overlap } from './overlap.ts'
import { type Side, defaulted, sideOf } from './rail.ts'
import { representatives } from './representatives.ts'

/** A schema that no request reaches. */
export interface Shadowed {
  readonly schema: string
  /** Earlier schemas that together take all that it matches, in matching order; empty when its rules match nothing. */
  readonly by: readonly string[]
}

/** Two schemas of one precedence that both match some request, so that their names decide (specification 2.2). */
export interface NamesDecide {
  readonly precedence: number
  /** The one that gets these requests. */
  readonly first: string
  readonly second: string
}

/**
 * Schemas that no request reaches, in matching order. Schemas without a level take no part. With the built-in objects
 * that is `catch-all`, for global-default takes everybody before. Objects may be defaulted or not.
 */
export const shadowedBy = (objects: ObjectSet): readonly Shadowed[] => shadowedIn(sideOf(defaulted(objects)))

/** The same of a configuration that is made ready; with `among`, only of schemas that these come before or that are these. */
export function shadowedIn({ objects, configuration }: Side, among?: ReadonlySet<string>): readonly Shadowed[] {
  const stored = new Set(objects.schemas)
  const earlier: FlowSchema[] = []
  return configuration.order.flatMap((schema) => {
    const { name } = schema.metadata
    const asked = among === undefined || among.has(name) || earlier.some((other) => overlap(other, schema))
    if (among?.has(name) === true) earlier.push(schema)
    // An imagined one is no object that could be mended.
    if (!asked || !stored.has(schema)) return []
    const by = winnersOver(schema, configuration)
    return by === undefined ? [] : [{ schema: name, by }]
  })
}

/** Requests that one schema may stand for; a schema that names more combinations is taken to be reached. */
const MOST_REQUESTS = 20_000

/** Who gets what a schema of the order matches; `undefined` when it gets some of it itself. */
export function winnersOver(
  schema: FlowSchema,
  { order, schemaOf }: ClassifyingConfiguration,
): readonly string[] | undefined {
  const winners = new Set<FlowSchema>()
  let asked = 0
  for (const request of representatives(schema)) {
    asked += 1
    const winner = schemaOf(request)
    if (winner === schema || asked > MOST_REQUESTS) return undefined
    winners.add(winner)
  }
  return order.flatMap((other) => (winners.has(other) ? [other.metadata.name] : []))
}

export const namesDecide = (objects: ObjectSet): readonly NamesDecide[] =>
  namesDecideIn(classifyingConfiguration(defaulted(objects)).order)

/** Of schemas in matching order; with `among`, only pairs of which one is among these. */
export function namesDecideIn(order: readonly FlowSchema[], among?: ReadonlySet<string>): readonly NamesDecide[] {
  const asked = ({ metadata }: FlowSchema): boolean => among === undefined || among.has(metadata.name)
  const found: NamesDecide[] = []
  order.forEach((first, index) => {
    const precedence = first.spec.matchingPrecedence
    for (let next = index + 1; next < order.length; next++) {
      const second = order[next]
      if (second?.spec.matchingPrecedence !== precedence) break
      if ((asked(first) || asked(second)) && overlap(first, second)) {
        found.push({ precedence, first: first.metadata.name, second: second.metadata.name })
      }
    }
  })
  return found
}
