/** Parameters that carry credentials; WebSocket clients and old plugins send them in the query. */
const SECRET = /(?<=[?&](?:access_token|id_token|refresh_token|token|password|client_secret)=)[^&#]+/gi

/** Path and query as they may be kept and shown. What is hidden plays no part in how a request is classified. */
export function shownTarget(target: string): string {
  return target.includes('?') ? target.replace(SECRET, '[hidden]') : target
}
