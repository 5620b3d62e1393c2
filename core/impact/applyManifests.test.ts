import { expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { LAST_APPLIED } from '../config/content.ts'
import type { ObjectSet } from '../config/objects.ts'
import { readManifests } from '../manifest/read.ts'
import { objectsOf } from '../manifest/manifest.ts'
import { applyManifests } from './applyManifests.ts'

const version = 'v1.37'
const level = (limited: string, name = 'workload-low', annotations = ''): string =>
  `apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: ${name}\n${annotations}spec:\n  type: Limited\n  limited: ${limited}\n`
const documents = (text: string) => readManifests(text, { file: 'a.yaml', version }).documents
const limitedOf = ({ levels }: ObjectSet, name = 'workload-low') =>
  levels.find(({ metadata }) => metadata.name === name)?.spec.limited

const REJECT = '{ limitResponse: { type: Reject } }'

it('the queues of a live level stay with an edit that only changes the type, so that the server rejects it', () => {
  const { objects, findings } = applyManifests(builtInObjects(version), documents(level(REJECT)), {
    version,
    before: 'live',
  })
  expect(findings).toMatchObject([
    {
      file: 'a.yaml',
      kind: 'PriorityLevelConfiguration',
      name: 'workload-low',
      field: 'spec.limited.limitResponse.queuing',
      reason: 'FieldValueForbidden',
      line: 7,
    },
  ])
  expect(limitedOf(objects)).toMatchObject({ nominalConcurrencyShares: 100, lendablePercent: 90 })
})

it('the queues go when the manifest writes them as null', () => {
  const text = level('{ limitResponse: { type: Reject, queuing: null } }')
  const { objects, findings } = applyManifests(builtInObjects(version), documents(text), { version, before: 'live' })
  expect(findings).toEqual([])
  expect(limitedOf(objects)?.limitResponse).toEqual({ type: 'Reject' })
})

it('the queues go when the last apply had set them, be it noted at the object or in the files before', () => {
  const was = '{ nominalConcurrencyShares: 7, limitResponse: { type: Queue, queuing: { queues: 16, handSize: 4 } } }'
  const plain = objectsOf(documents(level(was, 'mine')))
  expect(applyManifests(plain, documents(level(REJECT, 'mine')), { version, before: 'applied' })).toMatchObject({
    findings: [],
  })
  const [document] = documents(level(was, 'mine'))
  const note = JSON.stringify(JSON.stringify(document?.value))
  const noted = objectsOf(documents(level(was, 'mine', `  annotations:\n    ${LAST_APPLIED}: ${note}\n`)))
  const { objects, findings } = applyManifests(noted, documents(level(REJECT, 'mine')), { version, before: 'live' })
  expect(findings).toEqual([])
  // The shares were set by the last apply as well: if the edit omits them, the default applies.
  expect(limitedOf(objects, 'mine')).toMatchObject({ nominalConcurrencyShares: 30, limitResponse: { type: 'Reject' } })
})

it('what a manifest lacks by itself is no error where the object has it', () => {
  const text =
    'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: NAME\nspec:\n  limited: { nominalConcurrencyShares: 7 }\n'
  const suppliedTo = (name: string, before: 'live' | 'applied') => {
    const [document] = documents(text.replace('NAME', name))
    const missing = document?.findings.find(({ field }) => field === 'spec.type')
    expect(missing?.severity).toBe('error')
    const { objects, supplied } = applyManifests(builtInObjects(version), document ? [document] : [], {
      version,
      before,
    })
    return { supplied: missing && supplied.has(missing), shares: limitedOf(objects, name)?.nominalConcurrencyShares }
  }
  expect(suppliedTo('workload-low', 'live')).toEqual({ supplied: true, shares: 7 })
  // The files before the edit are what was applied: what the edit omits is removed.
  expect(suppliedTo('workload-low', 'applied').supplied).toBe(false)
  expect(suppliedTo('new', 'live').supplied).toBe(false)
})

it('new objects are what their manifest says', () => {
  const { objects, findings } = applyManifests(builtInObjects(version), documents(level(REJECT, 'new')), {
    version,
    before: 'live',
  })
  expect(findings).toEqual([])
  expect(limitedOf(objects, 'new')).toMatchObject({ nominalConcurrencyShares: 30, lendablePercent: 0 })
})

const schemaNames = ({ schemas }: ObjectSet) => schemas.map(({ metadata }) => metadata.name)

it('strategic merge patches are edits: directives say what is replaced, deleted and kept', () => {
  const before = builtInObjects(version)
  const text = [
    level('{ nominalConcurrencyShares: 7, limitResponse: { $patch: replace, type: Reject } }'),
    'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: { name: probes }\n$patch: delete\n',
  ].join('---\n')
  const read = documents(text)
  const { objects, findings, supplied } = applyManifests(before, read, { version, before: 'applied' })
  expect(findings).toEqual([])
  expect(read.flatMap((one) => one.findings).every((one) => supplied.has(one))).toBe(true)
  expect(limitedOf(objects)).toEqual({
    nominalConcurrencyShares: 7,
    lendablePercent: 90,
    limitResponse: { type: 'Reject' },
  })
  expect(schemaNames(objects)).toEqual(schemaNames(before).filter((name) => name !== 'probes'))
})

it('a patch removes nothing that it leaves out, also from what was applied before', () => {
  const patch = documents(level('{ nominalConcurrencyShares: 7 }'))
  const lendable = (how: 'applied' | 'patched') =>
    limitedOf(applyManifests(builtInObjects(version), patch, { version, before: how }).objects)?.lendablePercent
  expect(lendable('patched')).toBe(90)
  expect(lendable('applied')).not.toBe(90)
})
