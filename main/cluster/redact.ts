/**
 * Characters of the shortest secret that is hidden wherever it occurs. A shorter one is part of too many words: hiding it
 * everywhere would leave no text to read, and the holes would spell it out. It is hidden where the text announces a
 * credential. Such a secret protects nothing anyway: three letters are guessed in seconds.
 */
const SHORTEST_ANYWHERE = 4

/** Replaces the secrets by `[hidden]`. The longest are replaced first, so that no part of one survives. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce(hide, text)
}

const hide = (text: string, secret: string): string =>
  secret.length < SHORTEST_ANYWHERE
    ? text.replace(new RegExp(`(?<=${ANNOUNCED})${secret.replaceAll(/\W/g, String.raw`\$&`)}`, 'gi'), HIDDEN)
    : text.replaceAll(secret, HIDDEN)

const HIDDEN = '[hidden]'

const NAMES = 'token|password|passwd|secret|api[-_]?key'
/** What stands before a credential; bounded, so that a long row of blanks costs its length. */
const ANNOUNCED = `(?:${NAMES}|bearer|basic)["']?(?:\\s{0,3}[:=]\\s{0,3}|\\s{1,3})["']?`

/** What looks like a credential in words that others wrote: JSON web tokens, bearer tokens, `token=…`. */
const CREDENTIALS: readonly RegExp[] = [
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s+)[^\s"',]+/gi,
  new RegExp(`(?<=(?:${NAMES})["']?\\s*[:=]\\s*["']?)[^\\s"',;&]+`, 'gi'),
]

/** A message of a server or program is shorter; the patterns cost the square of it. */
const MOST_CHARACTERS = 4_000

/** Hides what looks like a credential, where the secrets themselves are not known. What is too long is cut. */
export function redactCredentials(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  return CREDENTIALS.reduce((hidden, pattern) => hidden.replaceAll(pattern, HIDDEN), cut)
}

/** An address as it may be shown: without user information, query and fragment, which may hold secrets. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** Whether the host is this machine, so that nothing said to it crosses a wire. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}
