import { type RequestTestResult, runRequestTests } from '../classify/configuration.ts'
import { GUARD_RAILS, GUARD_SEVERITIES, type GuardFinding, type GuardRail, levelRef, schemaRef } from './finding.ts'
import { inversionRail } from './inversionRail.ts'
import { matchingRail, referencesRail } from './schemaRails.ts'
import { ownAccessRail, systemTrafficRail } from './systemTrafficRail.ts'
import { queuesRail, seatsRail, shardingRail } from './levelRails.ts'
import { type GuardQuestion, type Rail, railInput } from './rail.ts'
import { reconcilerRail } from './reconciler.ts'
import { vendorRail } from './vendors.ts'

/** The operator’s own regression set: each request must match what it is expected to, else what it matched. */
const savedTestsRail: Rail = ({ before, after, context }) => {
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

interface RailEntry {
  readonly rail: Rail
  /** What is told when it finds nothing. */
  readonly passes: string
}

const RAILS: Readonly<Record<GuardRail, RailEntry>> = {
  reconciler: { rail: reconcilerRail, passes: 'The API server leaves every change alone.' },
  vendor: { rail: vendorRail, passes: 'No changed object belongs to a provider or another program.' },
  references: { rail: referencesRail, passes: 'Every schema leads to a level that exists.' },
  'system-traffic': { rail: systemTrafficRail, passes: 'What keeps the cluster alive is served.' },
  'own-access': { rail: ownAccessRail, passes: 'The console’s own requests are served as before.' },
  'saved-tests': { rail: savedTestsRail, passes: 'Every saved request matches what it matched.' },
  matching: { rail: matchingRail, passes: 'The edit makes no schema unreachable, and no names decide.' },
  seats: { rail: seatsRail, passes: 'No level is left with one seat or none.' },
  inversion: { rail: inversionRail, passes: 'The edit lets no level wait for itself.' },
  sharding: { rail: shardingRail, passes: 'The edit brings no flows closer together.' },
  queues: { rail: queuesRail, passes: 'No level loses queues.' },
}

/**
 * What an edit of a configuration puts at risk. Findings in the order of the rails, the most severe of each first; a
 * rail that finds nothing says so with one finding that passes. Objects may be defaulted or not.
 */
export function guardRails(question: GuardQuestion): readonly GuardFinding[] {
  const input = railInput(question)
  return GUARD_RAILS.flatMap((name): readonly GuardFinding[] => {
    const { rail, passes } = RAILS[name]
    const found = rail(input)
    if (found.length > 0) return found.toSorted(bySeverity)
    const { tests = [], user } = question.context
    if ((name === 'saved-tests' && tests.length === 0) || (name === 'own-access' && user === undefined)) return []
    return [{ code: `${name}/passes`, severity: 'passes', objects: [], message: passes, evidence: [] }]
  })
}

const bySeverity = (a: GuardFinding, b: GuardFinding): number =>
  GUARD_SEVERITIES.indexOf(a.severity) - GUARD_SEVERITIES.indexOf(b.severity)

