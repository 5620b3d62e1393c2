import type { ObjectSet } from '../config/objects.ts'
import type { RequestSample } from '../contract/objects.ts'
import { type SeatExplanation, type ServerContext, digestRequest } from './classification.ts'
import { classifyingConfiguration, levelOf } from './configuration.ts'
import { explainSeats } from './explainSeats.ts'

/** The seats of a request on a server of another version. */
export interface ElsewhereSeats {
  readonly version: string
  /** The rule that estimates: `by size, at most 100`. */
  readonly rule: string
  readonly seats: SeatExplanation
}

/** The last version of each estimation method (specification 5.1). */
const VERSIONS: readonly string[] = ['v1.30', 'v1.33', 'v1.36']

/** The same request under the same objects on servers of other versions. Empty when no server classifies it. */
export function sameElsewhere(
  objects: ObjectSet,
  request: RequestSample,
  context: ServerContext = {},
  versions: readonly string[] = VERSIONS,
): readonly ElsewhereSeats[] {
  const read = digestRequest(request)
  if (!read.ok) return []
  const configuration = classifyingConfiguration(objects, context.serverLimit)
  const { maxSeats } = levelOf(configuration, configuration.schemaOf(read.digest))
  return versions.map((version) => {
    const seats = explainSeats(read.digest.info, read.query, maxSeats, { ...context, version })
    return { version, rule: ruleOf(seats), seats }
  })
}

function ruleOf({ basis, method, cap }: SeatExplanation): string {
  switch (basis.kind) {
    case 'list':
      return `${method.startsWith('size') ? 'by size' : 'by number of objects'}, at most ${cap}`
    case 'mutating':
      return `by watches, at most ${cap} after the response`
    default:
      return method
  }
}
