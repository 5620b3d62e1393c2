import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

/**
 * X.509 certificates generated in the test, so that the repository holds no keys and no test expires: just enough
 * DER for an authority and for servers whose certificates are valid, expired, for another host, or
 * signed by an unknown authority.
 */
export interface Certificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface Authority extends Certificate {
  issue(subject: CertificateSubject): Certificate
}

export interface CertificateSubject {
  readonly name: string
  readonly dns?: readonly string[]
  readonly ips?: readonly string[]
  /** Days from today; the past by default reaches back a day. */
  readonly fromDay?: number
  readonly toDay?: number
}

export function createAuthority(name = 'test authority'): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = certificate({
    subject: { name },
    issuer: name,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    ca: true,
  })
  return {
    cert,
    key: privatePem(keys.privateKey),
    issue(subject) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const issued = certificate({
        subject,
        issuer: name,
        publicKey: own.publicKey,
        signer: keys.privateKey,
        ca: false,
      })
      return { cert: issued, key: privatePem(own.privateKey) }
    },
  }
}

/** A self-signed certificate. */
export function selfSigned(subject: CertificateSubject): Certificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = certificate({
    subject,
    issuer: subject.name,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    ca: false,
  })
  return { cert, key: privatePem(keys.privateKey) }
}

const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const DAY_MS = 86_400_000
const TAG = { boolean: 1, integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, sequence: 48, set: 49, time: 24 } as const
const OID = {
  commonName: [85, 4, 3],
  subjectAltName: [85, 29, 17],
  basicConstraints: [85, 29, 19],
  ecdsaWithSha256: [42, 134, 72, 206, 61, 4, 3, 2],
} as const

function der(tag: number, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)))
  const size = content.length
  const head = size < 128 ? [tag, size] : size < 256 ? [tag, 129, size] : [tag, 130, size >> 8, size & 255]
  return Buffer.concat([Uint8Array.from(head), content])
}

const nameDer = (name: string): Buffer =>
  der(TAG.sequence, der(TAG.set, der(TAG.sequence, der(TAG.oid, OID.commonName), der(TAG.utf8, Buffer.from(name)))))

/** GeneralizedTime: YYYYMMDDHHMMSSZ. */
const timeDer = (day: number): Buffer =>
  der(TAG.time, Buffer.from(new Date(Date.now() + day * DAY_MS).toISOString().replaceAll(/[-:T]|\.\d+/g, '')))

function certificate(options: {
  readonly subject: CertificateSubject
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly ca: boolean
}): string {
  const { subject, issuer, publicKey, signer, ca } = options
  const algorithm = der(TAG.sequence, der(TAG.oid, OID.ecdsaWithSha256))
  const extensions = [
    ...(ca ? [extension(OID.basicConstraints, der(TAG.sequence, der(TAG.boolean, [255])))] : []),
    ...(subject.dns === undefined && subject.ips === undefined
      ? []
      : [extension(OID.subjectAltName, altNames(subject))]),
  ]
  const content = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, [2])),
    der(TAG.integer, [1, ...crypto.getRandomValues(new Uint8Array(8))]),
    algorithm,
    nameDer(issuer),
    der(TAG.sequence, timeDer(subject.fromDay ?? -1), timeDer(subject.toDay ?? 30)),
    nameDer(subject.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, der(TAG.sequence, ...extensions))]),
  )
  const signature = der(TAG.bits, [0], sign('sha256', content, signer))
  const base64 = der(TAG.sequence, content, algorithm, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

const extension = (oid: readonly number[], value: Buffer): Buffer =>
  der(TAG.sequence, der(TAG.oid, oid), der(TAG.octets, value))

const altNames = ({ dns = [], ips = [] }: CertificateSubject): Buffer =>
  der(
    TAG.sequence,
    ...dns.map((name) => der(0x82, Buffer.from(name))),
    ...ips.map((ip) => der(0x87, ip.split('.').map(Number))),
  )
