import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/** A server process with its output in a log file. */
export interface Server {
  /** Why it ended by itself, with the end of its log; `undefined` while it runs. */
  ended(): Promise<string | undefined>
  /** SIGTERM, and SIGKILL after a grace period. */
  stop(): Promise<void>
  /** SIGKILL at once: the process cannot shut down its connections. */
  kill(): Promise<void>
}

const GRACE_MS = 15_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Where the output of a server is kept that was started as `name` in `cwd`; another start adds to it. */
export const logOf = (name: string, cwd: string): string => `${cwd}/${name}.log`

export function startServer(name: string, path: string, args: readonly string[], cwd: string): Server {
  const log = logOf(name, cwd)
  const output = openSync(log, 'a', 0o600)
  const child = spawn(path, args, { cwd, stdio: ['ignore', output, output] })
  closeSync(output)
  const over = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  // A run that dies, or is stopped, must not leave servers behind.
  const killNow = (): void => void child.kill('SIGKILL')
  const dieToo = (signal: NodeJS.Signals): void => {
    killNow()
    process.kill(process.pid, signal)
  }
  const dieAlone = (): void => {
    process.off('exit', killNow)
    for (const signal of SIGNALS) process.off(signal, dieToo)
  }
  process.once('exit', killNow)
  for (const signal of SIGNALS) process.once(signal, dieToo)
  return {
    ended: async () => {
      if (isRunning(child)) return undefined
      const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
      return `${name} ended with ${child.exitCode ?? child.signalCode ?? 'no process'}:\n${lines.slice(-15).join('\n')}`
    },
    stop: async () => {
      dieAlone()
      if (!isRunning(child)) return
      child.kill('SIGTERM')
      const timer = setTimeout(killNow, GRACE_MS)
      await over
      clearTimeout(timer)
    },
    kill: async () => {
      dieAlone()
      if (!isRunning(child)) return
      killNow()
      await over
    },
  }
}

const isRunning = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null

/** A TCP port of the loopback interface that nothing listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'))
        else resolve(address.port)
      })
    })
  })
}
