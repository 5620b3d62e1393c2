/**
 * Characters that act on a terminal, a log or the order of a line rather than being seen: C0, DEL and C1, marks that turn
 * the direction of writing, and separators of lines and paragraphs.
 */
const CONTROL = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What begins a command anywhere in a line of the log of a GitHub, Azure or TeamCity job: `##[error]`, `##vso[…]`. */
const JOB_COMMAND = /#(?=#\w*\[)/g

/** The text with every control character as JSON writes it, `\u001b`; newlines and tabs too. */
export const escapeControls = (text: string): string => text.replaceAll(CONTROL, escape).replaceAll(JOB_COMMAND, escape)

/** One line of text for people, whoever wrote parts of it. `::` at its beginning would be a command of a GitHub job. */
export const shownLine = (text: string): string => escapeControls(text).replace(/^(\s*):(?=:)/, String.raw`$1\u003a`)

/**
 * A value as JSON without control characters: between its members there are newlines and blanks only, and within its
 * strings every one is escaped.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent)
    .replaceAll(CONTROL, (character) => (character === '\n' ? character : escape(character)))
    .replaceAll(JOB_COMMAND, escape)
