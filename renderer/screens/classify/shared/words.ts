import { digestRequest } from '../../../../core/classify/classification.ts'
import { resourceOf } from '../../../../core/request/match.ts'
import type { RequestInfo } from '../../../../core/request/requestInfo.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'

const SERVICE_ACCOUNT = 'system:serviceaccount:'

/** Service accounts lose what they have in common. */
export const shortUser = (user: string): string =>
  user.startsWith(SERVICE_ACCOUNT) ? user.slice(SERVICE_ACCOUNT.length) : user

/** `LIST pods`, `PATCH nodes/status node-1`, `GET /livez`. */
export function infoWords(info: RequestInfo): string {
  const verb = info.verb.toUpperCase()
  if (!info.isResource) return `${verb} ${info.path}`
  return [verb, resourceOf(info), info.name].filter((part) => part !== '').join(' ')
}

/** What a request asks for, or method and address where no server understands it. */
export function requestWords(request: RequestSample): string {
  const read = digestRequest(request)
  return read.ok ? infoWords(read.digest.info) : `${request.method} ${request.url}`
}

/** A name for a saved request: `inventory:scanner LIST pods in tenant-1`. */
export function labelOf(request: RequestSample): string {
  const read = digestRequest(request)
  const namespace = read.ok ? read.digest.info.namespace : ''
  return `${shortUser(request.user)} ${requestWords(request)}${namespace === '' ? '' : ` in ${namespace}`}`
}
