/** Values of ASN.1 in their distinguished encoding (X.690), as far as certificates need them. */

/** A value with its tag and length. */
export function der(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return Buffer.of(0x80 | bytes.length, ...bytes)
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, Buffer.concat(items))
export const set = (...items: readonly Uint8Array[]): Buffer => der(0x31, Buffer.concat(items))
export const explicit = (number: number, item: Uint8Array): Buffer => der(0xa0 | number, item)
/** Big-endian two's complement, given as it is to be. */
export const integer = (bytes: Uint8Array): Buffer => der(0x02, bytes)
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, 'utf8'))

/** A time of a certificate: with a year of two digits until 2049, of four from then on (RFC 5280, 4.1.2.5). */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  const year = Number(text.slice(0, 4))
  return year < 2050 ? der(0x17, Buffer.from(text.slice(2), 'ascii')) : der(0x18, Buffer.from(text, 'ascii'))
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([40 * first + second, ...rest].flatMap(base128)))
}

function base128(arc: number): number[] {
  const digits = [arc & 0x7f]
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f))
  return digits
}
