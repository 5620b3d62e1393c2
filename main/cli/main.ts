import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { spawn } from 'node:child_process'
import { z } from 'zod'
import { createConsent } from '../cluster/consent.ts'
import { namedByOperator } from '../cluster/namedByOperator.ts'
import { gather } from '../files/files.ts'
import { homeFolder } from '../files/homeFolder.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { openInThread } from '../threads/sourceThread.ts'
import { whatIfInThread } from '../threads/whatIf.ts'
import { systemAccess } from '../workspace/access.ts'
import { stateFolder } from '../workspace/stateFolder.ts'
import { type Console, createOutput } from './console.ts'
import { createInterrupts } from './interrupts.ts'
import { run } from './run.ts'
import { createTerminal } from './terminal.ts'

// The outermost edge of the command line: all dependencies are passed in from here.

/** Both `main/cli/main.ts` and the bundled `out/main/cli.js` are two folders below the application's. */
const root = join(import.meta.dirname, '..', '..')
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

const output = createOutput(
  (text) => void process.stdout.write(text),
  (text) => void process.stderr.write(text),
)
// The message of an uncaught error may contain foreign text as well.
process.on('uncaughtException', (error) => {
  for (const line of (error.stack ?? error.message).split('\n')) output.tell(line)
  process.exit(2)
})

const abort = new AbortController()
const interrupts = createInterrupts(
  () => abort.abort(),
  () => process.exit(130),
  () => performance.now(),
)
process.on('SIGINT', interrupts)
// A terminal that is closed (SIGHUP) leaves behind what the command started in groups of their own.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => abort.abort())
// A reader that exits early (`… | head -1`) closes the pipe, and a terminal fails (EIO); that is an end, not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
  abort.abort()
})
process.stderr.on('error', () => undefined)

const stdin = (): AsyncIterable<Buffer> => addAbortSignal(abort.signal, process.stdin)
const stateDir = stateFolder(process.platform, homeFolder(), process.env)

const scenarioFolder = join(root, 'assets', 'scenarios')
/** If this file was built to JavaScript, so were those of threads. */
const threadFile = (source: string, built: string): string =>
  import.meta.filename.endsWith('.ts') ? join(root, 'main', 'threads', source) : join(root, 'out', 'main', built)
const recording = join(root, 'assets', 'demo', 'recording.ndjson.br')

const hasSignals = process.platform !== 'win32'
const words = process.argv.slice(2)
const screen = [process.stderr, process.stdout].find(({ isTTY }) => isTTY)
const terminal =
  process.stdin.isTTY && screen !== undefined ? createTerminal({ input: process.stdin, output: screen }) : undefined
const consent = createConsent({
  named: namedByOperator(words, process.env),
  operator: terminal && { where: 'terminal', ask: terminal.ask },
  now: () => systemEnvironment.now(),
})

/** Read once: the manifests on it are evaluated with the version of a server that is only known later. */
let input: Promise<Buffer> | undefined

const console: Console = {
  environment: systemEnvironment,
  access: systemAccess(recording, stateDir, consent),
  openSource: openInThread({
    file: threadFile('thread.ts', 'thread.js'),
    stateDir,
    recording,
    words,
    consent,
  }),
  whatIf: whatIfInThread({ file: threadFile('whatIfThread.ts', 'whatif.js'), scenarioFolder }),
  version,
  // Set by main/bootstrap/kubectlApf.mjs.
  program: process.env['APF_CONSOLE_CALLED'] ?? 'apf-console',
  pageRoot: join(root, 'out', 'renderer'),
  scenarioFolder,
  stateDir,
  platform: process.platform,
  signal: abort.signal,
  ...output,
  readStdin: (mostBytes) => (input ??= gather('The standard input', stdin(), { mostBytes, signal: abort.signal })),
  stdin,
  openBrowser: (file) => openBrowser(process.platform, file),
  printsToTerminal: process.stdout.isTTY,
  renewal: {
    ways: [
      ...(terminal ? ["press Enter in the console's terminal"] : []),
      ...(hasSignals ? [`run kill -USR2 ${process.pid}`] : []),
    ],
    listen(listener) {
      terminal?.onEnter(listener)
      if (hasSignals) process.on('SIGUSR2', listener)
    },
  },
  runtimeDir: process.env['XDG_RUNTIME_DIR'],
}

process.exitCode = await run(words, console)
// Unread standard input, or a kept-alive connection, must not keep the process running.
process.stdout.write('', () => process.exit())

/**
 * Program and arguments that open a file in the user's browser. Always a file, never an address: every user of the
 * machine can read the arguments.
 */
function browserCommand(platform: NodeJS.Platform, file: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [file]]
  // `start` is a shell command, and the shell would interpret & and ^ in a path; this program is started without a
  // shell.
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', file]]
  return ['xdg-open', [file]]
}

/** Does nothing if there is no browser: the address or the path of its file was printed. */
function openBrowser(platform: NodeJS.Platform, file: string): void {
  const [program, args] = browserCommand(platform, file)
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
