import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
// The generator looks up its algorithms through decorators, which need this first.
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { MS_PER_DAY } from '../../core/units.ts'

/** PEM texts. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Clients configured to trust the certificate do so for this long. */
const DAYS = 397
/** Allows for clock differences between machines. */
const EARLIER_MS = 300_000

/**
 * A self-signed certificate for a server with these host names and addresses, and its new key (P-256). Clients that
 * should trust it configure it as the authority (X.509, RFC 5280). `nowMs` is in Unix milliseconds.
 */
export async function makeCertificate(hosts: readonly string[], nowMs: number): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=APF Console',
    notBefore: new Date(nowMs - EARLIER_MS),
    notAfter: new Date(nowMs + DAYS * MS_PER_DAY),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      new SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  })
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')}\n`,
  }
}
