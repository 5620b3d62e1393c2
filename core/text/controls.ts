/**
 * Characters that act on a terminal, a log or the order of a line rather than being seen, or are not seen at all: C0, DEL
 * and C1, formatting characters (direction of writing, zero width, tags), and separators of lines and paragraphs.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** As JSON writes it: one `\u` for each UTF-16 unit. */
const escape = (character: string): string =>
  character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What begins a command anywhere in a line of the log of a GitHub, Azure or TeamCity job: `##[error]`, `##vso[…]`. */
const JOB_COMMAND = /#(?=#\w*\[)/g

/** The text with every unseen character as JSON writes it, `\u001b`; newlines and tabs too. */
export const escapeControls = (text: string): string => text.replaceAll(UNSEEN, escape).replaceAll(JOB_COMMAND, escape)

/** The same for a text of several lines, which stay lines. */
export const escapeLines = (text: string): string => text.split(/\r?\n/).map(escapeControls).join('\n')

/** One line of text for people, whoever wrote parts of it. `::` at its beginning would be a command of a GitHub job. */
export const shownLine = (text: string): string => escapeControls(text).replace(/^(\s*):(?=:)/, String.raw`$1\u003a`)

/**
 * A value as JSON without unseen characters: between its members there are newlines and blanks only, and within its
 * strings every one is escaped.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent)
    .replaceAll(UNSEEN, (character) => (character === '\n' ? character : escape(character)))
    .replaceAll(JOB_COMMAND, escape)
