import { spawn } from 'node:child_process'

/**
 * Program and arguments that open a file in the user's browser. A file and never an address: every user of the machine
 * can read the arguments.
 */
export function browserCommand(platform: NodeJS.Platform, file: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [file]]
  // `start` is a word of the shell, which would interpret & and ^ in a path; this one is started without a shell.
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', file]]
  return ['xdg-open', [file]]
}

/** Does nothing where there is no browser: the address or the path of its file was printed. */
export function openBrowser(platform: NodeJS.Platform, file: string): void {
  const [program, args] = browserCommand(platform, file)
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
