import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStyled, styledYaml } from '../../test/harness/styledYaml.ts'
import { builtInObjects } from '../config/builtIn.ts'
import type { Json } from './json.ts'
import { readManifests } from './read.ts'
import { writeManifest, writeManifests, writeYaml } from './write.ts'

const { levels, schemas } = builtInObjects('v1.36.3')
const all = [
  ...levels.map((object) => ({ kind: 'PriorityLevelConfiguration', object }) as const),
  ...schemas.map((object) => ({ kind: 'FlowSchema', object }) as const),
]

describe('writeManifest', () => {
  it('writes what people write, in the order of the API', () => {
    const object = {
      status: { conditions: [] },
      spec: {
        rules: [
          {
            resourceRules: [
              {
                namespaces: ['*'],
                clusterScope: true,
                resources: ['pods', 'pods/log'],
                apiGroups: [''],
                verbs: ['get', 'list'],
              },
            ],
            subjects: [{ serviceAccount: { name: '*', namespace: 'ci' }, kind: 'ServiceAccount' }],
          },
        ],
        distinguisherMethod: { type: 'ByUser' },
        matchingPrecedence: 700,
        priorityLevelConfiguration: { name: 'workload-low' },
      },
      metadata: {
        managedFields: [],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', why: 'first line\nsecond line\n' },
        labels: { team: 'no' },
        uid: '1',
        resourceVersion: '2',
        generation: 3,
        creationTimestamp: '2026-01-01T00:00:00Z',
        name: 'ci',
      },
    }
    expect(writeManifest('FlowSchema', object)).toBe(`apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
  labels:
    team: 'no'
  annotations:
    why: |
      first line
      second line
spec:
  priorityLevelConfiguration:
    name: workload-low
  matchingPrecedence: 700
  distinguisherMethod:
    type: ByUser
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount:
            namespace: ci
            name: '*'
      resourceRules:
        - verbs: [get, list]
          apiGroups: ['']
          resources: [pods, pods/log]
          clusterScope: true
          namespaces: ['*']
`)
  })

  it('writes the built-in objects so that they read the same', () => {
    const { documents, findings, notes } = readManifests(writeManifests(all), { file: 'x', version: 'v1.36.3' })
    expect({ findings, notes }).toEqual({ findings: [], notes: [] })
    expect(documents.map(({ checked }) => checked?.defaulted)).toEqual(all.map(({ object }) => object))
  })
})

describe('writeYaml', () => {
  it('writes any value so that it reads the same', () => {
    const value = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json>
    // A key longer than this would need another notation; the API has none.
    const short = value.filter((json) => !/"[^"]{900}/.test(JSON.stringify(json)))
    fc.assert(
      fc.property(short, (json) => {
        const plain: unknown = JSON.parse(JSON.stringify(json))
        const text = writeYaml(plain as Json)
        fc.pre(plain !== null)
        expect(readStyled(text)).toEqual(plain)
      }),
      { numRuns: 500 },
    )
  })

  it('writes what it has read of any style', () => {
    fc.assert(
      fc.property(styledYaml, ({ value }) => {
        expect(readStyled(writeYaml(value))).toEqual(value)
      }),
    )
  })

  it('quotes what another reader would take for something else', () => {
    const words = [
      'on',
      'y',
      '~',
      '1',
      '0x1',
      '',
      '*',
      'a: b',
      'a #b',
      '- a',
      '{a',
      '@a',
      '`',
      '%',
      '!x',
      '&x',
      ' a',
      'a ',
      "it's",
      '<<',
      '=',
      '.5',
      '2001-01-01',
      '12:30',
      'tab\there',
    ]
    const bare = words.filter((word) => writeYaml(word) === `${word}\n`)
    expect(bare).toEqual([])
    for (const word of words) expect(readStyled(writeYaml([word, { a: word }]))).toEqual([word, { a: word }])
    expect(writeYaml(['system:nodes', '/healthz', 'coordination.k8s.io', 'system:kube-scheduler'])).not.toMatch(/['"]/)
  })
})
