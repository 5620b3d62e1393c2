import { SUBCOMMANDS } from '../../core/conformance/answers.ts'
import { QuestionError } from '../../core/conformance/question.ts'
import type { Console, ExitCode } from './console.ts'
import { type Command, type Given, meantInstead, UsageError } from './usage.ts'

export const engine: Command = {
  options: {},
  operands: 'files',
  subcommands: [...SUBCOMMANDS.keys()],
  moreHelp: () => ['', 'Subcommands:', ...summaries()],
  run: runEngine,
}

async function runEngine({ operands }: Given, console: Console): Promise<ExitCode> {
  const [name, more] = operands
  if (more !== undefined)
    throw new UsageError(`${JSON.stringify(more)} is not expected here; engine takes one subcommand.`)
  const subcommand = SUBCOMMANDS.get(name ?? '')
  if (subcommand === undefined) throw new UsageError(whatElse(name))
  const reply = (question: unknown): void => console.printJson(subcommand.answer(question))
  if (subcommand.unasked) {
    reply(undefined)
    return 0
  }
  try {
    await answerAll(console.stdin(), reply)
  } catch (error) {
    if (!console.signal.aborted) throw error
  }
  return 0
}

async function answerAll(input: AsyncIterable<Buffer>, reply: (question: unknown) => void): Promise<void> {
  const decoder = new TextDecoder()
  const values = new JsonValues()
  let asked = 0
  const answerEach = (texts: readonly string[]): void => {
    for (const text of texts) {
      asked += 1
      try {
        reply(JSON.parse(text))
      } catch (error) {
        if (error instanceof QuestionError) throw new UsageError(`Query ${asked}: ${error.message}`)
        if (error instanceof SyntaxError) throw new UsageError(`Query ${asked} is not JSON: ${error.message}.`)
        throw error
      }
    }
  }
  for await (const chunk of input) answerEach(values.push(decoder.decode(chunk, { stream: true })))
  answerEach(values.end())
}

const summaries = (): readonly string[] =>
  [...SUBCOMMANDS].map(([name, { summary }]) => `  ${name.padEnd(21)}  ${summary}`)

function whatElse(name: string | undefined): string {
  if (name === undefined) return 'engine needs a subcommand; --help lists them.'
  const known = [...SUBCOMMANDS.keys()]
  return `There is no subcommand ${JSON.stringify(name)}; ${meantInstead(name, known, '--help lists them.')}`
}

const SPACE = /\s/
/** A query to the engine is a few kilobytes; this bounds an endless one. */
const MOST_CHARACTERS = 64 * 1024 * 1024

/** Splits text that arrives in chunks into consecutive JSON values, on one line or many. */
export class JsonValues {
  private rest = ''
  /** How far `rest` has been scanned. */
  private seen = 0
  private depth = 0
  private inString = false
  private escaped = false

  /** The values that this chunk completes. Throws `UsageError` for one that does not end. */
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

  /** What remains at the end of the input: a word or a number, or the beginning of a value. */
  end(): string[] {
    return this.push('\n').concat(this.rest.trim() === '' ? [] : [this.rest])
  }
}
