import { plural } from '../text/format.ts'
import { type RequestTestResult, runRequestTests } from '../classify/configuration.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { specEquals } from '../config/content.ts'
import { CATCH_ALL, type ObjectSet } from '../config/objects.ts'
import {
  GUARD_RAILS,
  GUARD_SEVERITIES,
  type GuardFinding,
  type GuardRail,
  levelRef,
  schemaRef,
  type GuardResult,
} from './finding.ts'
import { inversionRail, byLevel, loopFinding, loopsIn, serverAccountsOf } from './inversionRail.ts'
import { matchingRail, referencesRail, shadowedFinding, danglingIn } from './schemaRails.ts'
import { ownAccessRail, systemTrafficRail } from './systemTrafficRail.ts'
import { queuesRail, seatsRail, shardingRail } from './levelRails.ts'
import {
  type GuardQuestion,
  type Rail,
  railInput,
  type Side,
  defaulted,
  sideOf,
  type GuardChange,
  isLevelChange,
  type RailInput,
} from './changes.ts'
import { reconcilerRail } from './reconciler.ts'
import { vendorRail } from './vendors.ts'
import { namesDecideIn, shadowedIn, uncoveredIn } from './shadowing.ts'
import { listed } from '../text/text.ts'

/**
 * The operator’s own regression tests: each request must match the expected schema, or if none is given, the one that
 * it matched before.
 */
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
        message: `A server would not classify the saved request “${is.test.label}”: ${is.problem}`,
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
  /** Reported when it finds nothing. */
  readonly passes: string
}

const RAILS: Readonly<Record<GuardRail, RailEntry>> = {
  reconciler: { rail: reconcilerRail, passes: 'The API server keeps every change.' },
  vendor: { rail: vendorRail, passes: 'No changed object is managed by a cloud provider or another controller.' },
  references: { rail: referencesRail, passes: 'Every schema references an existing level.' },
  'system-traffic': { rail: systemTrafficRail, passes: 'System traffic is still served.' },
  'own-access': { rail: ownAccessRail, passes: 'The console’s own requests are served as before.' },
  'saved-tests': { rail: savedTestsRail, passes: 'Every saved request still matches the same schema and level.' },
  matching: {
    rail: matchingRail,
    passes: 'The edit makes no schema unreachable, and no name decides between two schemas.',
  },
  seats: { rail: seatsRail, passes: 'Every level keeps more than one seat.' },
  inversion: { rail: inversionRail, passes: 'The edit lets no level wait for itself.' },
  sharding: { rail: shardingRail, passes: 'The edit does not make collisions between flows likelier.' },
  queues: { rail: queuesRail, passes: 'No level loses queues.' },
}

/**
 * The risks of an edit of a configuration. Findings in the order of the rails, the most severe of each first; a rail
 * that finds nothing returns one finding that passes. Objects may be defaulted or not.
 */
export function guardRails(question: GuardQuestion): readonly GuardFinding[] {
  const input = railInput(question)
  return GUARD_RAILS.flatMap((name): readonly GuardFinding[] => {
    const { rail, passes } = RAILS[name]
    const found = withResults(name, rail, rail(input), { question, input })
    if (found.length > 0) return found.toSorted(bySeverity)
    const { tests = [], user } = question.context
    if ((name === 'saved-tests' && tests.length === 0) || (name === 'own-access' && user === undefined)) return []
    return [{ code: `${name}/passes`, severity: 'passes', objects: [], message: passes, evidence: [] }]
  })
}

const bySeverity = (a: GuardFinding, b: GuardFinding): number =>
  GUARD_SEVERITIES.indexOf(a.severity) - GUARD_SEVERITIES.indexOf(b.severity)

/**
 * Checks of a configuration as a whole, for the list of objects: dangling schemas, unreachable schemas, loops of
 * reviews and webhooks, drift from the built-in objects, names that decide. Each returns one finding that passes, or
 * one for each problem. Objects may be defaulted or not.
 */
export function wholeSetChecks(objects: ObjectSet, version: string | undefined): readonly GuardFinding[] {
  const side = sideOf(defaulted(objects))
  const builtIn = builtInObjects(version ?? '')
  return [
    ...orPasses(dangling(side), 'references/passes', 'Every schema references an existing level.'),
    ...orPasses(shadowed(side), 'matching/passes', 'Every schema can be reached.'),
    ...uncovered(side),
    ...orPasses(
      loops(side, sideOf(builtIn)),
      'inversion/passes',
      'No level waits for itself through reviews or webhooks.',
    ),
    drift(side.objects, builtIn),
    ...orPasses(ties(side), 'matching/precedence', 'No two schemas with the same precedence match the same request.'),
  ]
}

const orPasses = (
  found: readonly GuardFinding[],
  code: GuardFinding['code'],
  message: string,
): readonly GuardFinding[] =>
  found.length > 0 ? found : [{ code, severity: 'passes', objects: [], message, evidence: [] }]

const dangling = (side: Side): readonly GuardFinding[] =>
  danglingIn(side).map(({ schema, level, refused }) => ({
    code: 'references/dangling',
    severity: 'warns',
    objects: [schemaRef(schema), levelRef(level)],
    message:
      refused === undefined
        ? `${schema} references ${level}, which does not exist.`
        : `${schema} references ${level}, which the server ignores because ${refused}.`,
    evidence: [],
  }))

function shadowed(side: Side): readonly GuardFinding[] {
  const precedenceOf = new Map(
    side.objects.schemas.map(({ metadata, spec }) => [metadata.name, spec.matchingPrecedence]),
  )
  // It is correct that nothing is left for catch-all.
  return shadowedIn(side)
    .filter(({ schema }) => schema !== CATCH_ALL)
    .map((one) => shadowedFinding(one, precedenceOf))
}

/** Nothing is left for catch-all where some schema, such as global-default, takes every request. */
function uncovered({ configuration }: Side): readonly GuardFinding[] {
  const left = uncoveredIn(configuration)
  if (left.length === 0) return []
  return [
    {
      code: 'matching/uncovered',
      severity: 'warns',
      objects: [schemaRef(CATCH_ALL)],
      message: 'Some requests match no schema but catch-all, which has few seats and no queue.',
      remedy: { sentence: 'Let a schema with a high precedence number match every request, as global-default does.' },
      evidence: left,
    },
  ]
}

/** The built-in configuration contains some loops, in levels with many seats: those are expected. */
function loops(side: Side, builtIn: Side): readonly GuardFinding[] {
  const usual = new Set(loopsIn(builtIn, []).map(({ kind, level }) => `${kind} ${level}`))
  return byLevel(loopsIn(side, serverAccountsOf(side.objects))).map((group) => {
    const [{ kind, level }] = group
    return loopFinding(group, side, usual.has(`${kind} ${level}`) ? 'expected' : 'warns')
  })
}

function drift(objects: ObjectSet, builtIn: ObjectSet): GuardFinding {
  const levels = new Map(objects.levels.map(({ metadata, spec }) => [metadata.name, spec]))
  const schemas = new Map(objects.schemas.map(({ metadata, spec }) => [metadata.name, spec]))
  const differing = [
    ...builtIn.levels
      .filter(({ metadata, spec }) => !specEquals(levels.get(metadata.name), spec))
      .map(({ metadata }) => levelRef(metadata.name)),
    ...builtIn.schemas
      .filter(({ metadata, spec }) => !specEquals(schemas.get(metadata.name), spec))
      .map(({ metadata }) => schemaRef(metadata.name)),
  ]
  const has = ({ kind, name }: (typeof differing)[number]): boolean =>
    (kind === 'FlowSchema' ? schemas : levels).has(name)
  const missing = differing.filter((ref) => !has(ref)).map(({ name }) => name)
  const changed = differing.filter(has).map(({ name }) => name)
  return {
    code: 'reconciler/drift',
    severity: differing.length === 0 ? 'passes' : 'expected',
    objects: differing,
    message:
      differing.length === 0
        ? 'All built-in objects match the server’s release.'
        : `${differing.length} built-in ${plural(differing.length, 'object differs', 'objects differ')} from the server’s release.`,
    evidence: [
      ...(changed.length > 0 ? [`changed: ${listed(changed)}`] : []),
      ...(missing.length > 0 ? [`missing: ${listed(missing)}`] : []),
    ],
  }
}

const ties = ({ configuration }: Side): readonly GuardFinding[] => {
  const byPrecedence = new Map<number, Set<string>>()
  for (const { precedence, first, second } of namesDecideIn(configuration.order)) {
    const names = byPrecedence.get(precedence) ?? new Set()
    byPrecedence.set(precedence, names.add(first).add(second))
  }
  return [...byPrecedence].map(([precedence, names]) => ({
    code: 'matching/same-precedence',
    severity: 'warns',
    objects: [...names].map(schemaRef),
    message: `${names.size} schemas at ${precedence} match some of the same requests: their names decide the order.`,
    evidence: [`in matching order: ${listed([...names])}`],
  }))
}

/** Rails about the state that an edit leads to. The others are about the way there, or about what the operator expects. */
const ABOUT_RESULT: ReadonlySet<GuardRail> = new Set(['system-traffic', 'matching', 'seats', 'inversion', 'sharding'])

/**
 * Findings of a rail with the result of the edit judged by itself, and not by its distance from a base that may be
 * broken: what is no worse than now, than before the last edit or than upstream’s own objects is no risk of this edit.
 */
function withResults(
  name: GuardRail,
  rail: Rail,
  found: readonly GuardFinding[],
  { question, input }: { readonly question: GuardQuestion; readonly input: RailInput },
): readonly GuardFinding[] {
  if (!ABOUT_RESULT.has(name) || !found.some(isRisk)) return found
  const { after, context } = question
  const against = (before: ObjectSet, is: ObjectSet = after): readonly GuardFinding[] =>
    rail(railInput({ before, after: is, context })).filter(isRisk)
  const upstream = against(withBuiltIn(after, input.changes, builtInObjects(context.version ?? '')))
  const former = context.former && against(context.former)
  const back = against(after, question.before)
  const resultOf = (finding: GuardFinding): GuardResult => {
    const has = (other: readonly GuardFinding[]): boolean => other.some((one) => isSame(one, finding))
    if (!has(upstream)) return 'upstream'
    if (former !== undefined && !has(former)) return 'former'
    const now = back.find((one) => isSame(one, finding))
    return (now?.risk ?? 0) > (finding.risk ?? Infinity) ? 'better' : 'worse'
  }
  return found.map((finding) => {
    if (!isRisk(finding)) return finding
    const result = resultOf(finding)
    return { ...finding, result, ...(result !== 'worse' && { severity: 'expected' as const }) }
  })
}

const isRisk = ({ severity }: GuardFinding): boolean => severity === 'blocks' || severity === 'warns'

/** The same risk of the same object; `seats/none` and `seats/one` are two degrees of one. */
const isSame = (a: GuardFinding, b: GuardFinding): boolean =>
  a.objects[0]?.name === b.objects[0]?.name && (a.code === b.code || (a.risk !== undefined && b.risk !== undefined))

/** A configuration whose changed objects are upstream’s; without those that upstream does not have. */
function withBuiltIn({ levels, schemas }: ObjectSet, changes: readonly GuardChange[], builtIn: ObjectSet): ObjectSet {
  const namesOf = (isLevel: boolean): ReadonlySet<string> =>
    new Set(changes.flatMap((change) => (isLevelChange(change) === isLevel ? [change.name] : [])))
  const back = <T extends { readonly metadata: { readonly name: string } }>(
    present: readonly T[],
    own: readonly T[],
    names: ReadonlySet<string>,
  ): readonly T[] => [
    ...present.filter(({ metadata }) => !names.has(metadata.name)),
    ...own.filter(({ metadata }) => names.has(metadata.name)),
  ]
  return {
    levels: back(levels, builtIn.levels, namesOf(true)),
    schemas: back(schemas, builtIn.schemas, namesOf(false)),
  }
}
