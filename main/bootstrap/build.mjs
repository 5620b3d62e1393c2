// Builds the application into out/ when its sources changed since the last build.
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeBill } from './bill.mjs'
import { nodePath, runStep, runTool } from './install.mjs'
import { root } from './runtime.mjs'

const out = path.join(root, 'out')
const stampFile = path.join(out, '.sources')
/** Beside the built console: its manual pages and completions, which packages install. */
const shell = path.join(out, 'shell')
/** @type {import('./install.mjs').Step} */
export const BUILD = {
  name: 'build',
  room: '50 MB',
  bytes: 50_000_000,
  otherwise: 'what is wrong with the sources stands above',
}
const sources = ['core', 'main', 'renderer', 'electron.vite.config.ts', 'package-lock.json']

/**
 * @param {string} entry
 * @returns {Generator<string>}
 */
function* files(entry) {
  if (statSync(entry).isDirectory()) {
    for (const name of readdirSync(entry).sort()) yield* files(path.join(entry, name))
  } else yield entry
}

function wantedStamp() {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of files(path.join(root, source))) {
      const { size, mtimeMs } = statSync(file)
      hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}

/** Ends the process with one sentence when the build fails. */
export async function ensureBuilt() {
  const wanted = wantedStamp()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return
  await runStep(BUILD, existsSync(out) ? out : root, async () => {
    process.stderr.write('Building the console\n')
    return (await runTool('electron-vite', ['build', '--logLevel', 'warn'])) === 0
  })
  writeShellFiles()
  writeBill()
  writeFileSync(stampFile, wanted)
}

function writeShellFiles() {
  mkdirSync(shell, { recursive: true })
  /** @param {string[]} words */
  const printed = (...words) => execFileSync(nodePath(), [path.join(out, 'main', 'cli.js'), ...words])
  writeFileSync(path.join(shell, 'apf-console.1'), printed('manual'))
  writeFileSync(path.join(shell, 'kubectl-apf.1'), '.so man1/apf-console.1\n')
  for (const name of ['bash', 'zsh', 'fish'])
    writeFileSync(path.join(shell, `apf-console.${name}`), printed('completion', name))
}
