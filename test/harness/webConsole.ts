import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The built console in web mode, as a process of its own with a state folder of its own. */
export interface RunningConsole {
  /** A one-time address, from the file whose path it printed. */
  readonly address: string
  /** The path of that file. */
  readonly file: string
  /** Another address, as the operator requests it. */
  newAddress(): Promise<string>
  /** Standard output and error so far. */
  readonly printed: () => string
  stop(): Promise<void>
}

export async function startConsole(args: readonly string[] = ['--demo']): Promise<RunningConsole> {
  return runConsole(['out/main/cli.js', 'web', ...args])
}

/** A script that becomes web mode. */
export async function runConsole(
  command: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningConsole> {
  const state = mkdtempSync(path.join(tmpdir(), 'apf-e2e-'))
  const own = { XDG_RUNTIME_DIR: '', APF_CONSOLE_STATE: state, KUBECONFIG: path.join(state, 'no-kubeconfig') }
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...own, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const file = await nextAddressFile(child)
  const address = addressIn(file)
  return {
    address,
    file,
    printed: () => printed,
    async newAddress() {
      const next = nextAddressFile(child)
      child.kill('SIGUSR2')
      return addressIn(await next)
    },
    stop: async () => {
      // A test may have ended it already.
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(state, { recursive: true, force: true })
    },
  }
}

/** The next path that web mode prints of a file with its address, which it does when it prints into a pipe. */
export function nextAddressFile(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString()
      const [, file] = /^Address file: (.+)\n/m.exec(printed) ?? []
      if (file === undefined) return
      child.stdout?.off('data', hear)
      child.stderr?.off('data', hear)
      child.off('exit', fail)
      resolve(file)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    const fail = (code: number | null): void => reject(new Error(`the console ended with ${code}: ${printed}`))
    child.once('exit', fail)
  })
}

/** Where such a file sends the browser. */
export function addressIn(file: string): string {
  const [, address] = /href="([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? []
  if (address === undefined) throw new Error(`there is no address in ${file}`)
  return address
}
