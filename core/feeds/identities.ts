import type { User } from '../request/match.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { FeedArrival } from './arrival.ts'
import type { FeedIdentity } from './limits.ts'
import type { StandIns } from './standIn.ts'

const UNKNOWN_USER: User = { name: '', groups: [] }

/** Who asked; where the feed does not tell that, somebody whom the schema that it tells admits. */
export function userOf({ user, client, line, server }: FeedArrival, identity: FeedIdentity, standIns: StandIns): User {
  if (user !== undefined) return user
  if (identity === 'audit') return UNKNOWN_USER
  const name = `unknown user: ${client}`
  const found = line.ok && server?.schema !== undefined ? standIns.userFor(server.schema, line.info, name) : undefined
  return found ?? { name, groups: ['system:authenticated'] }
}

/** What the server said, with the names that its log cuts put back. */
export function withFullNames(server: LiveRequest['server'], standIns: StandIns): LiveRequest['server'] {
  if (server?.schema === undefined || server.level === undefined) return server
  const schema = standIns.fullName(server.schema)
  const level = standIns.fullName(server.level)
  return schema === server.schema && level === server.level ? server : { ...server, schema, level }
}
