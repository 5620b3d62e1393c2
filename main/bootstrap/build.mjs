// Builds the application into out/ when its sources changed since the last build.
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeBill } from './bill.mjs'
import { nodePath, runTool } from './install.mjs'
import { root } from './runtime.mjs'

const stampFile = path.join(root, 'out', '.sources')
/** Beside the built console: its manual pages and completions, which packages install. */
const shell = path.join(root, 'out', 'shell')
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
  process.stderr.write('Building the console\n')
  const code = await runTool('electron-vite', ['build', '--logLevel', 'warn'])
  if (code !== 0) {
    process.stderr.write('The build failed; what is wrong with the sources stands above.\n')
    process.exit(2)
  }
  writeShellFiles()
  writeBill()
  writeFileSync(stampFile, wanted)
}

function writeShellFiles() {
  mkdirSync(shell, { recursive: true })
  /** @param {string[]} words */
  const printed = (...words) => execFileSync(nodePath(), [path.join(root, 'out', 'main', 'cli.js'), ...words])
  writeFileSync(path.join(shell, 'apf-console.1'), printed('manual'))
  writeFileSync(path.join(shell, 'kubectl-apf.1'), '.so man1/apf-console.1\n')
  for (const name of ['bash', 'zsh', 'fish'])
    writeFileSync(path.join(shell, `apf-console.${name}`), printed('completion', name))
}
