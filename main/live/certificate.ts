import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { der, explicit, time, integer, oid, sequence, set, utf8 } from './der.ts'

/** PEM texts. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const

/** Clients that are told to trust it do so until then. */
const DAYS = 397
const DAY_MS = 86_400_000
/** Clocks of neighbours differ. */
const EARLIER_MS = 300_000

/**
 * A self-signed certificate of a server with these host names and addresses, and its new key (P-256). Whoever is to trust
 * it is given it as the authority (X.509, RFC 5280). `nowMs` is in Unix milliseconds.
 */
export function makeCertificate(hosts: readonly string[], nowMs: number): CertificateAndKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = certificateBody(hosts, publicKey, nowMs)
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, ALGORITHM, der(0x03, Buffer.concat([Buffer.of(0), signature])))
  return {
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const ALGORITHM = sequence(oid(OID.ecdsaWithSha256))

function certificateBody(hosts: readonly string[], publicKey: KeyObject, nowMs: number): Buffer {
  const name = sequence(set(sequence(oid(OID.commonName), utf8('APF Console'))))
  const serial = randomBytes(16)
  // Positive, and of as many bytes as it has.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(serial),
    ALGORITHM,
    name,
    sequence(time(nowMs - EARLIER_MS), time(nowMs + DAYS * DAY_MS)),
    name,
    key,
    explicit(
      3,
      sequence(
        extension(OID.basicConstraints, sequence(der(0x01, Buffer.of(0xff))), true),
        extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
        extension(OID.subjectKeyIdentifier, der(0x04, createHash('sha256').update(key).digest().subarray(0, 20))),
        extension(OID.subjectAltName, sequence(...hosts.map(generalName))),
      ),
    ),
  )
}

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [der(0x01, Buffer.of(0xff))] : []), der(0x04, value))

const generalName = (host: string): Buffer =>
  isIP(host) === 0 ? der(0x82, Buffer.from(host, 'ascii')) : der(0x87, addressBytes(host))

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // The platform's own parser writes an IPv6 address in full groups; `::` stands for as many zeros as are missing.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [groups(head), tail === undefined ? [] : groups(tail)]
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/(.{64})(?!$)/g, '$1\n')}\n-----END ${label}-----\n`
