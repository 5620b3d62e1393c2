/** Replaces every occurrence of the secrets by `[hidden]`. The longest go first, so that no tail of one survives. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), text)
}

/** What looks like a credential in words that others wrote: JSON web tokens, bearer tokens, `token=…`. */
const CREDENTIALS: readonly RegExp[] = [
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s+)[^\s"',]+/gi,
  /(?<=(?:token|password|passwd|secret|api[-_]?key)["']?\s*[:=]\s*["']?)[^\s"',;&]+/gi,
]

/** A message of a server or program is shorter; the patterns cost the square of it. */
const MOST_CHARACTERS = 4_000

/** Hides what looks like a credential, where the secrets themselves are not known. What is too long is cut. */
export function redactCredentials(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  return CREDENTIALS.reduce((hidden, pattern) => hidden.replaceAll(pattern, '[hidden]'), cut)
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

/** Text on one line that shows what it holds: control, formatting and line-breaking characters as `\u{1b}`. */
export function escaped(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`)
}

/** The same for a text of several lines. */
export const escapedLines = (text: string): string => text.split(/\r?\n/).map(escaped).join('\n')

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
