import { escapeControls, jsonText, shownLine } from '../../core/text/text.ts'
import { type Problem, ProblemError } from '../../core/contract/errors.ts'
import type { Environment } from '../ports/environment.ts'
import type { SweepDesk, WhatIfDesk } from '../ports/whatIf.ts'
import type { OpenSource } from '../workspace/connectedSource.ts'
import type { Access } from '../workspace/workspace.ts'

/** 0: done. 1: done, with findings. 2: could not run. */
export type ExitCode = 0 | 1 | 2

/** How the operator asks for a new one-time address. */
export interface Renewal {
  /** What to do, each a clause such as "press Enter". */
  readonly ways: readonly string[]
  readonly listen: (listener: () => void) => void
}

/** Everything a command touches outside itself. */
export interface Console extends Output {
  readonly environment: Environment
  readonly access: Access
  /** Connects the sources of a console that serves windows. */
  readonly openSource: OpenSource
  /** Where the comparisons of such a console run, and the points of sweeps. */
  readonly whatIf: WhatIfDesk & SweepDesk
  readonly version: string
  /** What was called, as help names it: `apf-console`, or `kubectl apf`. */
  readonly program: string
  /** Folder of the built page. */
  readonly pageRoot: string
  /** Folder of the scenario library. */
  readonly scenarioFolder: string
  readonly stateDir: string
  readonly platform: NodeJS.Platform
  /** Ends the command: an interrupt, or an output that nobody reads any more. */
  readonly signal: AbortSignal
  /** The whole of it. Rejects with `ProblemError` where it is larger, and when the command is to end. */
  readonly readStdin: (mostBytes: number) => Promise<Buffer>
  /** The same, piece by piece; it fails when the command is to end. */
  readonly stdin: () => AsyncIterable<Buffer>
  /** Opens a file. */
  readonly openBrowser: (file: string) => void
  /** Whether `print` writes to a terminal, the only place where a one-time address may be printed. */
  readonly printsToTerminal: boolean
  readonly renewal: Renewal
  /** The folder for files of this login session, if the system has one: `XDG_RUNTIME_DIR`. */
  readonly runtimeDir: string | undefined
}

/**
 * All that a command writes. Names of objects, contexts and files and messages of servers are others' words: whatever
 * they hold, a line stays a line, and nothing in it acts on the terminal or the log that it ends in.
 */
export interface Output {
  /** Lines of text for people. */
  readonly print: (lines: readonly string[]) => void
  /** A whole text. */
  readonly printText: (text: string) => void
  /** Rows for other programs, with tabs between the cells. */
  readonly printCells: (rows: readonly (readonly string[])[]) => void
  /** A value as JSON, on one line without `indent`. */
  readonly printJson: (value: unknown, indent?: number) => void
  /** Lines that begin with `::`, for the log of a GitHub job; their values have its own escapes. */
  readonly annotate: (lines: readonly string[]) => void
  /** One sentence for people, on standard error. */
  readonly tell: (sentence: string) => void
}

type Write = (text: string) => void

export function createOutput(stdout: Write, stderr: Write): Output {
  const write = (lines: readonly string[], shown: (line: string) => string): void =>
    stdout(lines.map((line) => `${shown(line)}\n`).join(''))
  return {
    print: (lines) => write(lines, shownLine),
    printText: (text) => write(text.trimEnd().split('\n'), shownLine),
    printCells: (rows) => stdout(rows.map((cells) => `${cells.map(shownLine).join('\t')}\n`).join('')),
    printJson: (value, indent) => stdout(`${jsonText(value, indent)}\n`),
    annotate: (lines) => write(lines, escapeControls),
    tell: (sentence) => stderr(`apf-console: ${shownLine(sentence)}\n`),
  }
}

/** A problem in lines. What a credential plugin wrote, or how to install it, belongs to them; other details do not. */
export function problemLines({ code, message, details }: Problem): readonly string[] {
  if (details === undefined) return [message]
  if (code === 'internal') return [`${message} (${details})`]
  return code === 'credentials' ? [message, ...details.split('\n').map((line) => `  ${line}`)] : [message]
}

/** Why a port that an option named cannot be listened on, in a sentence; other errors stay as they are. */
export function portProblem(error: unknown, option: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new ProblemError('unsupported', `Port ${port} is in use; give another one or leave out --${option}.`)
  if (code === 'EACCES')
    return new ProblemError('forbidden', `This user may not listen on port ${port}; give one above 1023.`)
  return error
}

const PROGRESS_MS = 5_000

/** Reports now and then how far something long is: the part that is done, and the seconds that the rest will take. */
export function progressOf(
  { environment, tell }: Pick<Console, 'environment' | 'tell'>,
  sentence: (part: number, seconds: number) => string,
): (part: number) => void {
  const started = environment.now()
  let toldAt = started
  return (part) => {
    const now = environment.now()
    if (now - toldAt < PROGRESS_MS || part === 0) return
    toldAt = now
    tell(sentence(part, Math.round(((now - started) * (1 - part)) / part / 1_000)))
  }
}

/** Tells each sentence once. */
export function tellOnce(tell: Output['tell']): Output['tell'] {
  const told = new Set<string>()
  return (sentence) => {
    if (!told.has(sentence)) tell(sentence)
    told.add(sentence)
  }
}

/** Wider cells stand out of their column: one name of a megabyte must not make every row as long. */
const WIDEST = 80

/**
 * Rows of text in columns as wide as their widest cell; numbers belong to the right. The last alignment is that of all
 * further columns.
 */
export function textTable(
  rows: readonly (readonly string[])[],
  align: readonly ('left' | 'right')[],
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(WIDEST, cell.length))
    }
  }
  const padded = (cell: string, column: number): string =>
    (align[column] ?? align.at(-1)) === 'right' ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}
