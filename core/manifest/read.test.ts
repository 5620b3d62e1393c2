import { parse } from 'yaml'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { checkObject } from '../config/checkObject.ts'
import { fieldOf, parseField, type FieldPath, type Json } from './json.ts'
import { readManifests } from './read.ts'
import { writeYaml } from './write.ts'

const read = (text: string, file = 'a.yaml', version = 'v1.36.3') => readManifests(text, { file, version })
const told = (text: string, file?: string): readonly string[] =>
  read(text, file).findings.map(({ line, column, field, reason }) => `${line}:${column} ${reason} ${field}`)

const SCHEMA = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: devs
spec:
  matchingPrecedence: 700
  priorityLevelConfiguration:
    name: workload-low
  rules:
    - subjects:
        - kind: Group
          group:
            name: devs
      resourceRules:
        - verbs: ['*']
          apiGroups: ['*']
          resources: ['*']
          clusterScope: true
          namespaces: ['*']
`
const LEVEL = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: batch }
spec: { type: Limited, limited: { limitResponse: { type: Reject } } }
`
const changed = (from: string, to: string): string => {
  expect(SCHEMA.split(from)).toHaveLength(2)
  return SCHEMA.replace(from, () => to)
}

describe('readManifests', () => {
  it('reads every document, and passes over what is not of the group', () => {
    const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: w, name: z}\n'
    const { documents, findings, notes } = read([SCHEMA, '# nothing\n', role, 'just: data\n', LEVEL].join('---\n'))
    expect(findings).toEqual([])
    expect(documents.map(({ kind, name, checked }) => [kind, name, checked?.object.metadata.name])).toEqual([
      ['FlowSchema', 'devs', 'devs'],
      ['PriorityLevelConfiguration', 'batch', 'batch'],
    ])
    expect(documents[1]?.checked?.defaulted.spec).toMatchObject({ limited: { nominalConcurrencyShares: 30 } })
    expect(notes).toEqual([
      {
        file: 'a.yaml',
        line: 23,
        column: 1,
        about: 'skipped',
        message: 'ClusterRole “z” is not a flow-control object and was not checked.',
      },
      {
        file: 'a.yaml',
        line: 27,
        column: 1,
        about: 'skipped',
        message: 'This is not a Kubernetes object (it has no kind) and was not checked.',
      },
    ])
  })

  it('reads lists, whose items may take kind and version from them', () => {
    const item = { metadata: { name: 'x' }, spec: { type: 'Limited', limited: { limitResponse: { type: 'Never' } } } }
    const typed = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfigurationList',
      items: [item],
    }
    const [document] = read(JSON.stringify(typed)).documents
    expect(document?.value).toMatchObject({ kind: 'PriorityLevelConfiguration', metadata: { name: 'x' } })
    expect(document?.findings).toMatchObject([{ name: 'x', field: 'spec.limited.limitResponse.type', line: 1 }])

    const list = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n- ${SCHEMA.replaceAll('\n', '\n  ').replace('700', '0')}`
    expect(read(list).documents).toMatchObject([{ kind: 'FlowSchema', name: 'devs' }])
    expect(told(list.replace('kind: Group', 'kind: Grup'))).toEqual([
      '16:19 FieldValueNotSupported spec.rules[0].subjects[0].kind',
    ])
  })

  it('reads JSON: one object, several, or an array', () => {
    const one = JSON.stringify(read(LEVEL).documents[0]?.value)
    expect(read(one, 'a.json').documents).toHaveLength(1)
    expect(read(`${one}\n${one}`, 'a.json').documents).toHaveLength(2)
    const array = read(`[${one}, ${one}]`, 'standard input')
    expect(array.documents).toHaveLength(2)
    expect(array.notes.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^kubectl does not accept an array/),
    ])
    // YAML in flow style may resemble JSON, but not in a file with a JSON name.
    expect(read(one.replaceAll('"', ''), 'a.yaml').documents).toHaveLength(1)
    expect(told(one.replaceAll('"', ''), 'a.json')).toEqual(['1:2 Malformed '])
  })

  it('points at what is wrong', () => {
    expect(told(changed('700', '"700"'))).toEqual(['6:23 Malformed spec.matchingPrecedence'])
    expect(told(changed('700', '0'))).toEqual([])
    expect(told(changed('name: workload-low', 'nam: x'))).toEqual([
      '7:3 FieldValueRequired spec.priorityLevelConfiguration.name',
      '8:5 FieldUnknown spec.priorityLevelConfiguration.nam',
    ])
    expect(
      told(changed('  matchingPrecedence: 700', '  matchingPrecedence: 700\n  matchingPrecedence: 20000')),
    ).toEqual(['7:3 FieldValueDuplicate spec.matchingPrecedence', '7:23 FieldValueInvalid spec.matchingPrecedence'])
    expect(told(SCHEMA.replaceAll('\n', '\r\n').replace('700', '20000'))).toEqual([
      '6:23 FieldValueInvalid spec.matchingPrecedence',
    ])
    expect(told(`\uFEFF{"kind": "FlowSchema"}`)[0]).toBe('1:2 FieldValueRequired apiVersion')
  })

  it('explains the traps of YAML', () => {
    const messages = (text: string): readonly string[] => read(text).findings.map(({ message }) => message)
    expect(messages(changed('name: devs\n      res', 'name: on\n      res'))).toEqual([
      expect.stringMatching(/not true\. Without quotes, YAML reads on as true; “on” is the word\.$/),
    ])
    expect(messages(changed('clusterScope: true', 'clusterScope: "true"'))).toEqual([
      expect.stringMatching(/In quotes it is text; without them it is true\.$/),
    ])
    expect(messages(changed('name: devs\nspec', 'name: 12\nspec'))).toEqual([
      expect.stringMatching(/Without quotes it is a number; “12” is text\.$/),
    ])
    expect(messages(SCHEMA.split('').join('\0'))).toEqual([
      expect.stringMatching(/zero bytes, which is typical of UTF-16/),
    ])
    expect(messages('k8s\0\n\f\n\u0002v1\u0012\u0006Status')).toEqual([
      'The text is protobuf of Kubernetes: save it with -o yaml.',
    ])
  })

  it('converts earlier versions, and points at their own fields', () => {
    const old = LEVEL.replace('/v1', '/v1beta2').replace('limited: {', 'limited: { assuredConcurrencyShares: -1,')
    const { findings, notes } = readManifests(old, { file: 'old.yaml', version: 'v1.28' })
    expect(notes.length).toBeGreaterThan(0)
    expect(notes.every(({ about, line }) => about === 'object' && line === 1)).toBe(true)
    const at = old.split('\n')[3]?.indexOf('-1') ?? 0
    expect(findings.map(({ line, column }) => [line, column])).toContainEqual([4, at + 1])
  })

  it('names the kind that was forgotten, mistyped or is not of the group', () => {
    expect(told(changed('kind: FlowSchema\n', ''))).toEqual(['1:1 FieldValueRequired kind'])
    expect(told(SCHEMA.split('\n').slice(2).join('\n'))).toContain('1:1 FieldValueRequired kind')
    expect(told(changed('FlowSchema', 'FlowScheme'))).toEqual(['2:7 FieldValueNotSupported kind'])
    expect(told(changed('flowcontrol.apiserver.k8s.io/v1', 'v1'))).toEqual(['1:13 FieldValueNotSupported apiVersion'])
    expect(told('hello\n')).toEqual(['1:1 Malformed '])
  })

  it('finds every field of any text, or its nearest parent', () => {
    const [document] = read(SCHEMA).documents
    const at = (field: string): string => {
      const { from, to } = document?.rangeOf(field) ?? { from: 0, to: 0 }
      return SCHEMA.slice(from, to)
    }
    expect(at('spec.matchingPrecedence')).toBe('700')
    expect(at('spec.rules[0].subjects')).toBe('subjects')
    expect(at('spec.rules[0].subjects[0]')).toBe('kind')
    expect(at('spec.rules[0].subjects[0].user.name')).toBe('kind')
    expect(at('spec.rules[7]')).toBe('rules')
    expect(at('metadata.annotations[example.com/a]')).toBe('metadata')
    expect(at('')).toBe('apiVersion')
    expect(document?.positionOf('spec.rules[0].resourceRules[0].verbs[0]')).toEqual({ line: 15, column: 19 })
  })
})

describe('whatever the server says of an object', () => {
  it.each(
    readVectors<{ name: string; object: Json }, unknown>('validation').map(
      (one) => [one.in.name, one.in.object] as const,
    ),
  )('is said of its YAML: %s', (_name, object) => {
    const { findings, documents } = read(writeYaml(object))
    const { findings: expected } = checkObject(object, 'v1.36.3')
    const plain = findings.map(({ field, reason, severity }) => ({ field, reason, severity }))
    expect(plain).toHaveLength(expected.length)
    expect(plain).toEqual(
      expect.arrayContaining(expected.map(({ field, reason, severity }) => ({ field, reason, severity }))),
    )
    expect(documents).toHaveLength(1)
  })
})

describe('no text makes it throw', () => {
  const safe = (text: string, file: string): void => {
    const { findings, notes, documents } = read(text, file)
    const lines = text.split('\n').length
    for (const { line, column } of [...findings, ...notes]) {
      expect(line).toBeGreaterThanOrEqual(1)
      expect(line).toBeLessThanOrEqual(lines)
      expect(column).toBeGreaterThanOrEqual(1)
    }
    for (const { positionOf } of documents) expect(positionOf('spec.rules[0]').line).toBeLessThanOrEqual(lines)
  }

  it('be it arbitrary', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom('a.yaml', 'a.json'), safe))
    const piece = fc.constantFrom(
      '- ',
      ': ',
      '? ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '&a ',
      '*a',
      '<<: ',
      '!!int ',
      '"',
      "'",
      '|\n',
      '>-\n',
      '\n',
      '  ',
      '\t',
      '#',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      'kind',
      'FlowSchema',
      'items',
      'spec',
      '0',
      '\r',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
        fc.constantFrom('a.yaml', 'a.json'),
        safe,
      ),
      { numRuns: 3_000 },
    )
  })

  it('be it a manifest with something cut, doubled or put in', () => {
    const text = [SCHEMA, LEVEL].join('---\n')
    const mutation = fc.tuple(
      fc.nat(text.length),
      fc.nat(40),
      fc.constantFrom('', '"', '- ', '\n', '\t', '{', ': ', '&a', '*a', 'null', '[]', '\0'),
    )
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
        const mutated = mutations.reduce(
          (before, [at, length, put]) => before.slice(0, at) + put + before.slice(at + length),
          text,
        )
        safe(mutated, 'a.yaml')
      }),
      { numRuns: 1_500 },
    )
  })

  it('be it long', () => {
    const many = Array.from({ length: 2_000 }, (_, index) =>
      SCHEMA.replace('name: devs\nspec', `name: s${index}\nspec`),
    ).join('---\n')
    expect(read(many).documents).toHaveLength(2_000)
  })
})

describe('field paths', () => {
  it('are read as they are written', () => {
    const step = fc.oneof(fc.nat(20), fc.stringMatching(/^[a-zA-Z][\w-]*$/), fc.constantFrom('example.com/team', 'a.b'))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (path: FieldPath) => {
        expect(parseField(fieldOf(path))).toEqual(path)
      }),
    )
    expect(fieldOf(['spec', 'rules', 0, 'subjects', 1, 'user', 'name'])).toBe('spec.rules[0].subjects[1].user.name')
  })
})

test.each([
  '{{- if .Values.enabled }}\nkind: FlowSchema\n{{- end }}\n',
  'kind: FlowSchema\nmetadata:\n  name: {{ .Release.Name }}\n',
  'kind: FlowSchema\nmetadata:\n  name: "{{ .Values.name }}"\n',
  'kind: FlowSchema\nmetadata:\n  labels:\n    {{- include "chart.labels" . | nindent 4 }}\n',
  'kind: FlowSchema\nmetadata:\n  name: {{ quote .Values.name }}\n',
  '{{/* a comment */}}\nkind: FlowSchema\n',
])('a Helm template is to be rendered first: %j', (text) => {
  const { documents, findings } = readManifests(text, { file: 'a.yaml', version: 'v1.37' })
  expect(documents).toEqual([])
  expect(findings).toMatchObject([{ message: expect.stringMatching(/^This is a Helm template, .* render it first/) }])
})

const SMALL =
  'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: { name: a }\nspec: { type: Limited, limited: { nominalConcurrencyShares: 5, limitResponse: { type: Reject } } }\n'
test.each<readonly [string, string, RegExp]>([
  [
    'of envsubst',
    SMALL.replace('5', '${SHARES}'),
    /This is a template, not a manifest: render it first, as with envsubst, and/,
  ],
  [
    'of Jinja',
    `{% for l in levels %}\n${SMALL}{% endfor %}\n`,
    /This is a template, not a manifest: render it first, and read/,
  ],
  [
    'of ytt',
    `#@ load("@ytt:data", "data")\n---\n${SMALL.replace('5', '#@ data.values.shares')}`,
    /as with ytt -f FILE/,
  ],
  [
    'Terraform',
    '# the level\nresource "kubernetes_manifest" "batch" {\n  manifest = {}\n}\n',
    /^This is Terraform, Jsonnet or CUE, not a manifest/,
  ],
  [
    'Jsonnet',
    "local k = import 'k.libsonnet';\n{ apiVersion: 'flowcontrol.apiserver.k8s.io/v1' }\n",
    /^This is Terraform, Jsonnet or CUE, not/,
  ],
  [
    'CUE',
    'package flow\n\napiVersion: "flowcontrol.apiserver.k8s.io/v1"\nspec: x: >=1\n',
    /^This is Terraform, Jsonnet or CUE, not/,
  ],
  ['a web page', '<!DOCTYPE html><html><body>Sign in</body></html>', /^The text is a web page/],
  [
    'an error of kubectl',
    'Error from server (Forbidden): flowschemas is forbidden: no\n',
    /error instead of an answer: Error from server/,
  ],
  [
    'a table of kubectl',
    'NAME   PRIORITYLEVEL   MATCHINGPRECEDENCE\nexempt   exempt   1\n',
    /save the objects with -o yaml/,
  ],
  [
    'of kubectl describe',
    'Name:         batch\nNamespace:    \nAPI Version:  flowcontrol.apiserver.k8s.io/v1\nKind:         FlowSchema\n',
    /^The text is what kubectl prints for people/,
  ],
  [
    'of kubectl explain',
    'GROUP:      flowcontrol.apiserver.k8s.io\nKIND:       FlowSchema\nVERSION:    v1\n',
    /^The text is what kubectl prints for people/,
  ],
  [
    'a diff',
    'diff -u -N /tmp/LIVE/a /tmp/MERGED/a\n--- /tmp/LIVE/a\n+++ /tmp/MERGED/a\n',
    /save the objects with -o yaml/,
  ],
  ['Markdown', `Apply this:\n\n\`\`\`yaml\n${SMALL}\`\`\`\n`, /^This is Markdown/],
  [
    'a refusal',
    '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"forbidden: no","reason":"Forbidden","code":403}',
    /^This is a response of the API server, 403 Forbidden: forbidden: no\. Correct that/,
  ],
])('what is not a manifest is said: %s', (_name, text, message) => {
  const { documents, findings } = readManifests(text, { file: 'a.yaml', version: 'v1.37' })
  expect(documents).toEqual([])
  expect(findings).toMatchObject([{ line: expect.any(Number), message: expect.stringMatching(message) }])
})

test.each<readonly [string, string, RegExp]>([
  [
    'a JSON patch',
    '- op: replace\n  path: /spec/limited/nominalConcurrencyShares\n  value: 5\n',
    /^This is a JSON patch, a part of an object/,
  ],
  [
    'a kustomization with patches',
    'resources: [level.yaml]\npatches: [{ patch: "- op: remove" }]\n',
    /changes objects \(patches\): build it with kustomize build/,
  ],
  [
    'a component',
    'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: a-\n',
    /changes objects \(namePrefix\)/,
  ],
])('a part of an object is not judged alone: %s', (_name, text, message) => {
  const { documents, findings, notes } = readManifests(text, { file: 'a.yaml', version: 'v1.37' })
  expect([documents, findings]).toEqual([[], []])
  expect(notes[0]).toMatchObject({ about: 'text', message: expect.stringMatching(message) })
})

test('events of a watch are read as their objects', () => {
  const event = (type: string, name: string) =>
    JSON.stringify({ type, object: { ...parse(SMALL), metadata: { name } } })
  const text = [event('ADDED', 'a'), event('MODIFIED', 'b'), event('DELETED', 'c'), event('BOOKMARK', '')].join('\n')
  const { documents, findings } = readManifests(text, { file: 'a.json', version: 'v1.37' })
  expect([documents.map(({ name }) => name), findings]).toEqual([['a', 'b'], []])
})

test('a template in a value of a manifest is text', () => {
  const alert =
    'kind: PrometheusRule\nspec: { annotations: { summary: "{{ $labels.flow_schema }} {{ if $value }}a{{ end }}" } }\n'
  expect(readManifests(alert, { file: 'a.yaml', version: 'v1.37' }).findings).toEqual([])
})

describe('numbers and tags, as kube-apiserver v1.37.2 and kubectl v1.36.3 read them', () => {
  const level = (shares: string, name = 'a'): string =>
    `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":${name}},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":${shares},"limitResponse":{"type":"Reject"}}}}`
  const errorsIn = (text: string, file: string): readonly string[] =>
    readManifests(text, { file, version: 'v1.37.2' }).findings.flatMap(({ severity, field }) =>
      severity === 'error' ? [field] : [],
    )

  test.each(['3.0', '3e0', '30e-1', '-0.0'])('in JSON, %s is not an integer', (number) => {
    expect(errorsIn(level(number, '"a"'), 'a.json')).toEqual(['spec.limited.nominalConcurrencyShares'])
    expect(errorsIn(`# YAML\n${level(number, '"a"')}`, 'a.yaml')).toEqual([])
  })

  test('a binary value is its text', () => {
    const name = (text: string) => readManifests(`# YAML\n${level('3', text)}`, { file: 'a.yaml', version: 'v1.37.2' })
    expect(name(' !!binary enphYg==').documents[0]?.name).toBe('zzab')
    expect(name(' !!binary enphYg').findings).toMatchObject([{ message: expect.stringMatching(/not base64/) }])
  })
})
