import { GUARD_RAILS, GUARD_SEVERITIES, type GuardFinding, type GuardRail } from './finding.ts'
import { inversionRail } from './inversionRail.ts'
import { matchingRail } from './matchingRail.ts'
import { ownAccessRail } from './ownAccessRail.ts'
import { queuesRail } from './queuesRail.ts'
import { type GuardQuestion, type Rail, railInput } from './rail.ts'
import { reconcilerRail } from './reconcilerRail.ts'
import { referencesRail } from './referencesRail.ts'
import { savedTestsRail } from './savedTestsRail.ts'
import { seatsRail } from './seatsRail.ts'
import { shardingRail } from './shardingRail.ts'
import { systemTrafficRail } from './systemTrafficRail.ts'
import { vendorRail } from './vendorRail.ts'

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
