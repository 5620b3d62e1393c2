import { classify, orderFlowSchemas } from '../request/flowSchemas.ts'
import type { User } from '../request/match.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import type { EngineConfiguration } from '../engine/apfEngine.ts'
import { usersOf } from '../guard/representatives.ts'
import type { FlowSchema } from '../config/objects.ts'

/** A server cuts the names in its log to so many bytes (specification 5.8). */
const LOGGED_BYTES = 64
const MOST_KNOWN = 20_000
const LONGEST_KNOWN = 1_024
/** What stands in the users of `usersOf` for a name that no object names. */
const UNNAMED = '\u0000'

/** Users that a log leaves out, put back as far as the flow schema that it names tells them. */
export interface StandIns {
  /** The whole name of a flow schema or a level that was logged, among ours. */
  fullName(logged: string): string
  /**
   * A user whom our objects place in the schema with this request; `undefined` where no user would get there. Whoever
   * the schema does not name is called by the client: one program on one address is one user.
   */
  userFor(schema: string, info: RequestInfo, client: string): User | undefined
}

export function createStandIns({ levels, schemas }: EngineConfiguration, refused: ReadonlySet<string>): StandIns {
  const names = levels.map(({ metadata }) => metadata.name).filter((name) => !refused.has(name))
  const { order } = orderFlowSchemas(schemas, new Set([...names, 'exempt', 'catch-all']))
  const byName = new Map(order.map((schema) => [schema.metadata.name, schema]))
  const cut = [...byName.keys(), ...names].filter((name) => name.length > LOGGED_BYTES)
  const known = new Map<string, User | undefined>()

  const pattern = (schema: FlowSchema, info: RequestInfo): User | undefined =>
    (schema.spec.rules ?? [])
      .flatMap(({ subjects }) => (subjects ?? []).flatMap(usersOf))
      .find((user) => classify(order, { user, info }) === schema)

  return {
    fullName: (logged) =>
      logged.length < LOGGED_BYTES ? logged : (cut.find((name) => name.startsWith(logged)) ?? logged),
    userFor(name, info, client) {
      const schema = byName.get(name)
      if (schema === undefined) return undefined
      const kind = info.isResource
        ? `${name} ${info.verb} ${info.apiGroup} ${info.resource}/${info.subresource} ${info.namespace}`
        : `${name} ${info.verb} ${info.path}`
      if (kind.length > LONGEST_KNOWN) return named(pattern(schema, info), client)
      let found = known.get(kind)
      if (found === undefined && !known.has(kind)) {
        found = pattern(schema, info)
        if (known.size >= MOST_KNOWN) known.clear()
        known.set(kind, found)
      }
      return named(found, client)
    },
  }
}

const named = (found: User | undefined, client: string): User | undefined =>
  found === undefined ? undefined : { ...found, name: found.name.replace(UNNAMED, client) }
