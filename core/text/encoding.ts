/** Encodings of text files; PowerShell writes UTF-16. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** The encoding of a text, from its byte order mark or, without one, from the zero bytes of its first letters. */
export function encodingOf(bytes: Uint8Array): Encoding {
  const [a = 1, b = 1, c = 1, d = 1] = bytes
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0)) return 'utf-16be'
  return 'utf-8'
}
