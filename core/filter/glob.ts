/** What a matcher reads of a text. A string is one; tests pass one that counts the reads. */
export interface Characters {
  readonly length: number
  charCodeAt(index: number): number
}

/** Matches a text, reading each of its characters at most three times. */
export type TextTest = (text: Characters) => boolean

/** Whether a text contains `value`. */
export function contains(value: string): TextTest {
  const find = finder(value)
  return (text) => find(text, 0, text.length) !== undefined
}

/** Whether `pattern`, in which `*` stands for any text, covers a text from end to end. */
export function glob(pattern: string): TextTest {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  const finders = rest.filter((part) => part !== '').map(finder)
  if (last === undefined) return (text) => text.length === first.length && isAt(text, first, 0)
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !isAt(text, first, 0) || !isAt(text, last, end)) return false
    // The leftmost place of each part leaves the most room for those after it, so nothing is ever tried again.
    let at: number | undefined = first.length
    for (const find of finders) {
      at = find(text, at, end)
      if (at === undefined) return false
    }
    return true
  }
}

function isAt(text: Characters, part: string, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (text.charCodeAt(at + i) !== part.charCodeAt(i)) return false
  return true
}

/** Where the first occurrence of a part within `from` and `end` ends; `undefined` without one. */
type Find = (text: Characters, from: number, end: number) => number | undefined

/** Knuth, Morris and Pratt: linear for every text, where an engine of regular expressions tries all combinations. */
function finder(part: string): Find {
  const codes = Array.from({ length: part.length }, (_, index) => part.charCodeAt(index))
  const borders = bordersOf(codes)
  return (text, from, end) => {
    if (codes.length === 0) return from
    let matched = 0
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at)
      while (matched > 0 && codes[matched] !== code) matched = borders[matched - 1] ?? 0
      if (codes[matched] === code) matched += 1
      if (matched === codes.length) return at + 1
    }
    return undefined
  }
}

/** Of each beginning of the part: the length of the longest shorter beginning that it ends with. */
function bordersOf(codes: readonly number[]): readonly number[] {
  const borders = [0]
  for (let at = 1, length = 0; at < codes.length; at++) {
    while (length > 0 && codes[length] !== codes[at]) length = borders[length - 1] ?? 0
    if (codes[length] === codes[at]) length += 1
    borders.push(length)
  }
  return borders
}
