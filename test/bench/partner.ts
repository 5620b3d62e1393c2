import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A process beside the benchmark that prints one line of JSON at its start, and one for each question. */
export interface Partner {
  /** Its next output. Rejects if it ends instead. */
  next(): Promise<unknown>
  /** Writes a line that it does not answer. */
  tell(line: string): void
  /** Writes an empty line and resolves to its answer. */
  ask(): Promise<unknown>
  /** Closes its input, so that it cleans up and ends. */
  end(): void
}

/** Runs a script of this repository with Node. */
export function startPartner(script: URL, ...args: readonly (string | number)[]): Partner {
  const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(script), ...args.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => {
    const line = await lines.next()
    if (line.done === true) throw new Error(`${script.pathname} ended without a result`)
    return JSON.parse(line.value)
  }
  return {
    next,
    tell: (line) => void child.stdin.write(`${line}\n`),
    ask() {
      child.stdin.write('\n')
      return next()
    },
    end: () => void child.stdin.end(),
  }
}
