import { builtInObjects } from '../config/builtIn.ts'
import { checkObject } from '../config/checkObject.ts'
import { anyOf, entry, type Finding, member, quoted, rejected } from '../config/finding.ts'
import { type Read, readAmount, readAnything, readText } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import type { ObjectSet } from '../config/objects.ts'
import { withEdit } from '../impact/applyManifests.ts'
import { byPosition, hintFor, locate, textDocuments } from '../manifest/locate.ts'
import { fieldOf } from '../manifest/json.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { jsonOf, positionsIn, type Tree } from '../manifest/tree.ts'
import { COVERED_RANGE, isCovered } from '../metrics/versions.ts'
import { nearest } from '../text/text.ts'
import { ALGORITHMS, NEWEST_VERSION } from '../engine/profiles.ts'
import { EXECUTION_FACTOR } from '../contract/whatif.ts'
import { MOST_VARIANTS } from '../contract/bounds.ts'
import { mostRequests, readClients } from './readClients.ts'
import {
  type Assertion,
  isMeasure,
  MEASURES,
  type Phase,
  type Scenario,
  type ScenarioVariant,
  VERDICTS,
  type Verdict,
} from './scenario.ts'
import { bounded, namedOnce, problem } from './values.ts'

/** What a text holds. There is a scenario exactly when no finding is an error. */
export interface ReadScenario {
  readonly scenario?: Scenario
  readonly findings: readonly LocatedFinding[]
}

export const LONGEST_SECONDS = 3_600
/** A variant takes minutes for them; without an end a run would take all memory. */
const MOST_REQUESTS = 20_000_000
const MOST_PHASES = 100
const MOST_ASSERTIONS = 200
const SEATS = { min: 0, max: 100_000, whole: true } as const

/** Reads a scenario from YAML or JSON. Never throws. */
export function readScenario(text: string, file: string): ReadScenario {
  const positionOf = positionsIn(text)
  const [first, second] = textDocuments(text, file)
  const tree = first?.tree
  const findings: LocatedFinding[] = (first?.problems ?? []).map(({ at, path, ...rest }) => ({
    file,
    ...positionOf(at.from),
    kind: 'Scenario',
    name: '',
    field: fieldOf(path),
    ...rest,
  }))
  const located = (tree_: Tree, finding: Finding): LocatedFinding => ({
    ...finding,
    file,
    kind: 'Scenario',
    name: '',
    ...positionOf(locate(tree_, finding.field, finding.reason === 'FieldUnknown').from),
    message: finding.message + hintFor(tree_, finding),
  })
  if (tree === undefined) {
    if (findings.length > 0) return { findings }
    const nothing = 'The file holds no scenario: it needs a name, clients and variants.'
    return {
      findings: [{ ...rejected('', 'Malformed', nothing), file, line: 1, column: 1, kind: 'Scenario', name: '' }],
    }
  }
  if (second?.tree !== undefined) {
    findings.push(
      located(second.tree, rejected('', 'Malformed', 'A file holds one scenario: remove the second document.')),
    )
  }
  const found: Finding[] = []
  const scenario = decode(jsonOf(tree), found)
  findings.push(...found.map((finding) => located(tree, finding)))
  const broken = findings.some(({ severity }) => severity === 'error')
  return { ...(!broken && scenario !== undefined && { scenario }), findings: findings.toSorted(byPosition) }
}

function decode(value: unknown, findings: Finding[]): Scenario | undefined {
  const scenario = readWritten(value, '', findings)
  if (findings.some(({ severity }) => severity === 'error')) return undefined
  const { server, variants: written, clients, ...rest } = scenario
  const variants = written.map((variant, index) => variantOf(server, variant, entry('variants', index), findings))
  const phases = rest.phases.map((phase, index) => phaseOf(phase, server.version ?? NEWEST_VERSION, index, findings))
  const whole = { ...rest, clients, variants, phases }
  checkNames(whole, findings)
  return findings.some(({ severity }) => severity === 'error') ? undefined : whole
}

/** The settings of a server, before the objects are put together: they depend on the version. */
interface WrittenServer {
  readonly algorithm?: ScenarioVariant['algorithm']
  readonly maxRequestsInFlight?: number
  readonly maxMutatingRequestsInFlight?: number
  readonly version?: string
  readonly configuration: readonly unknown[]
  readonly without: readonly string[]
}

const readAlgorithm: Read<ScenarioVariant['algorithm']> = (value, at, findings) =>
  oneOf(ALGORITHMS, readText(value, at, findings), at, findings)

function oneOf<T extends string>(
  known: readonly [T, ...T[]] | readonly T[],
  text: string,
  at: string,
  findings: Finding[],
): T {
  const found = known.find((one) => one === text)
  const [first] = known
  if (first === undefined) throw new Error('nothing to choose from')
  if (found !== undefined || text === '') return found ?? first
  findings.push(problem(at, `${at} must be ${anyOf(known)}, not ${quoted(text)}.`))
  return first
}

const readVersion: Read<string> = (value, at, findings) => {
  const text = readText(value, at, findings)
  if (text === '' || isCovered(text)) return text.startsWith('v') || text === '' ? text : `v${text}`
  findings.push(problem(at, `${at} must be a version from ${COVERED_RANGE}, not ${quoted(text)}.`))
  return ''
}

type Members = Parameters<Parameters<typeof readAs>[0]>[0]

const serverMembers = (members: Members): WrittenServer => ({
  ...members.given('algorithm', readAlgorithm),
  ...members.given('maxRequestsInFlight', bounded(SEATS)),
  ...members.given('maxMutatingRequestsInFlight', bounded(SEATS)),
  ...members.given('version', readVersion),
  configuration: members.list('configuration', readAnything),
  without: members.list('without', readText),
})

const readServer = readAs(serverMembers)

const readVariant = readAs((members) => ({
  name: members.text('name'),
  ...members.given('verdict', (value, at, findings): Verdict =>
    oneOf(VERDICTS, readText(value, at, findings), at, findings),
  ),
  ...serverMembers(members),
}))

const readStored = readAs((members) => ({
  key: members.text('resource'),
  count: members.nested('count', bounded({ min: 0, max: 100_000_000, whole: true })),
  averageSize: members.nested('averageSize', bounded({ min: 0, max: 10_000_000 })),
}))

const readPause = readAs((members) => ({
  clients: members.text('clients'),
  seconds: members.nested('seconds', bounded({ min: 0, max: LONGEST_SECONDS })),
}))

const readPhase = readAs((members) => ({
  at: members.nested('at', bounded({ min: 0, max: LONGEST_SECONDS })),
  configuration: members.list('configuration', readAnything),
  ...members.given('executionFactor', bounded(EXECUTION_FACTOR)),
  ...members.given('pause', readPause),
}))

const readAssertion: Read<Assertion> = (value, at, findings) => {
  const { clients, level, measure, least, most, variants } = readWrittenAssertion(value, at, findings)
  if (clients !== undefined && level !== undefined) {
    findings.push(problem(member(at, 'level'), 'An assertion is about clients or a level: remove one of the two.'))
  }
  if (!isMeasure(measure)) {
    const meant = nearest(measure, Object.keys(MEASURES))
    const mend = meant === undefined ? `use ${anyOf(Object.keys(MEASURES))}` : `did you mean ${quoted(meant)}?`
    findings.push(problem(member(at, 'measure'), `There is no measure ${quoted(measure)}: ${mend}`))
  }
  if (measure === 'currentLimit' && level === undefined) {
    findings.push(problem(member(at, 'measure'), 'A level has a currentLimit: name the level.'))
  }
  if (least === undefined && most === undefined) {
    findings.push(problem(at, 'An assertion needs a bound: least, most, or both.'))
  }
  const name = clients ?? level
  return {
    of: name === undefined ? undefined : { kind: clients === undefined ? 'level' : 'clients', name },
    measure: isMeasure(measure) ? measure : 'offered',
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
    ...(variants !== undefined && { variants }),
  }
}

const readWrittenAssertion = readAs((members) => ({
  measure: members.text('measure'),
  ...members.given('clients', readText),
  ...members.given('level', readText),
  ...members.given('least', readAmount),
  ...members.given('most', readAmount),
  ...members.given('variants', (value, at, findings) => readNames(value, at, findings)),
}))

const readNames: Read<readonly string[]> = (value, at, findings) =>
  readAs((members) => members.list('names', readText))({ names: value }, at, findings)

const readWritten = readAs((members) => ({
  name: members.text('name'),
  title: members.text('title'),
  teaches: members.text('teaches'),
  seed: members.given('seed', bounded({ min: 0, max: 2 ** 31 - 1, whole: true })).seed ?? 1,
  seconds: members.nested('seconds', bounded({ min: 1, max: LONGEST_SECONDS })),
  statisticsFrom: members.nested('statisticsFrom', bounded({ min: 0, max: LONGEST_SECONDS })),
  server: members.nested('server', readServer),
  stored: members.list('stored', readStored),
  clients: members.nested('clients', readClients),
  phases: members.list('phases', readPhase),
  variants: members.list('variants', readVariant),
  criteria: members.list('criteria', readAssertion),
  assertions: members.list('assertions', readAssertion),
}))

function variantOf(
  server: WrittenServer,
  { name, verdict, ...own }: ReturnType<typeof readVariant>,
  at: string,
  findings: Finding[],
): ScenarioVariant {
  const version = own.version ?? server.version ?? NEWEST_VERSION
  const added = [
    objectsOf(server.configuration, 'server.configuration', version, findings),
    objectsOf(own.configuration, member(at, 'configuration'), version, findings),
  ]
  const whole = added.reduce(withEdit, builtInObjects(version))
  const without = new Set([...server.without, ...own.without])
  const stays = ({ metadata }: { readonly metadata: { readonly name: string } }): boolean => !without.has(metadata.name)
  return {
    name,
    algorithm: own.algorithm ?? server.algorithm ?? 'upstream',
    maxRequestsInFlight: own.maxRequestsInFlight ?? server.maxRequestsInFlight ?? 400,
    maxMutatingRequestsInFlight: own.maxMutatingRequestsInFlight ?? server.maxMutatingRequestsInFlight ?? 200,
    version,
    objects: { levels: whole.levels.filter(stays), schemas: whole.schemas.filter(stays) },
    ...(verdict !== undefined && { verdict }),
  }
}

function phaseOf(
  { configuration, ...rest }: ReturnType<typeof readPhase>,
  version: string,
  index: number,
  findings: Finding[],
): Phase {
  if (configuration.length === 0) return rest
  const at = member(entry('phases', index), 'configuration')
  return { ...rest, configuration: objectsOf(configuration, at, version, findings) }
}

/** Objects as `kubectl apply` is given them, checked by the rules of the version. */
function objectsOf(values: readonly unknown[], at: string, version: string, findings: Finding[]): ObjectSet {
  let objects: ObjectSet = { levels: [], schemas: [] }
  for (const [index, value] of values.entries()) {
    const checked = checkObject(value, version)
    const place = entry(at, index)
    for (const finding of checked.findings) {
      findings.push({ ...finding, field: finding.field === '' ? place : `${place}.${finding.field}` })
    }
    if (checked.kind === 'FlowSchema' && checked.defaulted !== undefined) {
      objects = withEdit(objects, { levels: [], schemas: [checked.defaulted] })
    } else if (checked.kind === 'PriorityLevelConfiguration' && checked.defaulted !== undefined) {
      objects = withEdit(objects, { levels: [checked.defaulted], schemas: [] })
    }
  }
  return objects
}

function checkNames(scenario: Scenario, findings: Finding[]): void {
  const { name, seconds, statisticsFrom, clients, phases, variants, criteria, assertions } = scenario
  if (name === '') findings.push(problem('name', 'A scenario needs a name.'))
  if (clients.length === 0) findings.push(problem('clients', 'A scenario needs clients.'))
  if (variants.length === 0)
    findings.push(problem('variants', 'A scenario needs a variant: one with a name is enough.'))
  if (variants.length > MOST_VARIANTS)
    findings.push(problem('variants', `A scenario has at most ${MOST_VARIANTS} variants.`))
  if (phases.length > MOST_PHASES) findings.push(problem('phases', `A scenario has at most ${MOST_PHASES} phases.`))
  if (criteria.length + assertions.length > MOST_ASSERTIONS) {
    findings.push(problem('assertions', `A scenario has at most ${MOST_ASSERTIONS} criteria and assertions.`))
  }
  const requests = clients.reduce((sum, group) => sum + mostRequests(group, seconds), 0)
  if (requests > MOST_REQUESTS) {
    findings.push(
      problem(
        'clients',
        `The clients may send more than ${MOST_REQUESTS} requests: let them think longer, or make them fewer.`,
      ),
    )
  }
  if (statisticsFrom >= seconds) {
    findings.push(
      problem(
        'statisticsFrom',
        `Statistics begin at ${statisticsFrom} s, when the run of ${seconds} s is over: begin earlier.`,
      ),
    )
  }
  namedOnce(clients, 'clients', findings)
  namedOnce(variants, 'variants', findings)
  const groups = new Set(clients.map((group) => group.name))
  const known = (text: string, names: ReadonlySet<string>, at: string, what: string): void => {
    if (names.has(text)) return
    const meant = nearest(text, [...names])
    const mend = meant === undefined ? `the names are ${anyOf([...names])}.` : `did you mean ${quoted(meant)}?`
    findings.push(problem(at, `There is no ${what} ${quoted(text)}: ${mend}`))
  }
  for (const [index, { at, pause }] of phases.entries()) {
    const place = entry('phases', index)
    if (at > seconds) findings.push(problem(member(place, 'at'), `The run is over after ${seconds} s.`))
    if (pause !== undefined) known(pause.clients, groups, `${place}.pause.clients`, 'group of clients')
  }
  const variantNames = new Set(variants.map((variant) => variant.name))
  for (const [list, all] of [
    ['criteria', criteria],
    ['assertions', assertions],
  ] as const) {
    for (const [index, assertion] of all.entries()) {
      const place = entry(list, index)
      if (assertion.of?.kind === 'clients')
        known(assertion.of.name, groups, member(place, 'clients'), 'group of clients')
      for (const [i, variant] of (assertion.variants ?? []).entries()) {
        known(variant, variantNames, entry(member(place, 'variants'), i), 'variant')
      }
    }
  }
}
