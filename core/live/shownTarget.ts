/** Names of parameters that carry credentials; WebSocket clients and old plugins send them in the query. */
const NAMES = 'access_token|id_token|refresh_token|token|password|client_secret'
const SECRET = new RegExp(`(?<=[?&;](?:${NAMES})=)[^&#]+`, 'gi')
const SECRET_NAME = new RegExp(`^(?:${NAMES})$`, 'i')
const PAIR = /(?<=[?&;])([^=?&;#]+)=[^&#]+/g

/**
 * Path and query in the form that may be kept and shown. The hidden parts do not affect how a request is classified.
 */
export function shownTarget(target: string): string {
  if (!target.includes('?')) return target
  const shown = target.replace(SECRET, '[hidden]')
  // A name may be percent-encoded.
  if (!shown.includes('%')) return shown
  return shown.replace(PAIR, (pair, name: string) => (SECRET_NAME.test(decoded(name)) ? `${name}=[hidden]` : pair))
}

/** Escapes of single ASCII characters, which the names consist of; other escapes do not occur in them. */
const decoded = (name: string): string =>
  name.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
