import type { Environment } from '../ports/environment.ts'
import type { Output } from './output.ts'
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
  readonly version: string
  /** Folder of the built page. */
  readonly pageRoot: string
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
