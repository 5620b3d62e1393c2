// `npm test`: sets itself up (packages, build, Chromium) and runs every test that needs no cluster. The last line is
// `N passed, M failed`. Arguments go to no runner: to run a part, use vitest or playwright through `npx`.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from '../main/bootstrap/build.mjs'
import { ensureInstalled, root, runTool, toolEnvironment, toolScript } from '../main/bootstrap/install.mjs'
import { findChromium } from './chromium.mjs'

await ensureInstalled()
const chromium = await findChromium(toolScript('playwright'))
if (chromium.problem !== undefined) {
  process.stderr.write(`${chromium.problem}\n`)
  process.exit(2)
}
await ensureBuilt()

const results = path.join(root, '.cache', 'test-results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const env = { ...toolEnvironment(), CHROMIUM_PATH: chromium.path }

/** A runner that ended without a report counts as one failure: a crash must not look like success. */
function report(name, code, read) {
  const file = path.join(results, `${name}.json`)
  const counted = existsSync(file)
    ? read(JSON.parse(readFileSync(file, 'utf8')))
    : { passed: 0, failed: 0, skipped: [] }
  if (code !== 0 && counted.failed === 0) counted.failed = 1
  return counted
}

const vitestProjects = ['unit', 'renderer', 'integration']
const vitest = report(
  'vitest',
  await runTool(
    'vitest',
    [
      'run',
      ...vitestProjects.flatMap((name) => ['--project', name]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${path.join(results, 'vitest.json')}`,
    ],
    { env },
  ),
  (json) => ({
    passed: json.numPassedTests,
    failed:
      json.numFailedTests +
      json.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length,
    skipped: json.testResults.flatMap((file) =>
      file.assertionResults
        .filter((test) => test.status !== 'passed' && test.status !== 'failed')
        .map((test) => test.fullName),
    ),
  }),
)

function* playwrightTests(suite) {
  for (const spec of suite.specs ?? [])
    for (const test of spec.tests) yield { title: `${test.projectName}: ${spec.title}`, ...test }
  for (const inner of suite.suites ?? []) yield* playwrightTests(inner)
}

const playwright = report(
  'playwright',
  await runTool('playwright', ['test'], {
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(results, 'playwright.json') },
  }),
  (json) => ({
    passed: json.stats.expected,
    failed: json.stats.unexpected + json.stats.flaky + json.errors.length,
    skipped: json.suites.flatMap((suite) =>
      [...playwrightTests(suite)]
        .filter((test) => test.status === 'skipped')
        .map(
          (test) =>
            `${test.title}: ${test.annotations.find((note) => note.type === 'skip')?.description ?? 'no reason given'}`,
        ),
    ),
  }),
)

const packaging =
  (await runTool('node', ['test/packaging/check.ts'], { env })) === 0
    ? { passed: 1, failed: 0 }
    : { passed: 0, failed: 1 }

for (const skipped of [...vitest.skipped, ...playwright.skipped]) process.stdout.write(`skipped: ${skipped}\n`)
const failed = vitest.failed + playwright.failed + packaging.failed
process.stdout.write(`${vitest.passed + playwright.passed + packaging.passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
