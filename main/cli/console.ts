import type { Environment } from '../sources/source.ts'
import type { Access } from '../workspace/workspace.ts'

/** 0: done. 1: done, with findings. 2: could not run. */
export type ExitCode = 0 | 1 | 2

/** Everything a command touches outside itself. */
export interface Console {
  readonly environment: Environment
  readonly access: Access
  readonly version: string
  /** Folder of the built page. */
  readonly pageRoot: string
  readonly stateDir: string
  readonly platform: NodeJS.Platform
  /** Ends the command: an interrupt, or an output that nobody reads any more. */
  readonly signal: AbortSignal
  readonly print: (text: string) => void
  /** One sentence for people. */
  readonly tell: (sentence: string) => void
  readonly readStdin: () => Promise<Buffer>
  /** The same, piece by piece; it fails when the command is to end. */
  readonly stdin: () => AsyncIterable<Buffer>
  readonly openBrowser: (url: string) => void
  /** Hears of each line that somebody types; `undefined` when nobody sits at a terminal. */
  readonly onEnter: ((listener: () => void) => void) | undefined
}
