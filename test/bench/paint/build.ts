import { spawn } from 'node:child_process'
import path from 'node:path'

export const ROOT = path.resolve(import.meta.dirname, '../../..')

/** Builds the console as `npm run build` does, so that the current sources are measured. */
export function buildConsole(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [path.join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn'],
      {
        cwd: ROOT,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`electron-vite build ended with ${code}.`)),
    )
  })
}
