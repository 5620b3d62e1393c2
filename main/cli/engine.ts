import { SUBCOMMANDS } from '../../core/conformance/answers.ts'
import { QuestionError } from '../../core/conformance/question.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { JsonValues } from './jsonValues.ts'
import { nearest } from '../../core/text/nearest.ts'
import { readOptions, UsageError } from './usage.ts'

const OPTIONS = { help: { type: 'boolean', short: 'h' } } as const

export async function engine(args: readonly string[], console: Console): Promise<ExitCode> {
  const named = args[0]?.startsWith('-') === false
  const name = named ? args[0] : undefined
  if (readOptions(named ? args.slice(1) : args, OPTIONS).flag('help')) {
    console.print([...HELP.engine.split('\n'), '', 'Subcommands:', ...summaries()])
    return 0
  }
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
        if (error instanceof QuestionError) throw new UsageError(`Question ${asked}: ${error.message}`)
        if (error instanceof SyntaxError) throw new UsageError(`Question ${asked} is not JSON: ${error.message}.`)
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
  const meant = nearest(name, [...SUBCOMMANDS.keys()])
  return `There is no subcommand ${JSON.stringify(name)}; ${meant === undefined ? '--help lists them.' : `did you mean ${meant}?`}`
}
