import { escapeControls, jsonText, shownLine } from '../../core/text/controls.ts'

/**
 * All that a command writes. Names of objects, contexts and files and messages of servers are others' words: whatever
 * they hold, a line stays a line, and nothing in it acts on the terminal or the log that it ends in.
 */
export interface Output {
  /** Lines of text for people. */
  readonly print: (lines: readonly string[]) => void
  /** A value as JSON, on one line without `indent`. */
  readonly printJson: (value: unknown, indent?: number) => void
  /** Lines that begin with `::`, for the log of a GitHub job; their values have its own escapes. */
  readonly annotate: (lines: readonly string[]) => void
  /** One sentence for people, on standard error. */
  readonly tell: (sentence: string) => void
}

export type Write = (text: string) => void

export function createOutput(stdout: Write, stderr: Write): Output {
  const write = (lines: readonly string[], shown: (line: string) => string): void =>
    stdout(lines.map((line) => `${shown(line)}\n`).join(''))
  return {
    print: (lines) => write(lines, shownLine),
    printJson: (value, indent) => stdout(`${jsonText(value, indent)}\n`),
    annotate: (lines) => write(lines, escapeControls),
    tell: (sentence) => stderr(`apf-console: ${shownLine(sentence)}\n`),
  }
}
