import type { Subject } from './configuration.ts'

/**
 * A network, as its first and last address in a notation of fixed length, so that they compare as strings. Of two
 * networks, one contains the other or they are disjoint.
 */
export interface Network {
  readonly first: string
  readonly last: string
}

const V4_BITS = 32
const V6_BITS = 128

/** An address as a number with its bit length; an IPv4-mapped IPv6 address is converted to IPv4. */
interface Address {
  readonly bits: number
  readonly value: bigint
}

function addressOf(text: string): Address | undefined {
  if (!text.includes(':')) {
    const value = v4Of(text)
    return value === undefined ? undefined : { bits: V4_BITS, value }
  }
  const value = v6Of(text)
  if (value === undefined) return undefined
  return value >> 32n === 0xffffn ? { bits: V4_BITS, value: value & 0xffff_ffffn } : { bits: V6_BITS, value }
}

function v4Of(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1)
  if (parts === undefined || parts.some((part) => Number(part) > 255 || /^0\d/.test(part))) return undefined
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n)
}

function v6Of(text: string): bigint | undefined {
  // A zone identifies the link, not the host.
  const [address = '', ...more] = text.replace(/%.*$/, '').split('::')
  if (more.length > 1) return undefined
  const head = groupsOf(address)
  const tail = more.length === 0 ? [] : groupsOf(more[0] ?? '')
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (more.length === 0 ? missing !== 0 : missing < 1) return undefined
  return [...head, ...Array<bigint>(missing).fill(0n), ...tail].reduce((value, group) => (value << 16n) + group, 0n)
}

/** Groups of 16 bits; the last may be an IPv4 address. */
function groupsOf(text: string): readonly bigint[] | undefined {
  if (text === '') return []
  const groups: bigint[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (/^[\da-fA-F]{1,4}$/.test(part)) {
      groups.push(BigInt(`0x${part}`))
      continue
    }
    const v4 = index === parts.length - 1 ? v4Of(part) : undefined
    if (v4 === undefined) return undefined
    groups.push(v4 >> 16n, v4 & 0xffffn)
  }
  return groups
}

/** Of the same length for all addresses of a family, and no text of one family sorts between two of the other. */
const written = (bits: number, value: bigint): string =>
  `${bits === V4_BITS ? 4 : 6}:${value.toString(16).padStart(bits / 4, '0')}`

/** The address in the notation of networks; `undefined` if it is not valid. */
export function canonicalAddress(text: string): string | undefined {
  const address = addressOf(text)
  return address && written(address.bits, address.value)
}

/** An address or a network in CIDR notation; `undefined` if it is neither. */
export function networkOf(text: string): Network | undefined {
  const [, host = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = addressOf(host)
  if (address === undefined) return undefined
  // `::ffff:10.0.0.0/104` is 10.0.0.0/8.
  const shift = host.includes(':') && address.bits === V4_BITS ? V6_BITS - V4_BITS : 0
  const prefix = length === undefined ? address.bits : Number(length) - shift
  if (prefix < 0 || prefix > address.bits) return undefined
  const free = BigInt(address.bits - prefix)
  const first = (address.value >> free) << free
  return { first: written(address.bits, first), last: written(address.bits, first + (1n << free) - 1n) }
}

/** A caller pattern, compiled for comparison. */
export interface Caller {
  readonly user?: { readonly text: string; readonly prefix: boolean }
  readonly network?: Network
}

/** An invalid client address matches no caller. */
const NOWHERE: Network = { first: '', last: '' }

export const callerOf = ({ user, clientIP }: Subject): Caller => ({
  ...(user !== undefined && {
    user: user.endsWith('*') ? { text: user.slice(0, -1), prefix: true } : { text: user, prefix: false },
  }),
  ...(clientIP !== undefined && { network: networkOf(clientIP) ?? NOWHERE }),
})

/** Whether a caller is one of these; `address` is canonical, and `undefined` if unknown. */
export const isCaller = ({ user, network }: Caller, name: string, address: string | undefined): boolean =>
  (user === undefined || (user.prefix ? name.startsWith(user.text) : name === user.text)) &&
  (network === undefined || (address !== undefined && network.first <= address && address <= network.last))

/** Whether some caller can match both (QoS specification 4). */
export function canBeBoth(a: Caller, b: Caller): boolean {
  if (a.network !== undefined && b.network !== undefined) {
    if (a.network.last < b.network.first || b.network.last < a.network.first) return false
  }
  if (a.user === undefined || b.user === undefined) return true
  const [x, y] = [a.user, b.user]
  if (x.prefix && y.prefix) return x.text.startsWith(y.text) || y.text.startsWith(x.text)
  if (x.prefix) return y.text.startsWith(x.text)
  return y.prefix ? x.text.startsWith(y.text) : x.text === y.text
}
