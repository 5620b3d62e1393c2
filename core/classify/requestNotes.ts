import type { RequestDigest } from '../request/match.ts'

/** Groups of which a server gives every user one. */
const EVERYBODY = ['system:authenticated', 'system:unauthenticated']
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** What to know about a request before its classification is believed, in sentences. */
export function requestNotes(
  { user, info }: RequestDigest,
  method: string,
  { bypasses, fallback }: { readonly bypasses: boolean; readonly fallback: boolean },
): readonly string[] {
  const notes: string[] = []
  if (!info.isResource && /^\/apis?(?:\/|$)/.test(info.path)) {
    notes.push(`${info.path} is not a resource path; non-resource rules apply.`)
  }
  if (info.isResource && !METHODS.has(method)) {
    notes.push(`The server derives no verb from method ${JSON.stringify(method)}; only verb * matches it.`)
  }
  if (info.resource === 'namespaces' && info.namespace !== '') {
    notes.push(
      `A request for namespace ${info.namespace} itself counts as one in that namespace; clusterScope does not cover it.`,
    )
  }
  if (!user.groups.some((group) => EVERYBODY.includes(group))) {
    notes.push(
      'The user is in neither system:authenticated nor system:unauthenticated; a server puts every user into one of them.',
    )
  }
  if (bypasses) {
    notes.push('The request is long-running and no watch: the server serves it past flow control, whatever it matches.')
  }
  if (fallback) notes.push('No flow schema matches; the server uses catch-all all the same.')
  return notes
}
