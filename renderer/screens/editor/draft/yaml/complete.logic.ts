import type { FieldShape } from './fields.ts'

/** Where in a YAML text the cursor is. */
export interface YamlPlace {
  /** Keys from the top; entries of lists have no step of their own. */
  readonly path: readonly string[]
  /** `value`: after the colon of the last step, or in an entry of its list. */
  readonly part: 'key' | 'value'
  /** Where the word under the cursor begins. */
  readonly from: number
}

const LINE = /^( *)((?:- +)*)(?:("[^"]*"\s*|[^\s:#"'[\]{},][^:#]*):(?:\s|$))?/

/** No key and no value that is completed is longer; the search for its beginning costs the square of this. */
const LONGEST_WORD = 300

/** A key that is open for what stands further to the right. */
interface Opened {
  readonly column: number
  readonly key: string
}

/**
 * The place of an offset, told by indentation alone, so that it can be told while the text is not in order. Only block
 * style and lists in brackets of one line are understood.
 */
export function placeAt(text: string, offset: number): YamlPlace {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(start, offset)
  const [, spaces = '', dashes = '', key] = LINE.exec(before) ?? []
  const column = spaces.length + dashes.length
  const parents = openedAt(text.slice(0, start))
    .filter((one) => one.column < column)
    .map((one) => one.key)
  const word = /"[^"]*$|[^\s:,[\]{}"'-][^\s:,[\]{}]*$/.exec(before.slice(-LONGEST_WORD))?.[0] ?? ''
  const from = offset - word.length
  if (key !== undefined) return { path: [...parents, unquoted(key)], part: 'value', from }
  return { path: parents, part: dashes === '' ? 'key' : 'value', from }
}

/** Keys that are open at the end of a text, outermost first. */
function openedAt(text: string): readonly Opened[] {
  let opened: readonly Opened[] = []
  for (const line of text.split('\n')) {
    const [, spaces = '', dashes = '', key] = LINE.exec(line) ?? []
    if (key === undefined || line.trimStart().startsWith('#')) continue
    const column = spaces.length + dashes.length
    opened = [...opened.filter((one) => one.column < column), { column, key: unquoted(key) }]
  }
  return opened
}

const unquoted = (key: string): string => key.trimEnd().replace(/^"(.*)"$/, '$1')

/** One completion. */
export interface Completion {
  readonly label: string
  readonly about: string
  /** A key is followed by its colon. */
  readonly kind: 'key' | 'value'
}

/** What may stand at a place of a manifest. */
export function completionsAt(shape: FieldShape, place: YamlPlace, levels: readonly string[]): readonly Completion[] {
  const field = place.path.reduce<FieldShape | undefined>((at, key) => (at?.list ?? at)?.fields?.[key], shape)
  if (field === undefined) return []
  const inner = field.list ?? field
  const keys = Object.entries(inner.fields ?? {}).map(([label, { about }]): Completion => ({
    label,
    about,
    kind: 'key',
  }))
  const values = (field.level === true ? levels : (inner.values ?? [])).map((label): Completion => ({
    label,
    about: '',
    kind: 'value',
  }))
  return place.part === 'key' ? keys : [...values, ...(field.list === undefined ? [] : keys)]
}
