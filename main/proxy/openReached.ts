import { X509Certificate, createPrivateKey } from 'node:crypto'
import { join } from 'node:path'
import { hostname, networkInterfaces } from 'node:os'
import { ProblemError } from '../../core/errors.ts'
import { ownFolder } from '../files/ownFolder.ts'
import type { ProxyListen, ProxySpec } from '../../core/contract/live.ts'
import { LOOPBACK, reachOf, reachProblem, wantsToken } from '../../core/live/proxyReach.ts'
import { assertOurs, writeClientKubeconfig } from './clientKubeconfig.ts'
import { reachedAs, isFor } from './names.ts'
import { type ListenOptions, type OpenedProxy, openProxy, type ProxySurroundings } from './open.ts'
import { readToken } from './proxyToken.ts'
import { readSmall, lookAt, writePrivate } from './smallFiles.ts'
import { MS_PER_DAY } from '../../core/units.ts'
import { type CertificateAndKey, makeCertificate } from '../listen/certificate.ts'

export interface ReachedSurroundings extends Omit<ProxySurroundings, 'listen' | 'makeCertificate'> {
  /** Name of the upstream. */
  readonly upstream: string
  /** Folder for the console's own certificates and tokens, and for the kubeconfigs of clients. */
  readonly folder: string
  /** Path for the kubeconfig of the clients; defaults to a file in `folder` if clients need TLS or a token to connect. */
  readonly clientKubeconfig?: string | undefined
}

export interface ReachedProxy extends OpenedProxy {
  /** Path of the kubeconfig that was written for the clients. */
  readonly clientKubeconfig?: string
  /** How clients connect, and problems of the files involved, in sentences. */
  readonly hints: readonly string[]
}

/**
 * Opens the proxy of a spec with the files that its `listen` names: reads them, creates what is missing, and writes a
 * kubeconfig for the clients. Secrets stay in their files; only paths are reported. Rejects with `ProblemError`, and
 * then no longer listens.
 */
export async function openReached(given: ProxySpec, surroundings: ReachedSurroundings): Promise<ReachedProxy> {
  const { upstream, now, clientKubeconfig } = surroundings
  const listen = reachOf(given)
  const spec = { ...given, listen }
  const { identity } = spec
  // Checked before creating anything for a proxy that is then refused.
  assertReach(listen, identity)
  if (clientKubeconfig !== undefined) await assertWritable(clientKubeconfig, spec)
  const folder = join(surroundings.folder, fileName(upstream))
  const keeps = listen.tls !== undefined || wantsToken(listen)
  if (keeps) ownFolder(folder)
  const { options, notes } = await readListen(listen, folder, now())
  const opened = await openProxy(spec, {
    ...surroundings,
    listen: options,
    makeCertificate: (hosts) => keptCertificate(join(folder, 'certificate.pem'), hosts, now()),
  })
  try {
    const sends = listen.tls !== undefined || !sendsTokens(spec)
    const path = clientKubeconfig ?? (keeps && sends ? join(folder, 'client.kubeconfig') : undefined)
    const hints = [...notes, ...(sends ? [] : [NO_TOKENS])]
    if (path === undefined) return { ...opened, hints }
    const { url, certificate } = opened
    const token = options.token ?? (isUnasked(spec) ? NO_TOKEN_NEEDED : undefined)
    await writeClientKubeconfig(path, { name: upstream, url, certificate, token })
    const note = `Use the proxy with kubectl --kubeconfig ${path}. Only this user can read that file.`
    return { ...opened, clientKubeconfig: path, hints: [...hints, note] }
  } catch (error) {
    await opened.close()
    throw error
  }
}

const NO_TOKENS = 'kubectl sends no token without TLS; let the proxy speak TLS for clients like it.'

/** Over TLS kubectl prompts for a user name when it has no credentials at all, even if the server needs none. */
const NO_TOKEN_NEEDED = 'none-is-needed'
const isUnasked = ({ identity, listen }: ProxySpec): boolean =>
  listen?.tls !== undefined && (identity === 'kubeconfig' || identity === 'headers')

/** Whether clients must send tokens, their own or that of the proxy. */
const sendsTokens = ({ identity, listen = {} }: ProxySpec): boolean => identity === 'token' || wantsToken(listen)

function assertReach(listen: ProxyListen, identity: ProxySpec['identity']): void {
  const { host = LOOPBACK, tls, clientCaFile } = listen
  const problem = reachProblem({
    host,
    identity,
    tls: tls !== undefined,
    token: wantsToken(listen),
    clientCa: clientCaFile !== undefined,
  })
  if (problem !== undefined) throw new ProblemError('invalid-input', problem.sentence)
}

async function assertWritable(path: string, spec: ProxySpec): Promise<void> {
  if (sendsTokens(spec) && spec.listen?.tls === undefined) {
    throw new ProblemError(
      'invalid-input',
      'kubectl sends no token without TLS, so a kubeconfig would not help its clients; let the proxy speak TLS.',
    )
  }
  await assertOurs(path)
}

/** Different upstreams keep their client credentials apart. */
const fileName = (upstream: string): string =>
  upstream
    .slice(0, 100)
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.*$/, '_')

async function readListen(
  { host, tls, token, clientCaFile }: ProxyListen,
  folder: string,
  nowMs: number,
): Promise<{ readonly options: ListenOptions; readonly notes: readonly string[] }> {
  const clientCa = clientCaFile === undefined ? undefined : await readAuthority(clientCaFile)
  const served = tls === undefined ? undefined : await readTls(tls, nowMs)
  const brought =
    token === undefined || token.kind === 'none' ? undefined : await readToken(token, join(folder, 'token'))
  return {
    options: {
      ...(host !== undefined && { host, reachedAs: reachedAs(host, machineNames()) }),
      ...(served !== undefined && { tls: { ...served.tls, ...(clientCa !== undefined && { clientCa }) } }),
      ...(brought !== undefined && { token: brought.token }),
    },
    notes: [...(served?.notes ?? []), ...(brought?.notes ?? [])],
  }
}

interface Served {
  readonly tls: NonNullable<ListenOptions['tls']>
  readonly notes: readonly string[]
}

async function readTls(wish: NonNullable<ProxyListen['tls']>, nowMs: number): Promise<Served> {
  if (wish.kind === 'generated') return { tls: { generated: true }, notes: [] }
  const [cert, key] = await Promise.all([
    readSmall(wish.certFile, 'The certificate'),
    readSmall(wish.keyFile, 'The key of the certificate'),
  ])
  const end = endOf(cert.text)
  const notes = [
    ...(key.openToOthers
      ? [`The key ${wish.keyFile} can be read by other users of this machine. Run chmod 600 on it.`]
      : []),
    ...(end !== undefined && end.getTime() < nowMs
      ? [`The certificate ${wish.certFile} ended on ${end.toISOString().slice(0, 10)}, so clients reject it. Renew it.`]
      : []),
  ]
  return { tls: { cert: cert.text, key: key.text }, notes }
}

/** Expiry of a certificate; a text that is not a certificate is refused when it is used. */
function endOf(cert: string): Date | undefined {
  try {
    return new X509Certificate(cert).validToDate
  } catch {
    return undefined
  }
}

/** TLS accepts a text without certificates as a CA that no client has; an error is more helpful. */
async function readAuthority(file: string): Promise<string> {
  const { text } = await readSmall(file, 'The authority of the client certificates')
  if (endOf(text) !== undefined) return text
  throw new ProblemError('invalid-input', `The authority of the client certificates ${file} is no certificate in PEM.`)
}

/**
 * Addresses of this machine that other machines can reach, IPv4 first, and its name. Link-local addresses are omitted:
 * they need the name of an interface of the client.
 */
function machineNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address)
  const name = hostname().toLowerCase()
  return [...addresses, ...(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) ? [name] : [])]
}

/** A certificate that expires within this time is renewed, so that it does not expire while the proxy runs. */
const RENEW_MS = 7 * MS_PER_DAY

/**
 * The console's own certificate for these host names and addresses: the one in `file` (key and certificate, PEM) as
 * long as it is valid for all of them, so that clients which trust it continue to do so; otherwise a new one. `nowMs`
 * is in Unix milliseconds. Rejects with `ProblemError`.
 */
export async function keptCertificate(
  file: string,
  hosts: readonly string[],
  nowMs: number,
): Promise<CertificateAndKey> {
  const found = await lookAt(file)
  const kept = found.kind === 'file' ? stillValid(found.text, hosts, nowMs) : undefined
  if (kept !== undefined && found.kind === 'file' && !found.openToOthers) return kept
  const made = kept ?? (await makeCertificate(hosts, nowMs))
  await writePrivate(file, made.key + made.cert)
  return made
}

function stillValid(text: string, hosts: readonly string[], nowMs: number): CertificateAndKey | undefined {
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text)?.[0]
  const cert = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/.exec(text)?.[0]
  if (key === undefined || cert === undefined) return undefined
  try {
    const read = new X509Certificate(cert)
    const valid =
      read.checkPrivateKey(createPrivateKey(key)) &&
      read.validFromDate.getTime() <= nowMs &&
      read.validToDate.getTime() > nowMs + RENEW_MS &&
      hosts.every((host) => isFor(read, host))
    return valid ? { cert, key } : undefined
  } catch {
    return undefined
  }
}
