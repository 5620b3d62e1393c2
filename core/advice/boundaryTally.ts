import type { LiveRequest } from '../contract/live.ts'
import { bounded, type Counted, counting } from './tally.ts'

/**
 * Requests to further namespaces of a schema, and from further users of a namespace, are only counted for the schema.
 */
const MOST_NAMESPACES = 500
const MOST_USERS = 500

/** Requests of a flow schema that divides them into flows by user or by namespace. */
export interface SchemaFlows extends Counted {
  readonly schema: string
  readonly level: string
  readonly by: 'user' | 'namespace'
  /** Requests by user, for each namespace. */
  readonly namespaces: ReadonlyMap<string, ReadonlyMap<string, number>>
}

interface Schema extends Omit<SchemaFlows, keyof Counted> {
  counted: Counted | undefined
  readonly namespaces: Map<string, Map<string, number>>
}

/** Counts the users that send to each namespace, in memory that does not grow with time. Takes each request once. */
export class BoundaryTally {
  private readonly schemas = new Map<string, Schema>()

  take({ at, schema, level, user, namespace, flow }: LiveRequest): void {
    const by = flow === '' ? undefined : flow === user ? 'user' : flow === namespace ? 'namespace' : undefined
    if (by === undefined) return
    const key = `${by} ${level} ${schema}`
    const known = this.schemas.get(key) ?? { schema, level, by, counted: undefined, namespaces: new Map() }
    this.schemas.set(key, known)
    known.counted = counting(known.counted, at)
    if (namespace === '') return
    const users = bounded(known.namespaces, namespace, MOST_NAMESPACES, () => new Map<string, number>())
    if (users === undefined) return
    const before = bounded(users, user, MOST_USERS, () => 0)
    if (before !== undefined) users.set(user, before + 1)
  }

  read(): readonly SchemaFlows[] {
    return [...this.schemas.values()].flatMap(({ counted: of, ...schema }) =>
      of === undefined ? [] : { ...schema, ...of },
    )
  }
}
