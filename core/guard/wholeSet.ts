import { builtInObjects } from '../config/builtIn.ts'
import { specEquals } from '../config/content.ts'
import { CATCH_ALL, type ObjectSet } from '../config/objects.ts'
import { type GuardFinding, levelRef, schemaRef, listed } from './finding.ts'
import { byLevel, loopFinding, loopsIn, serverAccountsOf } from './inversionRail.ts'
import { shadowedFinding, danglingIn } from './schemaRails.ts'
import { type Side, defaulted, sideOf } from './rail.ts'
import { namesDecideIn, shadowedIn } from './shadowing.ts'

/**
 * Checks of a configuration as a whole, for the list of objects: dangling schemas, unreachable schemas, loops of reviews
 * and webhooks, drift from the built-in objects, names that decide. Each gives one finding that passes, or one for each
 * problem. Objects may be defaulted or not.
 */
export function wholeSetChecks(objects: ObjectSet, version: string | undefined): readonly GuardFinding[] {
  const side = sideOf(defaulted(objects))
  const builtIn = builtInObjects(version ?? '')
  return [
    ...orPasses(dangling(side), 'references/passes', 'No schema dangles.'),
    ...orPasses(shadowed(side), 'matching/passes', 'Every schema can be reached.'),
    ...orPasses(
      loops(side, sideOf(builtIn)),
      'inversion/passes',
      'No level waits for itself through reviews or webhooks.',
    ),
    drift(side.objects, builtIn),
    ...orPasses(ties(side), 'matching/precedence', 'No two schemas of one precedence match the same request.'),
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
        ? `${schema} leads to ${level}, which does not exist.`
        : `${schema} leads to ${level}, which the server does without because ${refused}.`,
    evidence: [],
  }))

function shadowed(side: Side): readonly GuardFinding[] {
  const precedenceOf = new Map(
    side.objects.schemas.map(({ metadata, spec }) => [metadata.name, spec.matchingPrecedence]),
  )
  // That nothing is left for catch-all is as it should be.
  return shadowedIn(side)
    .filter(({ schema }) => schema !== CATCH_ALL)
    .map((one) => shadowedFinding(one, precedenceOf))
}

/** Kubernetes’ own configuration has some, in levels of many seats. */
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
        ? 'All built-in objects are as in the server’s release.'
        : `${differing.length} built-in ${differing.length === 1 ? 'object differs' : 'objects differ'} from the server’s release.`,
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
    message: `${names.size} schemas at ${precedence} match requests in common: their names decide.`,
    evidence: [`in matching order: ${listed([...names])}`],
  }))
}
