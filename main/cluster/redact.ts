/**
 * Characters of the shortest secret that is hidden wherever it occurs. A shorter one is part of too many words: hiding
 * it everywhere would leave no text to read, and the gaps would reveal it. It is hidden where the text announces a
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
/** The text before a credential; bounded, so that a long run of blanks takes linear time. */
const ANNOUNCED = `(?:${NAMES}|bearer|basic)["']?(?:\\s{0,3}[:=]\\s{0,3}|\\s{1,3})["']?`

/** Text in foreign messages that resembles a credential: JSON web tokens, bearer tokens, `token=…`. */
const CREDENTIALS: readonly RegExp[] = [
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s+)[^\s"',]+/gi,
  new RegExp(`(?<=(?:${NAMES})["']?\\s*[:=]\\s*["']?)[^\\s"',;&]+`, 'gi'),
]

/** Messages of servers and programs are shorter; the patterns take quadratic time. */
const MOST_CHARACTERS = 4_000

/** Hides text that resembles a credential, for messages whose secrets are not known. Longer texts are cut. */
export function redactCredentials(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  return CREDENTIALS.reduce((hidden, pattern) => hidden.replaceAll(pattern, HIDDEN), cut)
}

/** A URL in the form that may be shown: without user information, query and fragment, which may contain secrets. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** Whether the host is this machine, so that nothing sent to it crosses a network. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}
