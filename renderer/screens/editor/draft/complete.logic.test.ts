import { describe, expect, it } from 'vitest'
import { completionsAt, placeAt, manifestShape } from './complete.logic.ts'

/** The place in a text whose cursor is marked by `|`. */
const at = (marked: string) => placeAt(marked.replace('|', ''), marked.indexOf('|'))
const offered = (kind: 'FlowSchema' | 'PriorityLevelConfiguration', marked: string, levels: readonly string[] = []) =>
  completionsAt(manifestShape(kind), at(marked), levels).map(({ label }) => label)

const SCHEMA = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: a
spec:
  rules:
    - subjects:
        - kind: User
          user:
            name: b
      resourceRules:
`

describe('the place of the cursor', () => {
  it.each([
    ['sp|', [], 'key'],
    ['spec:\n  ty|', ['spec'], 'key'],
    ['spec:\n  type: Lim|', ['spec', 'type'], 'value'],
    ['spec:\n  limited:\n    |', ['spec', 'limited'], 'key'],
    ['spec:\n  limited:\n    a: 1\n  |', ['spec'], 'key'],
    ['spec:\n  rules:\n  - sub|', ['spec', 'rules'], 'value'],
    ['spec:\n  rules:\n  - subjects:\n    - kind: |', ['spec', 'rules', 'subjects', 'kind'], 'value'],
    [`${SCHEMA}        - verbs: [get, li|`, ['spec', 'rules', 'resourceRules', 'verbs'], 'value'],
    [`${SCHEMA}        - verbs:\n            - |`, ['spec', 'rules', 'resourceRules', 'verbs'], 'value'],
  ] as const)('of %j is %j, a %s', (text, path, part) => {
    expect(at(text)).toMatchObject({ path, part })
  })

  it('begins where the word does', () => {
    expect(at('spec:\n  ty|').from).toBe('spec:\n  '.length)
    expect(at('spec:\n  type: |').from).toBe('spec:\n  type: '.length)
  })
})

describe('completions', () => {
  it('are the fields of the place', () => {
    expect(offered('PriorityLevelConfiguration', 'spec:\n  limited:\n    |')).toContain('lendablePercent')
    expect(offered('FlowSchema', 'spec:\n  |')).toContain('matchingPrecedence')
    expect(offered('FlowSchema', `${SCHEMA}        - |`)).toContain('clusterScope')
  })

  it('are the words that may stand there, and the names of levels', () => {
    expect(offered('PriorityLevelConfiguration', 'spec:\n  type: |')).toEqual(['Limited', 'Exempt'])
    expect(offered('FlowSchema', 'spec:\n  priorityLevelConfiguration:\n    name: |', ['system'])).toEqual(['system'])
    expect(offered('FlowSchema', `${SCHEMA}        - verbs: [|`)).toContain('list')
  })

  it('are none where nothing is known', () => {
    expect(offered('FlowSchema', 'status:\n  |')).toEqual([])
  })
})
