import { z } from 'zod'

/** What one runner's JSON report says, reduced to what the last line of `npm test` needs. */
export interface Tally {
  passed: number
  failed: number
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
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

export function readVitest(json: unknown): Tally {
  const report = VitestReport.parse(json)
  // A file that fails before its first test counts as one failure.
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.testResults.flatMap((file) =>
      file.assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map((test) => test.fullName),
    ),
  }
}

const PlaywrightTest = z.object({
  projectName: z.string(),
  status: z.string(),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
})
const PlaywrightSuite = z.object({
  specs: z.array(z.object({ title: z.string(), tests: z.array(PlaywrightTest) })).default([]),
  get suites() {
    return z.array(PlaywrightSuite).default([])
  },
})
const PlaywrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
  errors: z.array(z.unknown()),
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

/** A flaky test, one that passed only when repeated, is a failure. */
export function readPlaywright(json: unknown): Tally {
  const { stats, errors, suites } = PlaywrightReport.parse(json)
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: suites.flatMap(skippedIn),
  }
}
