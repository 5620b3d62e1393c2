// Plain JavaScript for whatever Node the machine has (18 or newer): installs what the lockfile names, once, and runs
// tools on the Node 24 that comes with it.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundledNode, root, run } from './runtime.mjs'

const modules = path.join(root, 'node_modules')
const stampFile = path.join(modules, '.apf-install')

/** Path of the Node that runs everything but this bootstrap; available once everything is installed. */
export function nodePath() {
  const node = bundledNode()
  if (node === undefined) throw new Error('No Node is installed; ensureInstalled comes first')
  return node
}

/** What an installation was made from: another lockfile, system or architecture makes it stale. */
function wantedStamp() {
  const lock = readFileSync(path.join(root, 'package-lock.json'))
  return [createHash('sha256').update(lock).digest('hex'), process.platform, process.arch].join(' ')
}

function isInstalled() {
  if (bundledNode() === undefined) return false
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined
  if (stamp === wantedStamp()) return true
  const elsewhere = stamp !== undefined && !stamp.endsWith(` ${process.platform} ${process.arch}`)
  const record = path.join(modules, '.package-lock.json')
  if (elsewhere || !existsSync(record)) return false
  /** @param {string} file */
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
  if (!holdsAll(read(path.join(root, 'package-lock.json')), read(record))) return false
  // `npm ci` was run by hand, maybe by another user, whose folder is compared again the next time.
  if (unwritable(modules) === undefined) writeFileSync(stampFile, wantedStamp())
  return true
}

/**
 * The code of the system that forbids writing in a folder; `undefined` where nothing does.
 * @param {string} folder
 * @returns {string | undefined}
 */
function unwritable(folder) {
  /** @type {string | undefined} */
  let own
  try {
    own = mkdtempSync(path.join(folder, '.apf-write-'))
    // A full disk may still have room for a folder.
    writeFileSync(path.join(own, 'x'), 'x')
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true })
  }
}

/**
 * What writes into the checkout, the room that it takes there, and why it fails where there is room.
 * @typedef {{ readonly name: string, readonly room: string, readonly bytes: number, readonly otherwise: string }} Step
 * @type {Step}
 */
export const INSTALLATION = {
  name: 'installation',
  // npm unpacks next to its cache.
  room: '1,000 MB',
  bytes: 1_000_000_000,
  otherwise:
    'npm could not fetch the packages named above; check the network or the registry that `npm config get registry` prints, then run the command again',
}

/**
 * Why a step cannot write in a folder, before it runs or after it failed; `undefined` where nothing is known against it.
 * @param {Step} step
 * @param {string} folder
 * @param {{ unwritable?: string | undefined, freeBytes: number, failed: boolean }} state
 */
export function obstacleTo({ name, room, bytes, otherwise }, folder, { unwritable: code, freeBytes, failed }) {
  if (code === 'ENOSPC' || code === 'EDQUOT' || (failed && freeBytes < bytes)) {
    return `The ${name} failed: the disk of ${folder} is full: ${room} are needed there. Free some space, then run the command again.\n`
  }
  if (code !== undefined) {
    return `The ${name} failed: you cannot write in ${folder} (${code}). Make it writable, or copy it to a folder of your own, then run the command again.\n`
  }
  return failed ? `The ${name} failed: ${otherwise}.\n` : undefined
}

/**
 * Runs a step; ends the process with a sentence where it cannot write, or fails.
 * @param {Step} step
 * @param {string} folder what it writes into
 * @param {() => Promise<boolean>} work whether it succeeded
 */
export async function runStep(step, folder, work) {
  // What is unpacked or built is removed when it fails, and the space with it.
  const freeBytes = freeBytesOf()
  /** @param {boolean} failed */
  const assertPossible = (failed) => {
    const obstacle = obstacleTo(step, folder, { unwritable: unwritable(folder), freeBytes, failed })
    if (obstacle === undefined) return
    process.stderr.write(obstacle)
    process.exit(2)
  }
  assertPossible(false)
  if (!(await work())) assertPossible(true)
}

/** Node 18.0 to 18.14 cannot tell. */
function freeBytesOf() {
  const { bavail, bsize } = statfsSync?.(root) ?? { bavail: Number.POSITIVE_INFINITY, bsize: 1 }
  return bavail * bsize
}

/**
 * @typedef {{ readonly version?: string, readonly integrity?: string, readonly optional?: boolean, readonly devOptional?: boolean }} LockedPackage
 * @typedef {{ readonly packages?: Readonly<Record<string, LockedPackage>> }} Lock
 */

/**
 * Whether what npm records of an installation (`node_modules/.package-lock.json`) is what a lockfile names. Optional
 * packages are for other systems where they are missing.
 * @param {Lock} lock
 * @param {Lock} installed
 */
export function holdsAll(lock, installed) {
  return Object.entries(lock.packages ?? {}).every(([folder, wanted]) => {
    if (folder === '') return true
    const found = installed.packages?.[folder]
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

function npmCommand() {
  // npm passes its own path to the scripts that it runs; otherwise the one on the PATH (a .cmd on Windows needs a shell).
  const own = process.env['npm_execpath']
  if (own !== undefined && own.endsWith('.js')) return { command: process.execPath, first: [own], options: {} }
  return { command: 'npm', first: [], options: { shell: process.platform === 'win32' } }
}

/** @param {string[]} args */
export async function npm(...args) {
  const { command, first, options } = npmCommand()
  // The output of npm must not mix with that of the command that was called: `npm run -s apf -- snapshot > frame.json`.
  return run(command, [...first, ...args], { cwd: root, ...options, stdio: ['inherit', 2, 'inherit'] })
}

/** Installs from the lockfile when needed. Ends the process with one sentence when that fails. */
export async function ensureInstalled() {
  if (isInstalled()) return
  const started = Date.now()
  await runStep(INSTALLATION, root, async () => {
    process.stderr.write('Installing what the lockfile names (once, about a minute)\n')
    const progress = setInterval(() => {
      process.stderr.write(`  still installing, ${Math.round((Date.now() - started) / 1000)} s\n`)
    }, 10_000)
    const code = await npm('ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional')
    clearInterval(progress)
    return code === 0 && bundledNode() !== undefined
  })
  writeFileSync(stampFile, wantedStamp())
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s\n`)
}

/**
 * Environment in which `node` and the installed tools come first, and every Node reuses what an earlier one compiled: a
 * command that runs from its sources starts with a third of the processor time.
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnvironment() {
  const bin = [path.dirname(nodePath()), path.join(modules, '.bin')].join(path.delimiter)
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return {
    NODE_COMPILE_CACHE: path.join(root, '.cache', 'compiled'),
    ...process.env,
    [key]: [bin, process.env[key] ?? ''].join(path.delimiter),
  }
}

/**
 * Names of tools that differ from the package that brings them.
 * @type {Readonly<Record<string, string>>}
 */
const PACKAGE_OF = { tsc: 'typescript' }

/**
 * The script behind an installed tool, to be run by our Node on every platform (`.cmd` shims would need a shell).
 * @param {string} tool
 */
export function toolScript(tool) {
  const name = PACKAGE_OF[tool] ?? tool
  const folder = path.join(modules, name)
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  return path.join(folder, typeof bin === 'string' ? bin : bin[tool])
}

/**
 * Runs `node …` or an installed tool on Node 24, in the checkout by default; returns its exit code.
 * @param {string} tool
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 */
export function runTool(tool, args, options = {}) {
  const script = tool === 'node' ? [] : [toolScript(tool)]
  return run(nodePath(), [...script, ...args], { cwd: root, env: toolEnvironment(), ...options })
}
