import { type TlsFiles } from '../proxy/listen.ts'
import { readSmall } from '../proxy/smallFiles.ts'
import type { Upstream } from './upstream.ts'

/** Rejects with `ProblemError` for a file that cannot be read. */
const pem = async (path: string | undefined, what: string): Promise<string | undefined> =>
  path === undefined ? undefined : (await readSmall(path, what)).text

/** The member at an address; paths of the CA of its certificate and of the proxy's client certificate and key. */
export async function upstreamFrom(
  { origin }: URL,
  paths: { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined },
): Promise<Upstream> {
  const ca = await pem(paths.ca, 'The certificate authority')
  const cert = await pem(paths.cert, 'The client certificate')
  const key = await pem(paths.key, 'The client key')
  return {
    url: origin,
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
  }
}

/** The proxy's server certificate and key, and the CA of client certificates, from paths. */
export async function listenerTls(paths: {
  readonly cert: string
  readonly key: string
  readonly clientCa: string | undefined
}): Promise<TlsFiles> {
  const { text: cert } = await readSmall(paths.cert, 'The certificate')
  const { text: key } = await readSmall(paths.key, 'The key')
  const clientCa = await pem(paths.clientCa, 'The client CA')
  return { cert, key, ...(clientCa !== undefined && { clientCa }) }
}
