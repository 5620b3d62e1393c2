import { type Unreadable, parseJson, pathOf } from './partialRequest.ts'
import type { RequestAddress } from './requestFields.ts'

/** What a curl command sends. */
export interface CurlRequest extends RequestAddress {
  readonly notes: readonly string[]
  readonly impersonate: { readonly user: string; readonly groups: readonly string[] } | undefined
  /** Subject of a service account's token. */
  readonly subject: string | undefined
}

const WITH_VALUE = new Set(
  (
    '-X --request -H --header -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -u --user -o ' +
    '--output -A --user-agent -b --cookie -e --referer -E --cert --key --cacert --capath -F --form -m --max-time -T ' +
    '--upload-file -w --write-out -x --proxy -C -c --cookie-jar -K --config -r --range --connect-timeout --retry ' +
    '--resolve --unix-socket --oauth2-bearer --url --url-query --cert-type --key-type --connect-to'
  ).split(' '),
)
const BODIES = new Set([
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '-F',
  '--form',
])

/** Reads a curl command, given as words without the program's name. */
export function readCurl(words: readonly string[]): CurlRequest | Unreadable {
  const { options, addresses } = curlOptions(words)
  const [address] = addresses
  if (address === undefined) return { problem: 'The curl command has no address.' }
  const url = pathOf(address)
  if (url === undefined) return { problem: `${address} is no address with a path.` }
  const has = (...names: readonly string[]): boolean => options.some(([name]) => names.includes(name))
  const value = (...names: readonly string[]): string | undefined =>
    options.findLast(([name]) => names.includes(name))?.[1]
  const bodies = options.filter(([name]) => BODIES.has(name)).map(([, body]) => body)
  const asGet = has('-G', '--get')
  const method =
    value('-X', '--request') ??
    (has('-I', '--head') ? 'HEAD' : uploads(has) ? 'PUT' : bodies.length > 0 && !asGet ? 'POST' : 'GET')
  if (method === '') return { problem: 'The option -X of the curl command has no method.' }
  const query = asGet && bodies.length > 0 ? `${url.includes('?') ? '&' : '?'}${bodies.join('&')}` : ''
  const headers = options.filter(([name]) => name === '-H' || name === '--header').map(([, header]) => header)
  const headerValues = (wanted: string): string[] =>
    headers.flatMap((header) => {
      const colon = header.indexOf(':')
      return header.slice(0, colon).trim().toLowerCase() === wanted ? [header.slice(colon + 1).trim()] : []
    })
  const user = headerValues('impersonate-user').at(-1)
  const token =
    value('--oauth2-bearer') ??
    headerValues('authorization')
      .at(-1)
      ?.replace(/^bearer\s+/i, '')
  return {
    method,
    url: url + query,
    notes: addresses.length > 1 ? ['The command names several addresses; this is the first.'] : [],
    impersonate: user === undefined ? undefined : { user, groups: headerValues('impersonate-group') },
    subject: token === undefined ? undefined : subjectOf(token),
  }
}

const uploads = (has: (...names: readonly string[]) => boolean): boolean => has('-T', '--upload-file')

function curlOptions(words: readonly string[]): {
  readonly options: readonly (readonly [name: string, value: string])[]
  readonly addresses: readonly string[]
} {
  const options: (readonly [string, string])[] = []
  const addresses: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--url') addresses.push(words[++i] ?? '')
    else if (word.startsWith('--') && WITH_VALUE.has(word)) options.push([word, words[++i] ?? ''])
    else if (word.startsWith('--')) options.push(splitAtEquals(word))
    else if (word.startsWith('-')) {
      // `-sX DELETE`, `-XDELETE`: switches stand before one that takes a value.
      const letters = word.slice(1)
      const at = Array.from(letters).findIndex((letter) => WITH_VALUE.has(`-${letter}`))
      for (const letter of at === -1 ? letters : letters.slice(0, at)) options.push([`-${letter}`, ''])
      if (at !== -1) options.push([`-${letters.charAt(at)}`, letters.slice(at + 1) || (words[++i] ?? '')])
    } else addresses.push(word)
  }
  return { options, addresses }
}

function splitAtEquals(word: string): readonly [string, string] {
  const equals = word.indexOf('=')
  return equals === -1 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)]
}

/** The subject of a JSON web token; nothing else of it is looked at. */
function subjectOf(token: string): string | undefined {
  const payload = token.split('.')[1]
  if (payload === undefined) return undefined
  const claims = parseJson(decodeBase64(payload))
  return typeof claims === 'object' && claims !== null && 'sub' in claims && typeof claims.sub === 'string'
    ? claims.sub
    : undefined
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Base64 for addresses, as far as it is ASCII: names of users are. */
function decodeBase64(text: string): string {
  let bits = 0
  let held = 0
  let decoded = ''
  for (const character of text) {
    const digit = ALPHABET.indexOf(character)
    if (digit === -1) break
    held = ((held << 6) | digit) & 0xffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      decoded += String.fromCharCode((held >>> bits) & 0xff)
    }
  }
  return decoded
}
