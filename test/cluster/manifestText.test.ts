import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readManifests } from '../../core/manifest/read.ts'
import { ADMIN } from './identities.ts'
import { noCluster, useCluster } from './suite.ts'

const MANIFEST = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: yaml
spec:
  matchingPrecedence: PRECEDENCE
  priorityLevelConfiguration:
    name: workload-low
  rules:
    - subjects:
        - kind: Group
          group:
            name: GROUP
      nonResourceRules:
        - verbs: ['*']
          nonResourceURLs: ['*']
`
const manifest = (precedence: string, group = 'devs'): string =>
  MANIFEST.replace('PRECEDENCE', () => precedence).replace('GROUP', () => group)

/** Numbers, words and notations in which readers of YAML differ. */
const PRECEDENCES = [
  '700',
  '"700"',
  '0700',
  '08',
  '7e2',
  '700.0',
  '7.5',
  '7_00',
  '1__0',
  '_1',
  '0x2bc',
  '0X1F',
  '0o1274',
  '0b1010',
  '-0b1',
  '+700',
  'null',
  '~',
  '',
  '99999999999',
  '.5e3',
  '!!int "700"',
  '!!int 7x',
  '!!str 700',
  '&p 700',
  '*p',
  'yes',
  '[700]',
  '{a: 1}',
  '1e999',
]
const GROUPS = [
  'on',
  'y',
  'No',
  'yEs',
  '"on"',
  '!!str on',
  '!!bool "yes"',
  '123',
  '0b12',
  '12:30',
  '2001-01-01',
  '=',
  '~',
  'Null',
  '.nan',
  '-.inf',
  '._5',
  '1,000',
  '!foo x',
  '*nope',
  '&a [*a]',
  '|\n              devs',
  '"a\\/b"',
  '- a',
  "'it''s'",
  '@a',
  '%a',
]
const TEXTS = [
  ...PRECEDENCES.map((word) => manifest(word)),
  ...GROUPS.map((word) => manifest('700', word)),
  manifest('700\n  matchingPrecedence: 800'),
  manifest('700\n  MatchingPrecedence: 800'),
  // One that replaces a field is accepted from kubectl, which converts the text first, and not from here.
  manifest('700\n  <<: {distinguisherMethod: {type: ByUser}}'),
  manifest('700\n  <<: [{distinguisherMethod: {type: ByNobody}}]'),
  manifest('700\n  <<: 5'),
  manifest('700\n  ? [a]\n  : b'),
  manifest('700\n  ~: b'),
  manifest('700\n  1: b'),
  manifest('700\n  on: b'),
  manifest('700\n\tdistinguisherMethod: {type: ByUser}'),
  manifest('700').replaceAll('\n', '\r\n'),
  `\uFEFF${manifest('700')}`,
  `# comment\n---\n${manifest('700')}`,
  manifest('700').replace('name: yaml', 'name: 1.0'),
  manifest('700').replace('name: yaml', 'name: yaml\n  annotations: {a: on}'),
  manifest('700').replace('name: yaml', 'name: yaml\n  labels: {a: "on", b: y1}'),
]

const StoredSchema = z.object({ spec: z.unknown() })

describe.skipIf(noCluster)('the text of a manifest', () => {
  const cluster = useCluster()

  const serverSays = async (text: string) => {
    const { status, body } = await cluster().call(
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?dryRun=All&fieldValidation=Strict',
      ADMIN,
      { method: 'POST', contentType: 'application/yaml', body: text },
    )
    return status === 201 ? StoredSchema.parse(JSON.parse(body)).spec : 'rejected'
  }
  const weSay = (text: string): unknown => {
    const { documents, findings } = readManifests(text, { file: 'a.yaml', version: cluster().version })
    if (findings.some(({ severity }) => severity === 'error')) return 'rejected'
    return documents[0]?.checked?.defaulted.spec
  }

  it('means to us what it means to the server', async () => {
    for (const text of TEXTS) expect([text, weSay(text)]).toEqual([text, await serverSays(text)])
  })
})
