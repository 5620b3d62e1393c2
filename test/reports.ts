import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import { root } from '../main/bootstrap/runtime.mjs'

/** One runner's JSON report, reduced to the content of the last line of `npm test`. */
export interface Tally {
  passed: number
  failed: number
  /** File or project, title and first line of the error of each failed test. */
  failures: string[]
  /** The same of each test of the browser that failed, and passed when it was run again; among the failed ones. */
  flaky: string[]
  /** Title and reason of each skipped test. */
  skipped: string[]
}

const VitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
})

/** The first line of an error that is not empty, without colours. */
function firstLine(message: string | undefined): string {
  const lines = stripVTControlCharacters(message ?? '').split('\n')
  return lines.find((line) => line.trim() !== '')?.trim() ?? 'no message'
}

export function readVitest(json: unknown): Tally {
  const report = VitestReport.parse(json)
  // A file that fails before its first test counts as one failure, and so does one whose process ended on the way.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    failures: report.testResults.flatMap((file) => {
      const name = path.relative(root, file.name)
      if (broken.includes(file)) return [`${name}: ${firstLine(file.message || 'its process ended')}`]
      return file.assertionResults
        .filter(({ status }) => status === 'failed')
        .map((test) => `${name}: ${test.fullName}: ${firstLine(test.failureMessages[0])}`)
    }),
    flaky: [],
    skipped: report.testResults.flatMap((file) =>
      file.assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map((test) => test.fullName),
    ),
  }
}

const PlaywrightError = z.object({ message: z.string().optional() })
const PlaywrightAttachment = z.object({ name: z.string(), path: z.string().optional() })
const PlaywrightTest = z.object({
  projectName: z.string(),
  status: z.string(),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
  results: z
    .array(z.object({ error: PlaywrightError.optional(), attachments: z.array(PlaywrightAttachment).default([]) }))
    .default([]),
})
const PlaywrightSuite = z.object({
  specs: z.array(z.object({ title: z.string(), tests: z.array(PlaywrightTest) })).default([]),
  get suites() {
    return z.array(PlaywrightSuite).default([])
  },
})
const PlaywrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
  errors: z.array(PlaywrightError),
  suites: z.array(PlaywrightSuite),
})

function skippedIn(suite: z.output<typeof PlaywrightSuite>): string[] {
  const here = suite.specs.flatMap((spec) =>
    spec.tests
      .filter((test) => test.status === 'skipped')
      .map((test) => {
        const reason = test.annotations.find((note) => note.type === 'skip')?.description ?? 'no reason given'
        return `${test.projectName}: ${spec.title}: ${reason}`
      }),
  )
  return [...here, ...suite.suites.flatMap(skippedIn)]
}

/** The tests of a suite that ended so, each with its error and with what the page showed. */
function failuresIn(suite: z.output<typeof PlaywrightSuite>, status: 'unexpected' | 'flaky'): string[] {
  const here = suite.specs.flatMap((spec) =>
    spec.tests
      .filter((test) => test.status === status)
      .map((test) => {
        const failed = test.results.find((result) => result.error !== undefined)
        return `${test.projectName}: ${spec.title}: ${firstLine(failed?.error?.message)}${shownPage(failed?.attachments)}`
      }),
  )
  return [...here, ...suite.suites.flatMap((inner) => failuresIn(inner, status))]
}

const PAGE_LINES = 120

function shownPage(attachments: readonly z.output<typeof PlaywrightAttachment>[] = []): string {
  const file = attachments.find(({ name }) => name === 'error-context')?.path
  if (file === undefined || !existsSync(file)) return ''
  const lines = readFileSync(file, 'utf8').split('\n')
  const start = lines.indexOf('```yaml')
  return start < 0 ? '' : `\n${lines.slice(start, start + PAGE_LINES).join('\n')}`
}

/**
 * A browser test that fails is run once more, only to say which it is: one that passes then waits for too little, or the
 * product loses something. `strict`: it fails the run like one that never passes.
 */
export function readPlaywright(json: unknown, strict: boolean): Tally {
  const { stats, errors, suites } = PlaywrightReport.parse(json)
  return {
    passed: stats.expected + (strict ? 0 : stats.flaky),
    failed: stats.unexpected + (strict ? stats.flaky : 0) + errors.length,
    failures: [
      ...suites.flatMap((suite) => failuresIn(suite, 'unexpected')),
      ...errors.map((error) => `browser: ${firstLine(error.message)}`),
    ],
    flaky: suites.flatMap((suite) => failuresIn(suite, 'flaky')),
    skipped: suites.flatMap(skippedIn),
  }
}
