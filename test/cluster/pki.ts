import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Certificates and keys of one cluster, as paths. Generated at each start and deleted with its folder. */
export interface Pki {
  readonly ca: string
  readonly serverCert: string
  readonly serverKey: string
  /** Client certificate of the group system:masters. */
  readonly adminCert: string
  readonly adminKey: string
  readonly serviceAccountKey: string
}

const DAYS = '7'

export async function makePki(folder: string): Promise<Pki> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = (name: string): string => join(folder, name)
  const openssl = (...args: string[]): Promise<unknown> => promisify(execFile)('openssl', args)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.crt'),
    '-days',
    DAYS,
    '-subj',
    '/CN=apf-kube-ca',
  )
  const certificate = async (name: string, subject: string, extensions: string): Promise<void> => {
    await writeFile(file(`${name}.ext`), extensions)
    await openssl('req', ...newKey, '-keyout', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', subject)
    const signing = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', DAYS]
    await openssl(
      'x509',
      '-req',
      '-in',
      file(`${name}.csr`),
      ...signing,
      '-extfile',
      file(`${name}.ext`),
      '-out',
      file(`${name}.crt`),
    )
  }
  await certificate(
    'server',
    '/CN=kube-apiserver',
    'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n',
  )
  await certificate('admin', '/O=system:masters/CN=kubernetes-admin', 'extendedKeyUsage=clientAuth\n')
  await openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', file('service-account.key'))
  return {
    ca: file('ca.crt'),
    serverCert: file('server.crt'),
    serverKey: file('server.key'),
    adminCert: file('admin.crt'),
    adminKey: file('admin.key'),
    serviceAccountKey: file('service-account.key'),
  }
}
