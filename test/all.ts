// Every test that needs no cluster, with its setup: build, programs, Chromium. The last line is `N passed, M failed`.
import type { SpawnOptions } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from '../main/bootstrap/build.mjs'
import { runTool, toolEnvironment, toolScript } from '../main/bootstrap/install.mjs'
import { root } from '../main/bootstrap/runtime.mjs'
import { findChromium } from './chromium.mjs'
import { installPrograms } from './programs.mjs'
import { readPlaywright, readVitest, type Tally } from './reports.ts'
import { makeTmpFolder } from './tmpFolder.ts'

await installPrograms()
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
const tmpFolder = makeTmpFolder()
const env = {
  ...toolEnvironment(),
  TMPDIR: tmpFolder.path,
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

/** Set by the runners of workflows. */
const inWorkflow = process.env['CI'] !== undefined
const browserProjects = ['web', 'electron', 'pictures'].map((name) => `--project=${name}`)

const COMPUTING = ['unit', 'slow', 'renderer', 'renderer-slow']
const WAITING = ['integration']
/** Runs some projects of vitest, and counts them. */
const vitest = (name: string, projects: readonly string[]) => async (options: SpawnOptions) => {
  const chosen = projects.flatMap((project) => ['--project', project])
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportOf(name)}`]
  return tally(name, await runTool('vitest', ['run', ...chosen, ...reporters], options), readVitest)
}
async function packaging(options: SpawnOptions): Promise<Tally> {
  const script = 'test/packaging/check.ts'
  const code = await runTool('node', [script], options)
  const failures = code === 0 ? [] : [script]
  return { passed: 1 - failures.length, failed: failures.length, failures, flaky: [], skipped: [] }
}

/**
 * What mostly waits leaves the processor to what computes. Browsers begin once one of the first two has ended: an open
 * page draws every second for as long as its test waits, so beside both they cost more and made all others wait. Only
 * the first shows what it prints while it runs; reports that grow at once cannot be read, so those of the others follow
 * in this order.
 */
const parts: Readonly<Record<string, (options: SpawnOptions) => Promise<Tally>>> = {
  'unit and renderer tests': vitest('vitest', COMPUTING),
  'integration and security tests': vitest('vitest-integration', WAITING),
  'browser tests': async (options) =>
    tally('playwright', await runTool('playwright', ['test', ...browserProjects], options), (json) =>
      readPlaywright(json, inWorkflow),
    ),
  packaging,
}
const took: string[] = []
const hasRoom = Promise.withResolvers<void>()
const ended = Object.entries(parts).map(async ([name, run], index) => {
  const printed = path.join(results, `${name}.log`)
  const log = openSync(printed, 'w')
  if (name === 'browser tests') await hasRoom.promise
  const started = Date.now()
  const counted = await run({ env, stdio: index === 0 ? 'inherit' : ['ignore', log, log] })
  took.push(`${name}: ${((Date.now() - started) / 1000).toFixed(0)} s`)
  if (name !== 'packaging') hasRoom.resolve()
  closeSync(log)
  return { counted, printed }
})
const tallies: Tally[] = []
for (const end of ended) {
  const { counted, printed } = await end
  process.stdout.write(readFileSync(printed))
  tallies.push(counted)
}

tmpFolder.remove()

for (const skipped of tallies.flatMap((one) => one.skipped)) process.stdout.write(`skipped: ${skipped}\n`)
const problems = tallies.flatMap((one) => [
  ...one.flaky.map((flaky) => `flaky: ${flaky}`),
  ...one.failures.map((failure) => `failed: ${failure}`),
])
for (const whole of problems.filter((problem) => problem.includes('\n'))) process.stdout.write(`${whole}\n`)
for (const line of took) process.stdout.write(`${line}\n`)
// Last, where a log that was cut in the middle still has them, and without the pages that were shown.
for (const problem of problems) process.stdout.write(`${problem.split('\n', 1)[0]}\n`)
const sum = (of: (one: Tally) => number) => tallies.reduce((total, one) => total + of(one), 0)
const failed = sum((one) => one.failed)
process.stdout.write(`${sum((one) => one.passed)} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
