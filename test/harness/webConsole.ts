import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The built console in web mode, as a process of its own with a state folder of its own. */
export interface RunningConsole {
  /** The address that it printed, with its token. */
  readonly address: string
  stop(): Promise<void>
}

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/

export async function startConsole(args: readonly string[] = ['--demo']): Promise<RunningConsole> {
  const state = mkdtempSync(path.join(tmpdir(), 'apf-e2e-'))
  const child = spawn(process.execPath, ['out/main/cli.js', 'web', ...args], {
    env: { ...process.env, APF_CONSOLE_STATE: state, KUBECONFIG: path.join(state, 'no-kubeconfig') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await printedAddress(child)
  return {
    address,
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

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString()
      const found = ADDRESS.exec(printed)
      if (found !== null) resolve(found[0])
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', (code) => reject(new Error(`the console ended with ${code}: ${printed}`)))
  })
}
