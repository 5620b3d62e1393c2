// Every test that needs no cluster, with its setup: build, Chromium. The last line is `N passed, M failed`.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from '../main/bootstrap/build.mjs'
import { runTool, toolEnvironment, toolScript } from '../main/bootstrap/install.mjs'
import { root } from '../main/bootstrap/runtime.mjs'
import { findChromium } from './chromium.mjs'
import { readPlaywright, readVitest, type Tally } from './reports.ts'

const chromium = await findChromium(toolScript('playwright'))
if (chromium.problem !== undefined) {
  process.stderr.write(`${chromium.problem}\n`)
  process.exit(2)
}
await ensureBuilt()

const results = path.join(root, '.cache', 'test-results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const reportOf = (name: string) => path.join(results, `${name}.json`)
const env = {
  ...toolEnvironment(),
  CHROMIUM_PATH: chromium.path,
  PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf('playwright'),
}

/** A runner that fails without reporting what failed counts as one failure: a crash must not pass as success. */
function tally(name: string, code: number, read: (json: unknown) => Tally): Tally {
  const file = reportOf(name)
  const counted = existsSync(file)
    ? read(JSON.parse(readFileSync(file, 'utf8')))
    : { passed: 0, failed: 0, failures: [], flaky: [], skipped: [] }
  if (code === 0 || counted.failed > 0) return counted
  return { ...counted, failed: 1, failures: [`${name} ended with exit code ${code} and no failed test`] }
}

const projects = ['unit', 'slow', 'renderer', 'renderer-slow', 'integration'].flatMap((name) => ['--project', name])
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportOf('vitest')}`]
// Browser tests mostly wait and the others mostly compute, so both run at once. What the browser tests print follows at
// the end: two reports that grow at once cannot be read.
const printed = path.join(results, 'playwright.log')
const log = openSync(printed, 'w')
const [vitest, playwright] = await Promise.all([
  runTool('vitest', ['run', ...projects, ...reporters], { env }),
  runTool('playwright', ['test'], { env, stdio: ['ignore', log, log] }),
])
closeSync(log)
process.stdout.write(readFileSync(printed))
const tallies = [tally('vitest', vitest, readVitest), tally('playwright', playwright, readPlaywright)]
const packaged = (await runTool('node', ['test/packaging/check.ts'], { env })) === 0
tallies.push({
  passed: packaged ? 1 : 0,
  failed: packaged ? 0 : 1,
  failures: packaged ? [] : ['test/packaging/check.ts'],
  flaky: [],
  skipped: [],
})

for (const skipped of tallies.flatMap((one) => one.skipped)) process.stdout.write(`skipped: ${skipped}\n`)
for (const flaky of tallies.flatMap((one) => one.flaky)) process.stdout.write(`flaky: ${flaky}\n`)
// Last, where a log that was cut in the middle still has them.
for (const failure of tallies.flatMap((one) => one.failures)) process.stdout.write(`failed: ${failure}\n`)
const sum = (of: (one: Tally) => number) => tallies.reduce((total, one) => total + of(one), 0)
const failed = sum((one) => one.failed)
process.stdout.write(`${sum((one) => one.passed)} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
