import type { TLSSocket } from 'node:tls'
import { impersonatedGroups } from '../../core/classify/identity.ts'
import type { User } from '../../core/request/match.ts'
import type { Refusal } from './answers.ts'
import type { AnyRequest } from './exchange.ts'
import { bearerToken, REMOTE, valueOf, valuesOf, WEBSOCKET_TOKEN, type RawHeaders } from './headers.ts'
import { createTokenOwners, type ReviewToken } from './tokens.ts'

/** The caller of a request, and what is sent upstream besides the proxy's own credentials. */
export type Caller =
  | {
      readonly kind: 'known'
      /** The user by which the server classifies the request: the impersonated user if there is one. */
      readonly user: User
      /** Headers of the client that are not forwarded, in lower case. */
      readonly without: ReadonlySet<string>
      readonly added: RawHeaders
      /** The server rejects the request before it classifies it. */
      readonly refusedThere?: boolean
    }
  | ({ readonly kind: 'refused' } & Refusal)

/** Synchronous where possible. Never rejects. */
export type Identify = (request: AnyRequest) => Caller | Promise<Caller>

export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

const IMPERSONATE_USER = 'impersonate-user'
const IMPERSONATE_GROUP = 'impersonate-group'
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'host'])
const HOST: ReadonlySet<string> = new Set(['host'])

/** The user of the request after impersonation, by which the server classifies. */
function effectiveUser({ rawHeaders }: AnyRequest, user: User): User {
  const name = valueOf(rawHeaders, IMPERSONATE_USER)
  if (name === undefined || name === '') return user
  return { name, groups: impersonatedGroups(name, valuesOf(rawHeaders, IMPERSONATE_GROUP)) }
}

const NEEDS_USER = /^impersonate-(?:group|uid|extra-.*)$/i

/** The server rejects impersonated groups without a user before it classifies. */
const impersonatesNobody = ({ rawHeaders }: AnyRequest): boolean =>
  (valueOf(rawHeaders, IMPERSONATE_USER) ?? '') === '' &&
  rawHeaders.some((name, i) => i % 2 === 0 && NEEDS_USER.test(name))

const impersonates = ({ rawHeaders }: AnyRequest): boolean =>
  rawHeaders.some((name, i) => i % 2 === 0 && name.toLowerCase().startsWith('impersonate-'))

const NO_NESTED: Caller = {
  kind: 'refused',
  status: 400,
  sentence: 'The proxy impersonates its clients, so they cannot impersonate others. Use the identity "token" for that.',
}

const asItself = (request: AnyRequest, user: User, without: ReadonlySet<string>): Caller => ({
  kind: 'known',
  user: effectiveUser(request, user),
  without,
  added: [],
  ...(impersonatesNobody(request) && { refusedThere: true }),
})

/**
 * Every caller is the user of the kubeconfig, as with `kubectl proxy`. `impersonated`: the kubeconfig already
 * impersonates a user, so callers cannot impersonate another one.
 */
export const asKubeconfigUser =
  (user: User, impersonated: boolean): Identify =>
  (request) => {
    if (impersonated && impersonates(request)) return NO_NESTED
    return asItself(request, user, CREDENTIALS)
  }

/**
 * The bearer token, as the server finds it: after one space in its header, where the server ignores other schemes;
 * otherwise among the subprotocols of a WebSocket, where browsers put it.
 */
function bearerOf({ headers }: AnyRequest): string | undefined {
  const token = bearerToken(headers.authorization)
  if (token !== undefined) return token
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined
  const protocols = headers['sec-websocket-protocol']?.split(',') ?? []
  const encoded = protocols.map((one) => one.trim()).find((one) => one.startsWith(WEBSOCKET_TOKEN))
  if (encoded === undefined) return undefined
  return Buffer.from(encoded.slice(WEBSOCKET_TOKEN.length), 'base64url').toString('utf8')
}

export interface ByTokenOptions {
  readonly review: ReviewToken
  /** Milliseconds. */
  readonly now: () => number
  /** Requests without a token that the upstream recognises are refused here; otherwise the upstream decides. */
  readonly required?: boolean
}

/** Each caller is the owner of the token in the request, which goes upstream unchanged. */
export function byToken({ review, now, required = false }: ByTokenOptions): Identify {
  const ownerOf = createTokenOwners(review, now)
  const caller = (request: AnyRequest, owner: User | undefined, brought: boolean): Caller => {
    if (owner === undefined && required) {
      return { kind: 'refused', status: 401, sentence: 'This proxy needs a bearer token that the upstream accepts.' }
    }
    if (owner !== undefined) return asItself(request, owner, HOST)
    return brought
      ? { kind: 'known', user: ANONYMOUS, without: HOST, added: [], refusedThere: true }
      : asItself(request, ANONYMOUS, HOST)
  }
  const later = async (request: AnyRequest, owner: Promise<User | undefined>): Promise<Caller> => {
    try {
      return caller(request, await owner, true)
    } catch {
      return { kind: 'refused', status: 502, sentence: 'The upstream could not review the token.' }
    }
  }
  return (request) => {
    const token = bearerOf(request)
    if (token === undefined) return caller(request, undefined, false)
    const owner = ownerOf(`Bearer ${token}`)
    return owner instanceof Promise ? later(request, owner) : caller(request, owner, true)
  }
}

/** The proxy impersonates its callers upstream, or sends no identity if the upstream has no users. */
export interface SpeakFor {
  readonly impersonate: boolean
}

/** Groups that the server adds by itself; impersonating them would need a permission of its own. */
const GIVEN: ReadonlySet<string> = new Set(['system:authenticated', 'system:unauthenticated'])

/**
 * A name that does not fit would arrive as another name, or as none: the server attributes a request that impersonates
 * no user to the operator.
 */
const fitsHeader = (name: string): boolean => /^[!-~](?:[ -~]*[!-~])?$/.test(name)

const NO_HEADER: Caller = {
  kind: 'refused',
  status: 400,
  sentence: 'The proxy cannot impersonate this caller: a name of the user or of a group does not fit into a header.',
}

function spokenFor(request: AnyRequest, user: User, { impersonate }: SpeakFor): Caller {
  if (!impersonate) return { kind: 'known', user, without: CREDENTIALS, added: [] }
  if (impersonates(request)) return NO_NESTED
  if (![user.name, ...user.groups].every(fitsHeader)) return NO_HEADER
  const groups = user.groups.flatMap((group) => (GIVEN.has(group) ? [] : ['Impersonate-Group', group]))
  return { kind: 'known', user, without: CREDENTIALS, added: ['Impersonate-User', user.name, ...groups] }
}

const isSecure = (socket: unknown): socket is TLSSocket =>
  typeof socket === 'object' && socket !== null && 'getPeerCertificate' in socket

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** The user of a client certificate: its common name, with its organisations as groups. */
function certificateUser(socket: unknown): User | undefined {
  if (!isSecure(socket) || !socket.authorized) return undefined
  const { subject } = socket.getPeerCertificate()
  const [name = ''] = listOf(subject.CN)
  return name === '' ? undefined : { name, groups: impersonatedGroups(name, listOf(subject.O)) }
}

const NO_CERTIFICATE: Caller = {
  kind: 'refused',
  status: 401,
  sentence:
    'This proxy identifies clients by certificates of its authority. The request came with none that has a user name.',
}

/** Identifies each caller by the client certificate. */
export function byCertificate(speak: SpeakFor): Identify {
  /** A certificate stays the same for the lifetime of its connection. */
  const known = new WeakMap<object, User>()
  return (request) => {
    const { socket } = request
    const user = known.get(socket) ?? certificateUser(socket)
    if (user === undefined) return NO_CERTIFICATE
    known.set(socket, user)
    return spokenFor(request, user, speak)
  }
}

const USER = 'x-remote-user'
const GROUP = 'x-remote-group'

/** A comma may join several values, and parsers disagree about bytes beyond ASCII. */
const isOneName = (value: string): boolean => /^[!-+\-.-~]+$/.test(value)

/** The error of an identity in headers, as the rest of a sentence. */
function incompleteIdentity(raw: RawHeaders): string | undefined {
  const other = raw.find((name, i) => i % 2 === 0 && isRemote(name) && ![USER, GROUP].includes(name.toLowerCase()))
  if (other !== undefined) return `takes no ${other.slice(0, 60)}, only X-Remote-User and X-Remote-Group`
  const users = valuesOf(raw, USER)
  if (users.length !== 1) return `needs X-Remote-User exactly once, not ${users.length} times`
  const all = [...users, ...valuesOf(raw, GROUP)]
  if (all.every(isOneName)) return undefined
  return 'takes one name in each X-Remote-User and X-Remote-Group: ASCII, not empty, without spaces and commas'
}

const isRemote = (name: string): boolean => name.toLowerCase().startsWith(REMOTE)

const NOBODY: Caller = {
  kind: 'refused',
  status: 401,
  sentence: 'This proxy identifies clients by the header X-Remote-User, which is missing.',
}

/**
 * Callers declare their identity in X-Remote-User and X-Remote-Group: for tests. An incomplete identity is refused: the
 * server attributes a request that impersonates no user to the operator.
 */
export const byHeaders =
  (speak: SpeakFor): Identify =>
  (request) => {
    const { rawHeaders } = request
    if (!rawHeaders.some((name, i) => i % 2 === 0 && isRemote(name))) {
      return speak.impersonate ? NOBODY : spokenFor(request, ANONYMOUS, speak)
    }
    const problem = incompleteIdentity(rawHeaders)
    if (problem !== undefined) return { kind: 'refused', status: 400, sentence: `The identity "headers" ${problem}.` }
    const [name = ''] = valuesOf(rawHeaders, USER)
    return spokenFor(request, { name, groups: impersonatedGroups(name, valuesOf(rawHeaders, GROUP)) }, speak)
  }
