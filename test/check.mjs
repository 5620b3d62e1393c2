// `npm run check`: types, lint, format, unused code, size of the page and unit tests, for every commit. Runs all of them
// even when one fails, so that one run tells everything.
import { ensureInstalled, runTool, toolEnvironment } from '../main/bootstrap/install.mjs'

await ensureInstalled()

/** @typedef {readonly [name: string, tool: string, args: readonly string[]]} Step */

/** Which are done side by side, each list in its order: all but lint and tests keep one core busy. */
/** @type {ReadonlyArray<ReadonlyArray<readonly Step[]>>} */
const rounds = [
  [
    [['lint', 'oxlint', ['--type-aware', '--deny-warnings']]],
    [
      ['types', 'tsc', ['-b']],
      ['format', 'prettier', ['--check', '--cache', '--cache-location', '.cache/prettier', '--log-level', 'warn', '.']],
      ['unused code', 'knip', ['--no-progress']],
      ['size of the page', 'node', ['test/pageSize.ts']],
    ],
  ],
  [[['unit tests', 'vitest', ['run', '--project', 'unit', '--project', 'renderer', '--reporter=dot']]]],
]

// A dot for each test, in colour, is a flood where it is read as text.
const env = process.stdout.isTTY ? toolEnvironment() : { ...toolEnvironment(), NO_COLOR: '1', FORCE_COLOR: '0' }
/** @type {string[]} */
const failed = []

/** @param {readonly Step[]} steps */
async function inTurn(steps) {
  for (const [name, tool, args] of steps) {
    const started = Date.now()
    const code = await runTool(tool, args, { env })
    process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
    if (code !== 0) failed.push(name)
  }
}

for (const round of rounds) await Promise.all(round.map(inTurn))
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
