import { createPrivateKey, X509Certificate } from 'node:crypto'
import { MS_PER_DAY } from '../../core/units.ts'
import { type CertificateAndKey, makeCertificate } from '../listen/certificate.ts'
import { isFor } from './names.ts'
import { lookAt, writePrivate } from './smallFiles.ts'

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
