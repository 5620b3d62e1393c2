import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { FrameSchema, type Frame } from '../../core/frame/frame.ts'

/**
 * What Node is started with for the command line: as built (test/harness/built.ts), because the sources cost three times
 * the processor time at each start.
 */
export const COMMAND: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('../../out/main/cli.js', import.meta.url)),
]

export interface Running {
  /** Resolves to the next frame that the command prints. */
  readonly nextFrame: () => Promise<Frame>
  /** What it has printed on standard output and standard error so far. */
  readonly output: () => string
  readonly told: () => string
  readonly input: Writable
  readonly interrupt: () => void
  readonly terminate: () => void
  readonly signal: (signal: NodeJS.Signals) => void
  /** Closes the pipe that it prints into, as `head` does. */
  readonly stopReading: () => void
  /** The exit code. */
  readonly ended: Promise<number | null>
}

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly told: string
}

/** The command line as people run it, in a process of its own. */
export function startCommand(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let told = ''
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  // Created when it is read from: unread lines would block the output.
  let lines: AsyncIterator<string> | undefined
  return {
    async nextFrame() {
      lines ??= createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const line = await lines.next()
      if (line.done === true) throw new Error(`the command ended: ${told}`)
      return FrameSchema.parse(JSON.parse(line.value))
    },
    output: () => output,
    told: () => told,
    input: child.stdin,
    interrupt: () => void child.kill('SIGINT'),
    terminate: () => void child.kill('SIGTERM'),
    signal: (signal) => void child.kill(signal),
    stopReading: () => void child.stdout.destroy(),
    ended: new Promise((resolve) => child.once('close', resolve)),
  }
}

/** Runs to the end, without any input. */
export async function runCommand(...args: readonly string[]): Promise<Finished> {
  const running = startCommand(...args)
  running.input.end()
  const code = await running.ended
  return { code, output: running.output(), told: running.told() }
}
