import { expect, test } from 'vitest'
import { suspiciousObjects } from '../../test/fixtures/suspiciousObjects.ts'
import { builtInObjects } from './builtIn.ts'
import { checkObject } from './checkObject.ts'
import { manifestOf } from './content.ts'
import { EXEMPT } from './objects.ts'

test.each(suspiciousObjects)('%s', (field, manifest) => {
  const { findings } = checkObject(manifest, 'v1.36.3')
  expect(findings.map((finding) => ({ field: finding.field, severity: finding.severity }))).toEqual([
    { field, severity: 'warning' },
  ])
})

test('nothing is suspicious of the built-in objects', () => {
  for (const version of ['v1.29.15', 'v1.33.13', 'v1.36.3', 'v1.37.0']) {
    const { levels, schemas } = builtInObjects(version)
    const manifests = [
      ...levels.map((level) => manifestOf('PriorityLevelConfiguration', level)),
      ...schemas.map((schema) => manifestOf('FlowSchema', schema)),
    ]
    for (const manifest of manifests) expect(checkObject(manifest, version).findings).toEqual([])
  }
})

test('the level exempt needs spec.exempt to be used, though not to be stored', () => {
  const level = { metadata: { name: EXEMPT }, spec: { type: 'Exempt' } }
  expect(checkObject(manifestOf('PriorityLevelConfiguration', level), 'v1.36.3').findings).toMatchObject([
    { field: 'spec.exempt', severity: 'warning' },
  ])
})

test('a schema that a later release dropped is deleted there, because of its annotation', () => {
  const dropped = builtInObjects('v1.33.13').schemas.filter(({ metadata }) => metadata.name === 'endpoint-controller')
  const fieldsIn = (version: string): string[][] =>
    dropped.map((schema) => checkObject(manifestOf('FlowSchema', schema), version).findings.map(({ field }) => field))
  expect(fieldsIn('v1.33.13')).toEqual([[]])
  expect(fieldsIn('v1.34.0')).toEqual([['metadata.annotations[apf.kubernetes.io/autoupdate-spec]']])
})
