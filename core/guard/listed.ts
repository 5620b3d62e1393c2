/** Names as in a sentence: `a, b and c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
