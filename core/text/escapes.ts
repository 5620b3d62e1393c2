/** What terminals draw with: colours and modes, titles of windows, character sets. */
const [BELL, ESCAPE] = [String.fromCodePoint(7), String.fromCodePoint(27)]
const ESCAPES = new RegExp(
  String.raw`${ESCAPE}(?:\[[\d;?>]*[A-Za-z]|\][^${BELL}${ESCAPE}\n]*(?:${BELL}|${ESCAPE}\\)|[()][A-Z\d]|[=>])`,
  'g',
)

/** A text as a terminal shows it, without what it draws with. */
export const withoutEscapes = (text: string): string => (text.includes(ESCAPE) ? text.replaceAll(ESCAPES, '') : text)
