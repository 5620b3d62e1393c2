import { escapeControls, jsonText, shownLine } from '../../core/text/text.ts'
import { codeOf, type Problem, ProblemError } from '../../core/errors.ts'
import { answersMarkdown } from '../../core/report/markdown.ts'
import type { Environment } from '../ports/environment.ts'
import type { SweepRunner, WhatIfRunner } from '../ports/whatIf.ts'
import type { OpenSource } from '../workspace/connectedSource.ts'
import type { Access } from '../workspace/workspace.ts'
import { saidLines, type Said } from './print/terminal.ts'

/** 0: success. 1: success, with findings. 2: could not run. */
export type ExitCode = 0 | 1 | 2

/** How the operator requests a new one-time address. */
export interface Renewal {
  /** What to do, each a clause such as "press Enter". */
  readonly ways: readonly string[]
  readonly listen: (listener: () => void) => void
}

/** Everything a command touches outside itself. */
export interface Console extends Output {
  readonly environment: Environment
  readonly access: Access
  /** Connects the sources of a console that serves a page. */
  readonly openSource: OpenSource
  /** Runs the comparisons of such a console, and the points of sweeps. */
  readonly whatIf: WhatIfRunner & SweepRunner
  readonly version: string
  /** The name the program was called by, for help: `apf-console`, or `kubectl apf`. */
  readonly program: string
  /** Folder of the built page. */
  readonly pageRoot: string
  /** Folder of the scenario library. */
  readonly scenarioFolder: string
  readonly stateDir: string
  readonly platform: NodeJS.Platform
  /** Ends the command: an interrupt, or an output whose reader is gone. */
  readonly signal: AbortSignal
  /** All of standard input. Rejects with `ProblemError` when it is larger, and when the command is to end. */
  readonly readStdin: (mostBytes: number) => Promise<Buffer>
  /** Standard input in chunks; fails when the command is to end. */
  readonly stdin: () => AsyncIterable<Buffer>
  readonly openBrowser: (file: string) => void
  /** Whether `print` writes to a terminal, the only place where a one-time address may be printed. */
  readonly printsToTerminal: boolean
  readonly renewal: Renewal
  /** The folder for files of this login session, if the system has one: `XDG_RUNTIME_DIR`. */
  readonly runtimeDir: string | undefined
}

/**
 * All output of a command. Names of objects, contexts and files, and messages of servers, are foreign text: whatever
 * they contain, a line stays a line, and nothing in it controls the terminal or the log that it ends up in.
 */
export interface Output {
  /** Lines of text for people. */
  readonly print: (lines: readonly string[]) => void
  /** A complete text. */
  readonly printText: (text: string) => void
  /** Rows for other programs, with tabs between cells. */
  readonly printCells: (rows: readonly (readonly string[])[]) => void
  /** A value as JSON, on one line without `indent`. */
  readonly printJson: (value: unknown, indent?: number) => void
  /** What a command answers, as JSON or in words for people: the two say the same. */
  readonly answer: (form: 'text' | 'json' | 'markdown', json: unknown, said: Said) => void
  /** Lines that begin with `::`, for the log of a GitHub job; their values use its own escapes. */
  readonly annotate: (lines: readonly string[]) => void
  /** One sentence for people, on standard error. */
  readonly tell: (sentence: string) => void
}

type Write = (text: string) => void

export function createOutput(stdout: Write, stderr: Write): Output {
  const write = (lines: readonly string[], shown: (line: string) => string): void =>
    stdout(lines.map((line) => `${shown(line)}\n`).join(''))
  const print: Output['print'] = (lines) => write(lines, shownLine)
  const printText: Output['printText'] = (text) => print(text.trimEnd().split('\n'))
  const printJson: Output['printJson'] = (value, indent) => stdout(`${jsonText(value, indent)}\n`)
  return {
    print,
    printJson,
    answer: (form, json, said) => {
      if (form === 'json') printJson(json, 2)
      else if (form === 'text') print(saidLines(said))
      else printText(answersMarkdown(said))
    },
    printText,
    printCells: (rows) => stdout(rows.map((cells) => `${cells.map(shownLine).join('\t')}\n`).join('')),
    annotate: (lines) => write(lines, escapeControls),
    tell: (sentence) => stderr(`apf-console: ${shownLine(sentence)}\n`),
  }
}

/**
 * A problem as lines. Details are included for credentials (a plugin's output, or how to install it) and internal
 * errors only.
 */
export function problemLines({ code, message, details }: Problem): readonly string[] {
  if (details === undefined) return [message]
  if (code === 'internal' || message.includes('the details')) return [`${message} (${details})`]
  return code === 'credentials' ? [message, ...details.split('\n').map((line) => `  ${line}`)] : [message]
}

/** Explains in a sentence why the port of an option cannot be listened on; other errors are returned unchanged. */
export function portProblem(error: unknown, option: string, port: number): unknown {
  const code = codeOf(error)
  if (code === 'EADDRINUSE')
    return new ProblemError('unsupported', `Port ${port} is in use; choose another one or omit --${option}.`)
  if (code === 'EACCES')
    return new ProblemError('forbidden', `This user may not listen on port ${port}; give one above 1023.`)
  return error
}

const PROGRESS_MS = 5_000
const FIRST_PROGRESS_MS = 1_000

/** Reports, once a second has passed, how much of an operation is done, and how many seconds are left. */
export function progressOf(
  { environment, tell }: Pick<Console, 'environment' | 'tell'>,
  sentence: (part: number, seconds: number) => string,
): (part: number) => void {
  const started = environment.now()
  let due = started + FIRST_PROGRESS_MS
  return (part) => {
    const now = environment.now()
    if (now < due || part === 0) return
    due = now + PROGRESS_MS
    tell(sentence(part, Math.round(((now - started) * (1 - part)) / part / 1_000)))
  }
}

/** Prints each sentence once. */
export function tellOnce(tell: Output['tell']): Output['tell'] {
  const printed = new Set<string>()
  return (sentence) => {
    if (!printed.has(sentence)) tell(sentence)
    printed.add(sentence)
  }
}
