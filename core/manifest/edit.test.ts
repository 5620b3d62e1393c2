import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStyled, styledYaml } from '../../test/harness/styledYaml.ts'
import { editManifest, insertEntry, renameManifest, type Edited } from './edit.ts'
import { type FieldPath, isList, isMap, sameJson, type Json, setIn } from './json.ts'

const TEXT = `# Batch jobs of the data team.
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name:   batch   # as in the runbook
spec: # mind the order
  # before service-accounts
  matchingPrecedence: 700 # agreed in May
  priorityLevelConfiguration:
    name: "workload-low"
  rules:
  - subjects:
    # who
    - kind: Group # one
      # from the directory
      group:
        name: devs
    - {kind: User, user: {name: bob}} # two
    resourceRules:
    - verbs: ["get", 'list'] # read only
      apiGroups:
      - apps # deployments
      - batch # jobs
      resources: ['*']
# the end
`

const textOf = (edited: Edited): string => {
  if (!edited.ok) throw new Error(edited.why)
  return edited.text
}
const edit = (path: FieldPath, value: unknown, text = TEXT): string => textOf(editManifest(text, path, value))
/** The text with one passage replaced, which must occur exactly once. */
const swapped = (from: string, to: string): string => {
  expect(TEXT.split(from)).toHaveLength(2)
  return TEXT.replace(from, () => to)
}

describe('editManifest', () => {
  it('replaces a scalar and nothing else', () => {
    expect(edit(['spec', 'matchingPrecedence'], 800)).toBe(swapped('700', '800'))
    expect(edit(['metadata', 'name'], 'on')).toBe(swapped('batch   #', `'on'   #`))
    expect(edit(['spec', 'rules', 0, 'subjects', 1, 'user', 'name'], 'al ice')).toBe(
      swapped('name: bob', `name: 'al ice'`),
    )
    expect(textOf(renameManifest(TEXT, 'nightly'))).toBe(swapped('batch   #', 'nightly   #'))
  })

  it('adds a field where the API has it', () => {
    expect(edit(['spec', 'distinguisherMethod', 'type'], 'ByUser')).toBe(
      swapped('  rules:\n', '  distinguisherMethod:\n    type: ByUser\n  rules:\n'),
    )
    expect(edit(['metadata', 'annotations'], { 'example.com/why': 'one\ntwo\n', b: undefined })).toBe(
      swapped(
        'as in the runbook\n',
        'as in the runbook\n  annotations:\n    example.com/why: |\n      one\n      two\n',
      ),
    )
  })

  it('removes a field with the comments that speak of it', () => {
    expect(edit(['spec', 'matchingPrecedence'], undefined)).toContain(
      'spec: # mind the order\n  # before service-accounts\n  priority',
    )
    expect(edit(['spec', 'rules', 0, 'resourceRules', 0, 'resources'], undefined)).toBe(
      swapped(`      resources: ['*']\n`, ''),
    )
    expect(edit(['spec', 'rules', 0, 'subjects', 0, 'kind'], undefined)).toBe(
      swapped('- kind: Group # one\n      # from', '- # from'),
    )
    expect(edit(['spec', 'rules', 0, 'subjects', 0, 'group'], undefined)).toBe(
      swapped('      # from the directory\n      group:\n        name: devs\n', ''),
    )
    expect(edit(['spec', 'nothing'], undefined)).toBe(TEXT)
  })

  it('keeps what stays of a list', () => {
    const list = ['spec', 'rules', 0, 'resourceRules', 0, 'apiGroups']
    expect(edit(list, ['batch'])).toBe(swapped('      - apps # deployments\n', ''))
    expect(edit(list, ['', 'apps', 'batch'])).toBe(swapped('      - apps #', `      - ''\n      - apps #`))
    expect(edit([...list, 2], 'on')).toBe(swapped('- batch # jobs\n', `- batch # jobs\n      - 'on'\n`))
    expect(edit(['spec', 'rules', 0, 'subjects', 0], undefined)).toBe(
      swapped('    - kind: Group # one\n      # from the directory\n      group:\n        name: devs\n', ''),
    )
    expect(
      textOf(insertEntry(TEXT, ['spec', 'rules', 0, 'subjects'], 1, { user: { name: 'eve' }, kind: 'User' })),
    ).toBe(swapped('    - {kind', '    - kind: User\n      user:\n        name: eve\n    - {kind'))
    expect(edit(['spec', 'rules'], [])).toContain('  rules: []\n# the end\n')
  })

  it('writes only what differs of a whole object', () => {
    const rule = { verbs: ['get'], apiGroups: ['apps', 'batch'], resources: ['*'], clusterScope: true }
    expect(edit(['spec', 'rules', 0, 'resourceRules', 0], rule)).toBe(
      swapped(`"get", 'list'`, `"get"`).replace(`['*']\n`, `['*']\n      clusterScope: true\n`),
    )
  })

  it('edits JSON as JSON', () => {
    const json = '{\n\t"kind": "FlowSchema",\n\t"spec": {\n\t\t"rules": [1, 2]\n\t}\n}\n'
    expect(edit(['spec', 'rules', 0], undefined, json)).toBe(json.replace('1, 2', '2'))
    expect(edit(['metadata', 'name'], 'on', json)).toBe(
      json.replace('"FlowSchema",', '"FlowSchema",\n\t"metadata": {\n\t\t"name": "on"\n\t},'),
    )
    expect(edit(['spec'], {}, json)).toBe('{\n\t"kind": "FlowSchema",\n\t"spec": {}\n}\n')
  })

  it('begins a text, and goes on in one that has only comments', () => {
    expect(edit(['metadata', 'name'], 'x', '')).toBe('metadata:\n  name: x\n')
    expect(edit(['kind'], 'FlowSchema', '# mine\n---')).toBe('# mine\n---\nkind: FlowSchema\n')
  })

  it('keeps anchors, and writes out what no longer equals its anchor', () => {
    expect(edit(['a'], 2, 'a: &x 1\nb: *x\n')).toBe('a: &x 2\nb: 1\n')
    expect(edit(['b', 'q'], 2, 'a: &x {q: 1}\nb: *x # b\n')).toBe('a: &x {q: 1}\nb: # b\n  q: 2\n')
  })

  it('says why it cannot', () => {
    const why = (path: FieldPath, text: string, ...[value]: readonly unknown[]): string => {
      const edited = editManifest(text, path, value)
      return edited.ok ? 'it can' : edited.why
    }
    expect(why(['a'], 'a: 1\nb: [', 2)).toMatch(/^Cannot read the text \(line 2\); fix it first\./)
    expect(why(['a'], 'a: 1\n---\na: 2\n', 2)).toBe('The text contains more than one object.')
    expect(why(['a', 'b'], 'a: 1\n', 2)).toBe('There is no map that could have a field “b”.')
    expect(why(['a', 2], 'a: [1]\n', 2)).toBe('The list has 1 entries; entry 2 would leave a gap.')
    expect(why(['a'], '<<: {a: 1}\nb: 2\n')).toMatch(/anchors or merge keys/)
  })
})

/** Paths of all values below the top. */
function pathsOf(value: Json, before: FieldPath = []): FieldPath[] {
  const children: [string | number, Json][] = isList(value)
    ? [...value.entries()]
    : isMap(value)
      ? Object.entries(value)
      : []
  return children.flatMap(([step, child]) => [[...before, step], ...pathsOf(child, [...before, step])])
}

const begins = (path: FieldPath, start: FieldPath): boolean => start.every((step, index) => path[index] === step)

const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('a', 'on', '*', '0700', '', 'x: y', '# no', 'ü 😀'),
  fc.string(),
  fc.constant(null),
)
const { value: replacement } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('kind', 'name', 'spec', 'yes', 'n:m', '-'), tie('value'), { maxKeys: 3 }),
  ),
}))

describe('an edit of any text', () => {
  const edits = styledYaml.chain((styled) => {
    const paths = pathsOf(styled.value)
    const path = paths.length === 0 ? fc.constant<FieldPath>(['new']) : fc.constantFrom(...paths)
    return fc.tuple(
      fc.constant(styled),
      path,
      fc.option(replacement, { nil: undefined }),
      fc.constantFrom(undefined, 'added'),
    )
  })

  it('changes exactly that path and keeps every other comment', () => {
    fc.assert(
      fc.property(edits, ([styled, at, wanted, added]) => {
        const path = added === undefined ? at : [...at, added]
        const expected = setIn(styled.value, path, wanted)
        const edited = editManifest(styled.text, path, wanted)
        expect(edited.ok).toBe(expected.ok)
        fc.pre(expected.ok)
        const text = textOf(edited)
        expect(readStyled(text)).toEqual(expected.value)
        const kept = styled.comments.filter((comment) => !begins(comment.path, path)).map(({ label }) => label)
        expect(text.match(/#note\d+/g)?.filter((label) => kept.includes(label)) ?? []).toEqual(kept)
        if (styled.text.includes('\r\n')) expect(text).not.toMatch(/[^\r]\n/)
      }),
      { numRuns: 1_500 },
    )
  })

  it('changes nothing when the text says it already, and gets to any other object', () => {
    fc.assert(
      fc.property(styledYaml, styledYaml, ({ text, value }, other) => {
        expect(textOf(editManifest(text, [], value))).toBe(text)
        expect(readStyled(textOf(editManifest(text, [], other.value)))).toEqual(other.value)
      }),
      { numRuns: 500 },
    )
  })

  it('leaves JSON what it is', () => {
    fc.assert(
      fc.property(edits, fc.constantFrom(undefined, 2, '\t'), ([{ value }, path, wanted], space) => {
        const expected = setIn(value, path, wanted)
        // Without a member it could be YAML as well.
        fc.pre(expected.ok && !sameJson(value, {}))
        const text = textOf(editManifest(JSON.stringify(value, undefined, space), path, wanted))
        expect(JSON.parse(text)).toEqual(expected.value)
      }),
      { numRuns: 500 },
    )
  })
})
