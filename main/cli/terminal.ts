import { shownLine } from '../../core/text/text.ts'
import type { Ask } from '../cluster/consent.ts'

/** Both ends of a terminal. */
export interface TerminalStreams {
  readonly input: { on(event: 'data', listener: (chunk: Buffer) => void): unknown }
  readonly output: { write(text: string): unknown }
}

export interface Terminal {
  readonly ask: Ask
  /** Calls the listener for each line that does not answer a question. */
  readonly onEnter: (listener: () => void) => void
}

const HOW = 'Type yes to allow exactly this until the console stops, or no to refuse: '

/** The only reader of the keyboard: a line answers the open question, else it goes to the listeners. */
export function createTerminal({ input, output }: TerminalStreams): Terminal {
  const listeners: (() => void)[] = []
  let answer: ((line: string) => void) | undefined
  let reading = false
  let line = ''
  const read = (): void => {
    if (reading) return
    reading = true
    input.on('data', (chunk) => {
      const [first = '', ...rest] = `${line}${chunk.toString('utf8')}`.split('\n')
      const lines = rest.length === 0 ? [] : [first, ...rest.slice(0, -1)]
      line = rest.at(-1) ?? first
      for (const one of lines) {
        if (answer === undefined) for (const listener of listeners) listener()
        else answer(one.trim().toLowerCase())
      }
    })
  }
  return {
    onEnter(listener) {
      listeners.push(listener)
      read()
    },
    ask: (lines, signal) =>
      new Promise((resolve) => {
        const end = (allowed: boolean | undefined, words: string): void => {
          answer = undefined
          output.write(`${words}\n`)
          resolve(allowed)
        }
        output.write(`\n${lines.map(shownLine).join('\n')}\n${HOW}`)
        // Input typed before the question was shown does not answer it.
        line = ''
        answer = (text) => {
          if (text === 'yes') end(true, 'Allowed.')
          else if (text === 'no') end(false, 'Refused.')
          else output.write(HOW)
        }
        signal.addEventListener('abort', () => answer !== undefined && end(undefined, '\nNo answer: not allowed.'), {
          once: true,
        })
        read()
      }),
  }
}
