import { UsageError } from './usage.ts'

const SPACE = /\s/
/** A question to the engine is a few kilobytes; this is an end for one that has none. */
const MOST_CHARACTERS = 64 * 1024 * 1024

/** Cuts text that arrives in pieces into JSON values that stand one after the other, on one line or many. */
export class JsonValues {
  private rest = ''
  /** Up to where `rest` has been looked at. */
  private seen = 0
  private depth = 0
  private inString = false
  private escaped = false

  /** The values that are complete with this piece. Throws `UsageError` for one that does not end. */
  push(piece: string): string[] {
    this.rest += piece
    if (this.rest.length > MOST_CHARACTERS) throw new UsageError('A JSON value is longer than 64 MB.')
    const values: string[] = []
    let start = 0
    for (; this.seen < this.rest.length; this.seen++) {
      const character = this.rest.charAt(this.seen)
      if (this.inString) {
        if (this.escaped) this.escaped = false
        else if (character === '\\') this.escaped = true
        else if (character === '"') this.inString = false
      } else if (character === '"') {
        this.inString = true
      } else if (character === '{' || character === '[') {
        this.depth += 1
      } else if (character === '}' || character === ']') {
        this.depth -= 1
        if (this.depth > 0) continue
        this.depth = 0
        values.push(this.rest.slice(start, this.seen + 1))
        start = this.seen + 1
      } else if (this.depth === 0 && SPACE.test(character)) {
        // The end of a word, a number or a string.
        values.push(this.rest.slice(start, this.seen))
        start = this.seen + 1
      }
    }
    this.rest = this.rest.slice(start)
    this.seen = this.rest.length
    return values.filter((value) => value.trim() !== '')
  }

  /** What is left when nothing more comes: a word or a number, or the beginning of a value. */
  end(): string[] {
    return this.push('\n').concat(this.rest.trim() === '' ? [] : [this.rest])
  }
}
