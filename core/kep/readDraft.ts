import { anyOf, type Finding, member, quoted, rejected, meantOr } from '../config/finding.ts'
import { isJsonObject, type Read, readAnything, readFlag, readList, readText, wrongType } from '../config/jsonValues.ts'
import { readAs, type Members } from '../config/members.ts'
import { shapeProblem } from '../config/shape.ts'
import { GROUP } from '../config/checkObject.ts'
import { byPosition, located, locatedProblem, textDocuments } from '../manifest/locate.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { jsonOf, positionsIn } from '../manifest/tree.ts'
import {
  type Atom,
  type DraftDistinguisher,
  type DraftFlowSchema,
  type DraftSet,
  type DraftTest,
  FIELDS,
  FLOW_SOURCES,
  negationOf,
  type RequestPriority,
  TESTS,
} from './draftObjects.ts'
import { suspicionsOf } from './draftSuspicions.ts'
import { compilePattern, type Pattern } from './pattern.ts'

/** The draft objects in a text. Objects with errors are left out. */
export interface ReadDraft extends DraftSet {
  /** Whether the text has any object of the draft. */
  readonly found: boolean
  readonly findings: readonly LocatedFinding[]
}

const DEFAULT_MATCHING_PRIORITY = 1_000

/** An object of the draft with access to its positions in the text. */
interface Part<T> {
  readonly object: T
  readonly locate: (finding: Finding) => LocatedFinding
}

/**
 * Reads RequestPriority objects and flow schemas of the draft from YAML or JSON. If two objects share a name, the
 * second gets the name with `-2`, as the draft’s own example requires of an importer. Never throws.
 */
export function readDraft(text: string, file: string): ReadDraft {
  const positionOf = positionsIn(text)
  const findings: LocatedFinding[] = []
  const levels: Part<RequestPriority>[] = []
  const schemas: Part<DraftFlowSchema>[] = []
  const names = new Set<string>()
  let found = false
  for (const { tree, problems } of textDocuments(text, file)) {
    for (const problem of problems) findings.push(locatedProblem(problem, { file, kind: '', name: '', positionOf }))
    if (tree === undefined) continue
    const value = jsonOf(tree)
    const kind = draftKindOf(value)
    const own: Finding[] = []
    let name = ''
    const locateIn = (finding: Finding): LocatedFinding =>
      located(tree, finding, { file, kind: kind ?? '', name, positionOf })
    if (kind === undefined) {
      const message = 'This is not an object of the draft (RequestPriority or FlowSchema): move it to a separate file.'
      own.push(rejected('', 'Malformed', message))
    } else {
      found = true
      const read = kind === 'RequestPriority' ? readLevel(value, '', own) : readSchema(value, '', own)
      name = read.name
      const key = `${kind}/${name}`
      const object = names.has(key) ? { ...read, name: `${name}-2` } : read
      if (object !== read) {
        const message = `There are two objects ${quoted(name)} of kind ${kind}; this one is read as ${quoted(object.name)}.`
        own.push({ ...rejected('', 'FieldValueDuplicate', message), severity: 'warning' })
      }
      names.add(`${kind}/${object.name}`)
      if (!own.some(({ severity }) => severity === 'error')) {
        if ('exempt' in object) levels.push({ object, locate: locateIn })
        else schemas.push({ object, locate: locateIn })
      }
    }
    for (const one of own) findings.push(locateIn(one))
  }
  const set = { levels: levels.map(({ object }) => object), schemas: schemas.map(({ object }) => object) }
  for (const { of, finding } of suspicionsOf(set)) {
    const part = [...levels, ...schemas].find(({ object }) => object === of)
    if (part !== undefined) findings.push(part.locate(finding))
  }
  return { found, ...set, findings: findings.toSorted(byPosition) }
}

/** A FlowSchema belongs to the draft unless it names the Kubernetes group. */
function draftKindOf(value: unknown): 'RequestPriority' | 'FlowSchema' | undefined {
  if (!isJsonObject(value)) return undefined
  const { kind, apiVersion } = value
  if (kind === 'RequestPriority') return kind
  return kind === 'FlowSchema' && !(typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`))
    ? kind
    : undefined
}

const invalid = (at: string, message: string): Finding => rejected(at, 'FieldValueInvalid', message)

/** Does not read an absent value. */
const optional =
  <T>(read: Read<T>): Read<T | undefined> =>
  (value, at, findings) =>
    value === undefined || value === null ? undefined : read(value, at, findings)

const readNamed = readAs((members) => ({ name: members.text('name') }))

/** The draft's texts use `meta`, all others `metadata`. */
function nameOf(members: Members, findings: Finding[]): string {
  members.check('apiVersion', readText)
  members.check('kind', readText)
  const { metadata, meta } = { ...members.given('metadata', readNamed), ...members.given('meta', readNamed) }
  const name = (metadata ?? meta)?.name ?? ''
  if (name === '')
    findings.push(rejected('metadata.name', 'FieldValueRequired', 'The object has no name: set metadata.name.'))
  return name
}

const readLevel: Read<RequestPriority> = (value, at, findings) =>
  readAs((members) => ({ name: nameOf(members, findings), ...members.nested('spec', readLevelSpec) }))(
    value,
    at,
    findings,
  )

const readLevelSpec: Read<Omit<RequestPriority, 'name'>> = (value, at, findings) => {
  const { exempt, catchAll, assuredConcurrencyShares, queues, handSize, queueLengthLimit } = readAs((members) => ({
    exempt: members.nested('exempt', readFlag),
    catchAll: members.nested('catchAll', readFlag),
    ...members.givenWhole('assuredConcurrencyShares'),
    ...members.givenWhole('queues'),
    ...members.givenWhole('handSize'),
    ...members.givenWhole('queueLengthLimit'),
  }))(value, at, findings)
  const level = {
    exempt,
    catchAll,
    assuredConcurrencyShares: assuredConcurrencyShares ?? 0,
    queues: queues ?? 1,
    handSize: queues === undefined || queues === 1 ? 1 : (handSize ?? 0),
    queueLengthLimit: queueLengthLimit ?? 0,
  }
  if (exempt) return level
  const needed = { assuredConcurrencyShares, queues, queueLengthLimit }
  for (const [name, given] of Object.entries(needed)) {
    const path = member(at, name)
    const least = name === 'queues' ? 1 : 0
    if (given === undefined) {
      const message = `${path} is missing: a level that is not exempt needs it.`
      findings.push(rejected(path, 'FieldValueRequired', message))
    } else if (given < least) {
      findings.push(invalid(path, `${path} must be at least ${least}, not ${given}.`))
    }
  }
  if (level.queues <= 1) return level
  const path = member(at, 'handSize')
  if (handSize === undefined)
    findings.push(rejected(path, 'FieldValueRequired', `${path} is missing: more than one queue needs it.`))
  const problem = handSize === undefined ? undefined : shapeProblem({ queues: level.queues, handSize })
  if (problem !== undefined) findings.push(invalid(path, problem))
  return level
}

const readSchema: Read<DraftFlowSchema> = (value, at, findings) =>
  readAs((members) => ({ name: nameOf(members, findings), ...members.nested('spec', readSchemaSpec) }))(
    value,
    at,
    findings,
  )

const readSchemaSpec: Read<Omit<DraftFlowSchema, 'name'>> = (value, at, findings) => {
  const {
    level,
    matchingPriority = DEFAULT_MATCHING_PRIORITY,
    flowDistinguisher,
    match,
  } = readAs((members) => ({
    level: members.nested('requestPriority', readNamed).name,
    ...members.givenWhole('matchingPriority'),
    flowDistinguisher: members.nested('flowDistinguisher', optional(readDistinguisher)),
    match: members.list('match', readConjunction),
  }))(value, at, findings)
  if (level === '') {
    const path = member(at, 'requestPriority.name')
    findings.push(
      rejected(path, 'FieldValueRequired', `${path} is missing: name the RequestPriority of these requests.`),
    )
  }
  return { level, matchingPriority, ...(flowDistinguisher !== undefined && { flowDistinguisher }), match }
}

const readDistinguisher: Read<DraftDistinguisher> = (value, at, findings) => {
  const { source: written, transform } = readAs((members) => ({
    source: members.text('source'),
    transform: members.nested('transform', optional(readTransform)),
  }))(value, at, findings)
  const source = FLOW_SOURCES.find((known) => known === written)
  if (source === undefined)
    findings.push(
      invalid(member(at, 'source'), `${member(at, 'source')} must be ${anyOf(FLOW_SOURCES)}, not ${quoted(written)}.`),
    )
  return { source: source ?? 'user', ...(transform !== undefined && { transform }) }
}

const readTransform: Read<Pattern | undefined> = (value, at, findings) => {
  const regex = readAs((members) => members.nested('regex', readPattern))(value, at, findings)
  if (regex?.groups === 0) {
    findings.push(
      invalid(member(at, 'regex'), `${member(at, 'regex')} needs a capturing group, whose text is the flow.`),
    )
  }
  return regex
}

const readPattern: Read<Pattern | undefined> = (value, at, findings) => {
  const compiled = compilePattern(readText(value, at, findings))
  if ('pattern' in compiled) return compiled.pattern
  const { at: place, message } = compiled.problem
  findings.push(invalid(at, `The pattern ${message} (character ${place + 1}).`))
  return undefined
}

const readConjunction: Read<readonly Atom[]> = readAs((members) =>
  members.list('and', readAtom).flatMap((atom) => atom ?? []),
)

interface NamedTest {
  readonly test: DraftTest
  readonly negated: boolean
}

const TEST_NAMES: ReadonlyMap<string, NamedTest> = new Map(
  TESTS.flatMap((test): [string, NamedTest][] => [
    [test, { test, negated: false }],
    [negationOf(test), { test, negated: true }],
  ]),
)

/** `superSet: {field, set}`, or as in the draft’s example: `superSet` without a value, and field and set next to it. */
const readAtom: Read<Atom | undefined> = (value, at, findings) => {
  if (!isJsonObject(value)) {
    findings.push(wrongType(at, value, 'an object'))
    return undefined
  }
  const [name, second] = Object.keys(value).filter((key) => TEST_NAMES.has(key))
  const test = name === undefined ? undefined : TEST_NAMES.get(name)
  if (name === undefined || test === undefined || second !== undefined) {
    findings.push(invalid(at, `${at} needs exactly one test of ${anyOf([...TEST_NAMES.keys()])}.`))
    return undefined
  }
  const nested = value[name]
  if (nested === undefined || nested === null) return readTest(test, value, at, [name], findings)
  readAs((members) => members.check(name, readAnything))(value, at, findings)
  return readTest(test, nested, member(at, name), [], findings)
}

function readTest(
  { test, negated }: NamedTest,
  value: unknown,
  at: string,
  own: readonly string[],
  findings: Finding[],
): Atom | undefined {
  const { field: written, ...operands } = readAs((members) => {
    for (const key of own) members.check(key, readAnything)
    return {
      field: members.text('field'),
      ...members.given('value', readText),
      ...members.given('pattern', readText),
      ...members.given('set', readList(readText)),
    }
  })(value, at, findings)
  const field = FIELDS.find((known) => known === written)
  if (field === undefined) {
    const mend = meantOr(written, FIELDS, `use one of ${FIELDS.join(', ')}`)
    const message =
      written === '' ? `${at} needs a field: ${mend}.` : `There is no field ${quoted(written)} of requests: ${mend}`
    findings.push(invalid(member(at, 'field'), message))
    return undefined
  }
  if (field === 'groups' && test !== 'superSet') {
    findings.push(invalid(member(at, 'field'), 'groups is a set of names: test it with superSet or notSuperSet.'))
    return undefined
  }
  const operand = test === 'equals' ? 'value' : test === 'patternMatch' ? 'pattern' : 'set'
  for (const key of Object.keys(operands)) {
    if (key !== operand)
      findings.push(invalid(member(at, key), `${test} compares with ${operand}, not with ${key}: remove ${key}.`))
  }
  const { value: text, pattern: source, set } = operands
  if (test === 'equals' && text !== undefined) return { test, field, negated, value: text }
  if (test === 'inSet' && set !== undefined) return { test, field, negated, set }
  if (test === 'superSet' && set !== undefined) return { test, field, negated, set }
  if (test === 'patternMatch' && source !== undefined) {
    const pattern = readPattern(source, member(at, 'pattern'), findings)
    return pattern === undefined ? undefined : { test, field, negated, pattern }
  }
  findings.push(
    rejected(member(at, operand), 'FieldValueRequired', `${at} needs ${operand}, with which ${test} compares.`),
  )
  return undefined
}
