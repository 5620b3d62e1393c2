import { requestInfo } from '../request/requestInfo.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { methodOfVerb, type RequestAddress } from './requestFields.ts'

/** The address for a verb of the API (`list`) or a method (`GET`), and where a server takes it for another verb. */
export function addressOfVerb(verb: string, url: string): RequestAddress & { readonly notes: readonly string[] } {
  const method = methodOfVerb(verb)
  const read = parseRequestTarget(url)
  const watch = verb === 'watch' && read?.query.has('watch') === false
  const address = { method, url: watch ? `${url}${url.includes('?') ? '&' : '?'}watch=true` : url }
  const target = parseRequestTarget(address.url)
  const taken = target === undefined ? verb : requestInfo(method, target).info.verb
  const asMethod = verb === method
  return {
    ...address,
    notes: asMethod || taken === verb ? [] : [`A server takes ${method} ${address.url} for ${taken}, not for ${verb}.`],
  }
}
