import { spawn } from 'node:child_process'

/** Program and arguments that open an address in the user's browser. */
export function browserCommand(platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [url]]
  // `start` is a word of the shell, which would read & and ^ of an address; this one is started without a shell.
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]]
  return ['xdg-open', [url]]
}

/** Tries; the address was printed, so nothing is lost where there is no browser. */
export function openBrowser(platform: NodeJS.Platform, url: string): void {
  const [program, args] = browserCommand(platform, url)
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
