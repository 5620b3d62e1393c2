import { describe, expect, test } from 'vitest'
import { EXAMPLE } from './examples.ts'
import { readDraft } from './readDraft.ts'

const LEVEL = `kind: RequestPriority
metadata: { name: a }
spec: { assuredConcurrencyShares: 10, queues: 8, handSize: 2, queueLengthLimit: 5 }
`
const SCHEMA = `kind: FlowSchema
metadata: { name: s }
spec:
  requestPriority: { name: a }
  match:
    - and:
        - equals: { field: user, value: bob }
`
const found = (text: string): readonly string[] =>
  readDraft(text, 'draft.yaml').findings.map(
    ({ line, field, severity, message }) => `${line} ${field} ${severity}: ${message}`,
  )

test('reads the example of the draft, both ways of writing a test, with warnings about what contradicts itself', () => {
  const read = readDraft(EXAMPLE, 'kep.yaml')
  expect(read.levels.map(({ name }) => name)).toEqual([
    'system-top',
    'system-high',
    'system-low',
    'workload-high',
    'workload-low',
  ])
  expect(read.schemas.map(({ name }) => name)).toEqual([
    'system-top',
    'system-high',
    'system-low',
    'workload-high',
    'workload-low',
    'system-top-2',
  ])
  expect(read.schemas[0]?.match).toEqual([
    [{ test: 'superSet', negated: false, field: 'groups', set: ['system:masters'] }],
  ])
  expect(read.schemas[3]?.match[0]).toMatchObject([{ test: 'patternMatch', negated: true, field: 'user' }])
  expect(read.findings.every(({ severity }) => severity === 'warning')).toBe(true)
  const told = read.findings.map(({ kind, name, message }) => `${kind} ${name}: ${message}`)
  const wanted = [
    /^RequestPriority workload-low: No FlowSchema names the level “workload-low”: only requests that no FlowSchema matches/,
    /^FlowSchema system-low: The level “system-low” has one queue: the flowDistinguisher is ignored/,
    /^FlowSchema system-top: There are two objects “system-top” of kind FlowSchema; this one is read as “system-top-2”/,
    /^FlowSchema system-top: The level “system-top” is exempt: the flowDistinguisher is ignored/,
    /^FlowSchema workload-high: The schema also matches non-resource requests/,
    /^FlowSchema workload-low: The schema also matches non-resource requests/,
    /^FlowSchema system-high: Controllers authenticate as service accounts/,
    /^FlowSchema system-low: Controllers authenticate .* not as “system:controller:garbage-collector”/,
  ]
  for (const one of wanted) expect(told).toContainEqual(expect.stringMatching(one))
  expect(told).toHaveLength(wanted.length)
})

test('fills in what may be left out', () => {
  const { schemas, levels, findings } = readDraft(`${LEVEL}---\n${SCHEMA}`, 'draft.yaml')
  // The draft calls it an error of the configuration.
  expect(findings.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'spec.match: No FlowSchema matches every request: what none matches goes to the backstop. Add one with an empty and.',
  ])
  expect(schemas[0]).toMatchObject({ level: 'a', matchingPriority: 1_000 })
  expect(levels[0]).toMatchObject({ exempt: false, catchAll: false, handSize: 2 })
})

describe('says line, field and remedy', () => {
  test.each([
    [
      'assuredConcurrencyShares: 10, ',
      '',
      '3 spec.assuredConcurrencyShares error: spec.assuredConcurrencyShares is missing: a level that is not exempt needs it.',
    ],
    ['queues: 8', 'queues: 0', '3 spec.queues error: spec.queues must be at least 1, not 0.'],
    ['handSize: 2, ', '', 'spec.handSize is missing: more than one queue needs it.'],
    ['handSize: 2', 'handSize: 9', '3 spec.handSize error: A hand of 9 cannot be dealt from 8 queues: at most 8.'],
    ['queues: 8', 'queue: 8', 'There is no field “queue” in spec'],
    ['name: a', "name: ''", 'The object has no name: set metadata.name.'],
  ])('of a level: %s', (before, after, wanted) => {
    expect(found(LEVEL.replace(before, after)).join('\n')).toContain(wanted)
  })

  test.each([
    ['equals', 'equal', '7 spec.match[0].and[0] error: spec.match[0].and[0] needs exactly one test of “equals”'],
    [
      'field: user',
      'field: usr',
      '7 spec.match[0].and[0].equals.field error: There is no field “usr” of requests: did you mean “user”?',
    ],
    ['value: bob', 'set: [bob]', 'equals compares with value, not with set: remove set.'],
    ['field: user', 'field: groups', 'groups is a set of names: test it with superSet or notSuperSet.'],
    [
      'equals: { field: user, value: bob }',
      "patternMatch: { field: user, pattern: 'a(b' }",
      '7 spec.match[0].and[0].patternMatch.pattern error: The pattern has a ( without a ) (character 2).',
    ],
    ['equals: { field: user, value: bob }', 'bob', 'must be an object, not the text “bob”'],
    ['requestPriority: { name: a }', 'requestPriority: {}', 'spec.requestPriority.name is missing'],
    [
      'requestPriority: { name: a }',
      'requestPriority: { name: b }',
      '4 spec.requestPriority.name warning: There is no RequestPriority “b”',
    ],
    [
      '  match',
      '  flowDistinguisher: { source: group }\n  match',
      'spec.flowDistinguisher.source must be “user” or “namespace”, not “group”.',
    ],
    [
      '  match',
      "  flowDistinguisher: { source: user, transform: { regex: 'a-.*' } }\n  match",
      'needs a capturing group, whose text is the flow.',
    ],
  ])('of a schema: %s', (before, after, wanted) => {
    expect(found(SCHEMA.replace(before, after)).join('\n')).toContain(wanted)
  })

  test('of texts that hold something else', () => {
    expect(readDraft('kind: Pod\n', 'x.yaml')).toMatchObject({ found: false, levels: [], schemas: [] })
    expect(readDraft('kind: FlowSchema\napiVersion: flowcontrol.apiserver.k8s.io/v1\n', 'x.yaml').found).toBe(false)
    expect(found('[1')).toHaveLength(1)
    expect(found('')).toEqual([])
  })
})
