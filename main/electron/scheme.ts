import type { Protocol } from 'electron'
import { assetAnswer } from '../server/assets.ts'
import type { Assets } from '../server/assets.ts'
import { SECURITY_HEADERS } from '../server/policy.ts'

const SCHEME = 'apf'
const HOST = 'console'
export const PAGE_URL = `${SCHEME}://${HOST}/`

/** Exactly the console's own origin; nothing is decided by how an address begins. */
export function isOwnUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    parsed.protocol === `${SCHEME}:` &&
    parsed.host === HOST &&
    parsed.username === '' &&
    parsed.password === ''
  )
}

/** Before the application is ready: gives the scheme an origin, and with it storage, fetch and a policy. */
export function registerScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

const refusal = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers: { ...SECURITY_HEADERS, ...headers } })

/** The answer to one request of the page for one of its files. */
export function answerScheme(assets: Assets, request: Pick<Request, 'url' | 'method'>): Response {
  if (!isOwnUrl(request.url)) return refusal(403)
  if (request.method !== 'GET') return refusal(405, { allow: 'GET' })
  const answer = assetAnswer(assets, new URL(request.url).pathname)
  if (answer === undefined) return refusal(404)
  return new Response(new Uint8Array(answer.body), { headers: { ...SECURITY_HEADERS, ...answer.headers } })
}

export function handleScheme(protocol: Pick<Protocol, 'handle'>, assets: Assets): void {
  protocol.handle(SCHEME, (request) => answerScheme(assets, request))
}
