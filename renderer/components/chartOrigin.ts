import { connectionStore } from '../state/connection.ts'
import { timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { format } from '../theme/format.ts'

/** Where the numbers of a picture come from and when they were: source, server, range and newest sample. */
export function originOf(): string {
  const { connection } = connectionStore.getState()
  const { server } = viewStore.getState()
  const { from, to } = timeStore.getState()
  const source = connection.state === 'connected' ? connection.source.name : undefined
  const at = server === undefined ? undefined : `sample of ${format.dateTime(Date.parse(server.at))}`
  const range = to > from ? `range ${format.dateTime(from)} to ${format.dateTime(to)}` : undefined
  const parts = [source, server?.id === source ? undefined : server?.id, at, range].filter((part) => part !== undefined)
  return parts.length === 0 ? '' : `${parts.join(' · ')} ${format.zone()}`
}
