import { type RequestTestResult, runRequestTests } from '../classify/sample.ts'
import { type GuardFinding, levelRef, schemaRef } from './finding.ts'
import type { Rail } from './rail.ts'

/** The operator’s own regression set: each request must match what it is expected to, else what it matched. */
export const savedTestsRail: Rail = ({ before, after, context }) => {
  const tests = context.tests ?? []
  const was = runRequestTests(before.objects, tests)
  return runRequestTests(after.objects, tests).flatMap((result, index) => findingOf(was[index], result))
}

function findingOf(was: RequestTestResult | undefined, is: RequestTestResult): readonly GuardFinding[] {
  if (is.outcome === 'unclassifiable') {
    return [
      {
        code: 'saved-tests/unclassifiable',
        severity: 'expected',
        objects: [],
        message: `The saved request “${is.test.label}” is none that a server would classify: ${is.problem}`,
        evidence: [],
      },
    ]
  }
  const { actual, test, outcome } = is
  const earlier = was === undefined || was.outcome === 'unclassifiable' ? undefined : was.actual
  const moved =
    earlier !== undefined &&
    (earlier.flowSchema !== actual.flowSchema || earlier.priorityLevel !== actual.priorityLevel)
  if (outcome === 'passed' || (outcome === 'no-expectation' && !moved)) return []
  const failed = outcome === 'failed'
  return [
    {
      code: `saved-tests/${failed ? 'failed' : 'moved'}`,
      severity: failed && was?.outcome !== 'failed' ? 'blocks' : failed ? 'expected' : 'warns',
      objects: [schemaRef(actual.flowSchema), levelRef(actual.priorityLevel)],
      message: `The saved request “${test.label}” matches ${actual.flowSchema} in ${actual.priorityLevel}${
        failed && test.expect !== undefined
          ? `, not ${test.expect.flowSchema} in ${test.expect.priorityLevel} as expected`
          : ''
      }.`,
      evidence: earlier === undefined ? [] : [`before the edit: ${earlier.flowSchema} in ${earlier.priorityLevel}`],
    },
  ]
}
