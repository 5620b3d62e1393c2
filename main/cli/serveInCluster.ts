import { isDeepStrictEqual } from 'node:util'
import { toProblem, ProblemError } from '../../core/errors.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { kubeconfigConnection, type Connection } from '../cluster/connection.ts'
import { missingRights, reviewToken, type ReviewedUser } from '../cluster/tokenReview.ts'
import { readWithin } from '../files/files.ts'
import { type ServerCertificate } from '../listen/connections.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'
import { RPC_PATH, SESSION_PATH } from '../../core/contract/webSession.ts'
import { LOGIN_PATH, LOGOUT_PATH, type Admission } from '../server/accessControl.ts'
import { createLogins } from '../server/logins.ts'
import { connectFirst } from '../workspace/workspace.ts'
import type { Console, ExitCode } from './console.ts'
import { texts } from './options.ts'
import { createPageConsole } from './servePages.ts'
import { cadenceFrom, targetFrom } from './sourceOptions.ts'
import { PORTS, readNumber, UsageError, type Command, type Given } from './usage.ts'
import { ended } from './web.ts'

export const serveInCluster: Command = {
  options: {
    ...texts('kubeconfig', 'context'),
    server: { type: 'string', multiple: true },
    interval: { type: 'string' },
    host: { type: 'string', multiple: true },
    ...texts('port', 'base-path', 'tls-cert', 'tls-key'),
    audience: { type: 'string', multiple: true },
    'metrics-port': { type: 'string' },
  },
  run: runInCluster,
}

const SESSION_MS = 3_600_000
const RECHECK_MS = 60_000
/** Interval for checking the files of a mounted secret, which change when the certificate is renewed. */
const LOOK_AGAIN_MS = 60_000
const MOST_PEM_BYTES = 1 << 20
/** The host names that `kubectl port-forward` uses. */
const FORWARDED = ['127.0.0.1', 'localhost', '[::1]']

async function runInCluster(given: Given, console: Console): Promise<ExitCode> {
  const target = targetFrom(given)
  if (target?.kind !== 'kubeconfig') {
    throw new UsageError('serve-in-cluster needs --kubeconfig, the identity of the console in the cluster.')
  }
  const port = readNumber(given, 'port', PORTS) ?? 8_443
  const metricsPort = readNumber(given, 'metrics-port', PORTS) ?? 9_464
  const base = basePathFrom(given)
  const certificate = await certificateFrom(given, console.signal)
  const hosts = given.values('host').map((host) => host.toLowerCase())
  if (certificate !== undefined && hosts.length === 0) {
    throw new UsageError('--tls-cert needs --host NAME, the host name in the address of the console.')
  }
  if (certificate === undefined && hosts.length > 0) {
    throw new UsageError('--host needs --tls-cert and --tls-key: tokens do not travel unencrypted.')
  }
  const { consent } = console.access
  const now = (): number => console.environment.now()
  const connection = await kubeconfigConnection(target, now, { consent, env: process.env })
  let answered = false
  const { workspace, serve, serveMetrics } = createPageConsole(console, {
    onConnected(source) {
      const { id } = source.connection
      source.hear(
        'frames',
        { connection: id },
        () => (answered = true),
        AbortSignal.any([console.signal, source.ended]),
      )
    },
  })
  const closing: (() => Promise<void>)[] = [() => workspace.close(), () => Promise.resolve(connection.close())]
  try {
    const server = await serve(port, {
      access: {
        address: certificate === undefined ? LOOPBACK : undefined,
        certificate,
        hosts: certificate === undefined ? FORWARDED : hosts,
        base,
        login: createLogins({
          now,
          ask: (token) => admit(connection, token, given.values('audience'), now()),
          say: (sentence) => console.print([sentence]),
        }),
        recheckMs: RECHECK_MS,
      },
    })
    closing.unshift(() => server.close())
    const metrics = await serveMetrics(metricsPort, { engine: () => undefined, probes: { isReady: () => answered } })
    closing.unshift(() => metrics.close())
    const spec: SourceSpec = { kind: 'scrape', target, cadence: cadenceFrom(given, true) }
    // If the first connection fails, the process ends, and its supervisor restarts it.
    await connectFirst(workspace.handlers, spec, cadenceFrom(given, true))
    const where =
      certificate === undefined
        ? `port ${new URL(server.origin).port} of 127.0.0.1`
        : `port ${new URL(server.origin).port}`
    console.print([`APF Console: read-only, on ${where}`, `Metrics and probes: port ${new URL(metrics.url).port}`])
    const renew = renewal(given, certificate, server.renew)
    const looking = setInterval(() => {
      renew(console.signal).catch((error: unknown) => console.tell(toProblem(error).message))
    }, LOOK_AGAIN_MS)
    await ended(console.signal)
    clearInterval(looking)
    return 0
  } finally {
    for (const close of closing) await close()
  }
}

/**
 * Whether the user of a token may use the console: the API server identifies the user and checks the user's read
 * permissions.
 */
async function admit(
  connection: Connection,
  token: string,
  audiences: readonly string[],
  nowMs: number,
): Promise<Admission> {
  const reviewed = await withContext(connection, (context) => reviewToken(context, token, audiences))
  if (!reviewed.ok) return unanswered
  const user = reviewed.value
  if (user === undefined) {
    return { status: 401, sentence: 'The API server does not accept this token; it may have expired.' }
  }
  const missing = await rightsOf(connection, user)
  if (!missing.ok) return unanswered
  if (missing.value.length > 0) {
    return {
      status: 403,
      sentence: `${user.username} may not read what the console shows: ${missing.value.join(', ')}.`,
    }
  }
  return {
    user: user.username,
    ms: Math.min(SESSION_MS, lifetime(token, nowMs)),
    stillMay: async () => {
      const found = await rightsOf(connection, user)
      return !found.ok || found.value.length === 0
    },
  }
}

const unanswered: Admission = {
  status: 503,
  sentence: 'The API server did not answer whether this token may be used; try again.',
}

const rightsOf = (connection: Connection, user: ReviewedUser) =>
  withContext(connection, (context) => missingRights(context, user))

async function withContext<T extends { readonly ok: boolean }>(
  connection: Connection,
  ask: (context: {
    readonly base: string
    readonly settings: Awaited<ReturnType<Connection['settings']>>
  }) => Promise<T>,
): Promise<T | { readonly ok: false }> {
  const [server] = connection.servers
  if (server?.base === undefined) return { ok: false }
  try {
    const answer = await ask({ base: server.base, settings: await connection.settings(server) })
    // The mounted token is replaced every hour: the refused one may have been outdated.
    if (!answer.ok) connection.renew()
    return answer
  } catch {
    return { ok: false }
  }
}

/** Milliseconds until a JSON web token, which the API server has verified, expires; `Infinity` for other tokens. */
function lifetime(token: string, nowMs: number): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return Number.POSITIVE_INFINITY
    return typeof claims.exp === 'number' ? Math.max(0, claims.exp * 1_000 - nowMs) : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Addresses of the console's own: below such a path, one without the path could be taken for one with it. */
const OWN = new Set([LOGIN_PATH, LOGOUT_PATH, RPC_PATH, SESSION_PATH, '/assets'])

/** The path of --base-path with a slash at both ends; without it, `/`. */
function basePathFrom(given: Given): string {
  const segments = (given.value('base-path') ?? '').split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => !/^[\w.~-]+$/.test(segment) || /^\.+$/.test(segment))) {
    throw new UsageError('--base-path takes a path like /apf of letters, digits and the characters - . _ ~.')
  }
  const [first = ''] = segments
  if (OWN.has(`/${first}`))
    throw new UsageError(`--base-path /${first} is an address of the console itself; choose another.`)
  return segments.map((segment) => `/${segment}`).join('') + '/'
}

async function certificateFrom(given: Given, signal: AbortSignal): Promise<ServerCertificate | undefined> {
  const [cert, key] = [given.value('tls-cert'), given.value('tls-key')]
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--tls-cert and --tls-key go together.')
  if (cert === undefined || key === undefined) return undefined
  const read = (file: string): Promise<Buffer> => readWithin(file, { mostBytes: MOST_PEM_BYTES, signal })
  return { cert: await read(cert), key: await read(key) }
}

/** Applies a certificate that was renewed since the last check. */
function renewal(given: Given, first: ServerCertificate | undefined, use: (renewed: ServerCertificate) => void) {
  let shown = first
  return async (signal: AbortSignal): Promise<void> => {
    const read = await certificateFrom(given, signal)
    if (read === undefined || isDeepStrictEqual(read, shown)) return
    try {
      use(read)
      shown = read
    } catch {
      throw new ProblemError(
        'invalid-input',
        `The certificate in ${given.value('tls-cert')} cannot be used; the previous one stays in use.`,
      )
    }
  }
}
