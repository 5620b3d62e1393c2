// `npm run check`: types, lint, format, unused code, size of the page and unit tests, for every commit. Runs all of them
// even when one fails, so that one run tells everything.
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ensureInstalled, runTool, toolEnvironment } from '../main/bootstrap/install.mjs'
import { root } from '../main/bootstrap/runtime.mjs'

await ensureInstalled()

/** @typedef {readonly [name: string, tool: string, args: readonly string[]]} Step */

/**
 * Which are done side by side, each list in its order: one part or another always has work for a core that another
 * leaves idle while it begins or ends.
 * @type {ReadonlyArray<readonly Step[]>}
 */
const lists = [
  [['lint', 'oxlint', ['--type-aware', '--deny-warnings']]],
  [['unit tests', 'vitest', ['run', '--project', 'unit', '--project', 'renderer', '--reporter=dot']]],
  [
    ['types', 'tsc', ['-b']],
    ['format', 'prettier', ['--check', '--cache', '--cache-location', '.cache/prettier', '--log-level', 'warn', '.']],
    ['unused code', 'knip', ['--no-progress']],
    ['size of the page', 'node', ['test/pageSize.ts']],
  ],
]

// What a step prints follows when it has ended: reports that grow at once cannot be read.
const logs = path.join(root, '.cache', 'check')
mkdirSync(logs, { recursive: true })
const env = { ...toolEnvironment(), NO_COLOR: '1', FORCE_COLOR: '0' }
/** @type {string[]} */
const failed = []

/** @param {readonly Step[]} steps */
async function inTurn(steps) {
  for (const [name, tool, args] of steps) {
    const started = Date.now()
    const printed = path.join(logs, `${name}.log`)
    const log = openSync(printed, 'w')
    const code = await runTool(tool, args, { env, stdio: ['ignore', log, log] })
    closeSync(log)
    process.stdout.write(readFileSync(printed))
    process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
    if (code !== 0) failed.push(name)
  }
}

await Promise.all(lists.map(inTurn))
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
