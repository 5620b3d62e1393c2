import { isAscii } from '../text/text.ts'
import { utf8ToBytes } from '@noble/hashes/utils.js'

declare const BYTES: unique symbol

/**
 * Bytes as a string with one UTF-16 unit per byte: they compare bytewise with `<`, serve as keys of maps and can be
 * cloned. Node reads and writes them as `latin1`. `bytesOf` converts text to bytes.
 */
export type Bytes = string & { readonly [BYTES]?: true }

/** Keys from `lo`, inclusive, to `hi`, exclusive; without `hi` there is no end. Empty if `hi` is not above `lo`. */
export interface Interval {
  readonly lo: Bytes
  readonly hi?: Bytes
}

/** The first key after all keys with this prefix; `undefined` if there is none (QoS specification 3). */
export function successor(prefix: Bytes): Bytes | undefined {
  let end = prefix.length
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end -= 1
  return end === 0 ? undefined : prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1)
}

export function prefixInterval(prefix: Bytes): Interval {
  const hi = successor(prefix)
  return { lo: prefix, ...(hi !== undefined && { hi }) }
}

/** The keys of a request with this key and range end, as etcd interprets them. */
export function keyInterval(key: Bytes, rangeEnd: Bytes = ''): Interval {
  if (rangeEnd === '') return { lo: key, hi: `${key}\0` }
  return rangeEnd === '\0' ? { lo: key } : { lo: key, hi: rangeEnd }
}

export const isEmpty = ({ lo, hi }: Interval): boolean => hi !== undefined && hi <= lo

export const overlap = (a: Interval, b: Interval): boolean =>
  !isEmpty(a) && !isEmpty(b) && (b.hi === undefined || a.lo < b.hi) && (a.hi === undefined || b.lo < a.hi)

/** Whether the second interval contains every key of the first. An empty one is within none: it matches no selector. */
export const within = (a: Interval, b: Interval): boolean =>
  !isEmpty(a) && b.lo <= a.lo && (b.hi === undefined || (a.hi !== undefined && a.hi <= b.hi))

/**
 * The first `count` segments of a key, with the slashes before them: 2 of `/registry/pods/ns/x` are `/registry/pods`.
 * The whole key when it has no more.
 */
export function segmentsOf(key: Bytes, count: number): Bytes {
  let end = key.startsWith('/') ? 0 : -1
  for (let found = 0; found < count; found++) {
    end = key.indexOf('/', end + 1)
    if (end === -1) return key
  }
  return key.slice(0, end)
}

const ESCAPE = /\\(?:\\|x([\da-fA-F]{2}))/g

/** Bytes of a text in readable notation: UTF-8, with `\xff` for a byte that is not text and `\\` for a backslash. */
export function bytesOf(text: string): Bytes {
  let bytes = ''
  let from = 0
  for (const { 0: escape, 1: hex, index } of text.matchAll(ESCAPE)) {
    bytes += plainBytes(text.slice(from, index)) + (hex === undefined ? '\\' : String.fromCharCode(parseInt(hex, 16)))
    from = index + escape.length
  }
  return bytes + plainBytes(text.slice(from))
}

function plainBytes(text: string): Bytes {
  return isAscii(text) ? text : rawBytes(utf8ToBytes(text))
}

function rawBytes(bytes: Uint8Array): Bytes {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** `bytesOf` restores it exactly. Bytes that are not UTF-8, and control characters, are written as `\xff`. */
export function textOf(bytes: Bytes): string {
  const text = utf8Of(bytes)
  const escaped = (text ?? bytes).replaceAll('\\', String.raw`\\`)
  return hexed(escaped, text === undefined ? 0x80 : Number.POSITIVE_INFINITY)
}

/** Writes control characters, and characters from `from` on, as `\x` and two digits. */
const hexed = (text: string, from: number): string => {
  let shown = ''
  for (const character of text) {
    const code = character.charCodeAt(0)
    const plain = code >= 0x20 && code !== 0x7f && code < from
    shown += plain ? character : `\\x${code.toString(16).padStart(2, '0')}`
  }
  return shown
}

function utf8Of(bytes: Bytes): string | undefined {
  if (isAscii(bytes)) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}
