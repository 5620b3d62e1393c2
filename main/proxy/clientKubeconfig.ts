import { X509Certificate } from 'node:crypto'
import { ProblemError } from '../../core/errors.ts'
import { kubeconfigText } from '../cluster/kubeconfigFile.ts'
import { isFor } from './names.ts'
import { lookAt, writePrivate } from './smallFiles.ts'

const MARK = '# Written by APF Console for clients of its proxy, anew with each start. It may hold a token.\n'

export interface ClientKubeconfig {
  /** Name of the upstream. */
  readonly name: string
  /** `https://127.0.0.1:41233`. */
  readonly url: string
  /** PEM, with the chain that came with it; absent without TLS. */
  readonly certificate?: string | undefined
  readonly token?: string | undefined
}

/**
 * The connection parameters for clients of the proxy, as a kubeconfig. The certificate is its own CA: clients trust
 * this one and no other. If it is valid for other names than the address, the kubeconfig sets one of those as the
 * expected name.
 */
export function clientKubeconfig({ name: behind, url, certificate, token }: ClientKubeconfig): string {
  const cluster = {
    server: url,
    ...(certificate !== undefined && {
      'certificate-authority-data': Buffer.from(certificate).toString('base64'),
      ...expectedName(certificate, new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')),
    }),
  }
  return MARK + kubeconfigText(`apf-console-${behind}`, cluster, token === undefined ? {} : { token })
}

function expectedName(certificate: string, host: string): { readonly 'tls-server-name'?: string } {
  const read = new X509Certificate(certificate)
  if (isFor(read, host)) return {}
  const name = /(?:^|, )DNS:([^*,"]+)(?:,|$)/.exec(read.subjectAltName ?? '')?.[1]
  return name === undefined ? {} : { 'tls-server-name': name }
}

/** Never overwrites a kubeconfig that the console did not write. Rejects with `ProblemError`. */
export async function assertOurs(path: string): Promise<void> {
  const found = await lookAt(path)
  if (found.kind === 'nothing') return
  if (found.kind === 'file' && (found.text === '' || found.text.startsWith(MARK))) return
  throw new ProblemError(
    'invalid-input',
    `${path} is there already and was not written by the console, so it is left alone; name another file for the clients’ kubeconfig.`,
  )
}

export async function writeClientKubeconfig(path: string, about: ClientKubeconfig): Promise<void> {
  await assertOurs(path)
  await writePrivate(path, clientKubeconfig(about))
}
