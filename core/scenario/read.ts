import { builtInObjects } from '../config/builtIn.ts'
import { checkObject } from '../config/checkObject.ts'
import { entry, type Finding, member, quoted } from '../config/finding.ts'
import { type Read, readAnything, readText } from '../config/jsonValues.ts'
import { readAs, type Members } from '../config/members.ts'
import type { ObjectSet } from '../config/objects.ts'
import { ProblemError } from '../errors.ts'
import { withEdit } from '../impact/applyManifests.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { COVERED_RANGE, isCovered } from '../metrics/versions.ts'
import { ALGORITHMS, NEWEST_VERSION } from '../engine/profiles.ts'
import { EXECUTION_FACTOR } from '../contract/whatif.ts'
import { checkScenario } from './checkScenario.ts'
import { aboutMembers, LONGEST_SECONDS, oneOf, readVerdict } from './readAbout.ts'
import { readClients } from './readClients.ts'
import { type DocumentKind, readDocument } from './document.ts'
import { decodeStoreScenario, isOfStore } from './readStore.ts'
import type { StoreScenario } from './store.ts'
import { type Controller, type Phase, type Scenario, type ScenarioVariant } from './scenario.ts'
import { bounded, problem } from './values.ts'

/** The content of a text. A scenario is present if and only if no finding is an error. */
export interface ReadScenario {
  readonly scenario?: Scenario
  readonly findings: readonly LocatedFinding[]
}

export const SEATS = { min: 0, max: 100_000, whole: true } as const

/** Reads the scenario of an API server from YAML or JSON. Never throws. */
export function readScenario(text: string, file: string): ReadScenario {
  const { value: scenario, findings } = readDocument({ text, file }, { ...SCENARIO_FILE, decode })
  return { ...(scenario !== undefined && { scenario }), findings }
}

/** Why a text is none: its first finding, and all of them as details. */
export function noScenario(findings: readonly LocatedFinding[], file: string): ProblemError {
  const lines = findings.map(({ line, column, field, message }) => `${file}:${line}:${column}: ${field}: ${message}`)
  const [first = `${file} holds no scenario.`] = findings.map(
    ({ line, message }) => `${file}, line ${line}: ${message}`,
  )
  return new ProblemError('invalid-input', first, lines.join('\n'))
}

/** A scenario, either for an API server or for an etcd. */
export type AnyScenario =
  { readonly of: 'server'; readonly scenario: Scenario } | { readonly of: 'etcd'; readonly scenario: StoreScenario }

/** A scenario is present if and only if no finding is an error. */
export interface ReadAnyScenario {
  readonly found?: AnyScenario
  readonly findings: readonly LocatedFinding[]
}

/** Reads a scenario of either kind. Never throws. */
export function readAnyScenario(text: string, file: string): ReadAnyScenario {
  const { value: found, findings } = readDocument({ text, file }, { ...SCENARIO_FILE, decode: decodeAny })
  return { ...(found !== undefined && { found }), findings }
}

const SCENARIO_FILE: Omit<DocumentKind<unknown>, 'decode'> = {
  kind: 'Scenario',
  noun: 'scenario',
  needs: 'a name, clients and variants',
}

function decodeAny(value: unknown, findings: Finding[]): AnyScenario | undefined {
  if (isOfStore(value)) {
    const scenario = decodeStoreScenario(value, findings)
    return scenario && { of: 'etcd', scenario }
  }
  const scenario = decode(value, findings)
  return scenario && { of: 'server', scenario }
}

function decode(value: unknown, findings: Finding[]): Scenario | undefined {
  if (isOfStore(value)) {
    findings.push(
      problem('etcd', 'This scenario is for an etcd, which only simulate runs. Choose one for an API server.'),
    )
    return undefined
  }
  const scenario = readWritten(value, '', findings)
  if (findings.some(({ severity }) => severity === 'error')) return undefined
  const { server, variants: written, clients, ...rest } = scenario
  const variants = written.map((variant, index) =>
    variantOf({ server, at: 'server' }, { ...variant, at: entry('variants', index) }, findings),
  )
  const phases = rest.phases.map((phase, index) => phaseOf(phase, server.version ?? NEWEST_VERSION, index, findings))
  const whole = { ...rest, clients, variants, phases }
  checkScenario(whole, findings)
  return findings.some(({ severity }) => severity === 'error') ? undefined : whole
}

/** The settings of a server, before its objects are assembled: they depend on the version. */
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

const readVersion: Read<string> = (value, at, findings) => {
  const text = readText(value, at, findings)
  if (text === '' || isCovered(text)) return text.startsWith('v') || text === '' ? text : `v${text}`
  findings.push(problem(at, `${at} must be a version from ${COVERED_RANGE}, not ${quoted(text)}.`))
  return ''
}

const serverMembers = (members: Members): WrittenServer => ({
  ...members.given('algorithm', readAlgorithm),
  ...members.given('maxRequestsInFlight', bounded(SEATS)),
  ...members.given('maxMutatingRequestsInFlight', bounded(SEATS)),
  ...members.given('version', readVersion),
  configuration: members.list('configuration', readAnything),
  without: members.list('without', readText),
})

export const readServer = readAs(serverMembers)

const readVariant = readAs((members) => ({
  name: members.text('name'),
  ...members.given('verdict', readVerdict),
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

/** Time in a loop without a pause would never advance. */
const readBug = readAs((members) => ({
  clients: members.text('clients'),
  thinkMs: members.nested('thinkMs', bounded({ min: 1, max: 60_000 })),
}))

const readSpan = readAs((members) => ({
  seconds: members.nested('seconds', bounded({ min: 0, max: LONGEST_SECONDS })),
}))

const readPhase = readAs((members) => ({
  at: members.nested('at', bounded({ min: 0, max: LONGEST_SECONDS })),
  configuration: members.list('configuration', readAnything),
  ...members.given('executionFactor', bounded(EXECUTION_FACTOR)),
  ...members.given('pause', readPause),
  ...members.given('bug', readBug),
  ...members.given('restart', readSpan),
  ...members.given('disconnect', readSpan),
}))

const readWrites = readAs((members) => ({
  schema: members.text('schema'),
  type: members.text('type'),
  status: members.text('status'),
}))

const readController: Read<Controller> = (value, at, findings) => {
  const { maintains, writes, ...rest } = readAs((members) => ({
    name: members.text('name'),
    everySeconds: members.nested('everySeconds', bounded({ min: 1, max: LONGEST_SECONDS })),
    ...members.given('maintains', readVersion),
    ...members.given('writes', readWrites),
  }))(value, at, findings)
  if ((maintains === undefined) === (writes === undefined)) {
    findings.push(problem(at, `${at} needs exactly one of maintains and writes.`))
  }
  return writes === undefined
    ? { ...rest, kind: 'maintains', version: maintains ?? NEWEST_VERSION }
    : { ...rest, kind: 'writes', ...writes }
}

const readWritten = readAs((members) => ({
  ...aboutMembers(members),
  server: members.nested('server', readServer),
  stored: members.list('stored', readStored),
  clients: members.nested('clients', readClients),
  phases: members.list('phases', readPhase),
  controllers: members.list('controllers', readController),
  variants: members.list('variants', readVariant),
}))

/** A server with the changes of a variant; `at` contains the paths of both in the file. */
export function variantOf(
  { server, at: serverAt }: { readonly server: WrittenServer; readonly at: string },
  { name, verdict, at, ...own }: WrittenServer & Pick<ScenarioVariant, 'name' | 'verdict'> & { readonly at: string },
  findings: Finding[],
): ScenarioVariant {
  const version = own.version ?? server.version ?? NEWEST_VERSION
  const added = [
    objectsOf(server.configuration, member(serverAt, 'configuration'), version, findings),
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

/** Objects as passed to `kubectl apply`, validated by the rules of the version. */
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
