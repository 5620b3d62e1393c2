import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export interface Case {
  readonly in: unknown
  readonly out: unknown
}

/** Fresh random cases of one kind with upstream's answers; the same seed gives the same ones. */
export async function generate(path: string, kind: string, seed: number, count: number): Promise<readonly Case[]> {
  const args = ['gen', '--kind', kind, '--seed', String(seed), '--count', String(count)]
  const { stdout } = await promisify(execFile)(path, args, { maxBuffer: 1 << 30 })
  return (JSON.parse(stdout) as { readonly cases: readonly Case[] }).cases
}

/** The oracle as a process that answers one question after the other. */
export class Oracle {
  private readonly path: string
  private readonly subcommand: string
  private process: ChildProcessWithoutNullStreams | undefined
  private lines: AsyncIterator<string> | undefined

  constructor(path: string, subcommand: string) {
    this.path = path
    this.subcommand = subcommand
  }

  /** Upstream's answer; `undefined` when the question ends the oracle, as an impossible configuration does. */
  async ask(question: unknown): Promise<unknown> {
    const { process, lines } = this.started()
    process.stdin.write(`${JSON.stringify(question)}\n`)
    const line = await lines.next()
    if (line.done !== true) return JSON.parse(line.value)
    this.process = undefined
    return undefined
  }

  stop(): void {
    this.process?.kill()
    this.process = undefined
  }

  private started() {
    if (this.process !== undefined && this.lines !== undefined) return { process: this.process, lines: this.lines }
    const process = spawn(this.path, [this.subcommand])
    // Its last output is not needed, and a question to one that has ended is detected by the missing answer.
    process.stderr.resume()
    process.stdin.on('error', () => undefined)
    const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]()
    this.process = process
    this.lines = lines
    return { process, lines }
  }
}

/**
 * Whether upstream can give one answer only. It runs simultaneous events concurrently, visits levels in random order,
 * which matters where an allocation lies at a half, and its stale releases are a defect that the engine guards against
 * (trap T29).
 */
export function isCertain(subcommand: string, answer: unknown): boolean {
  const told = answer as Readonly<Record<string, unknown>>
  if (['ties', 'panics', 'staleRemovals', 'unstable'].some((field) => told[field] !== undefined)) return false
  return subcommand !== 'limits' || (told['levels'] as readonly LevelAnswer[]).every(isClear)
}

interface LevelAnswer {
  readonly allocByName?: number
}
const isClear = ({ allocByName = 0 }: LevelAnswer): boolean =>
  Math.abs(allocByName - Math.floor(allocByName) - 0.5) >= 1e-9
