import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { checkSet, objectsOf } from './manifest.ts'
import { readManifests } from './read.ts'
import { writeManifest } from './write.ts'

const version = 'v1.36.3'
const read = (file: string, text: string) => readManifests(text, { file, version })
const schema = (name: string, level: string): string =>
  writeManifest('FlowSchema', { metadata: { name }, spec: { priorityLevelConfiguration: { name: level } } })
const level = (name: string): string =>
  writeManifest('PriorityLevelConfiguration', {
    metadata: { name },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  })

describe('checkSet', () => {
  it('tells objects that are there twice', () => {
    const files = [
      read('a.yaml', schema('x', 'global-default')),
      read('b.yaml', [level('x'), schema('x', 'system')].join('---\n')),
    ]
    expect(checkSet(files, { version })).toEqual([
      {
        file: 'b.yaml',
        line: 14,
        column: 9,
        kind: 'FlowSchema',
        name: 'x',
        field: 'metadata.name',
        reason: 'FieldValueDuplicate',
        severity: 'warning',
        message: 'FlowSchema x is also defined in a.yaml, line 4; the last one applied wins.',
      },
    ])
    const { schemas } = objectsOf(files.flatMap(({ documents }) => documents))
    expect(schemas.map(({ spec }) => spec.priorityLevelConfiguration.name)).toEqual(['system'])
  })

  it('tells references to nothing, when everything is known', () => {
    const files = [
      read('a.yaml', [schema('x', 'mine'), schema('y', 'system'), schema('z', 'gone'), level('mine')].join('---\n')),
    ]
    expect(checkSet(files, { version })).toEqual([])
    expect(checkSet(files, { version, complete: true })).toMatchObject([
      {
        name: 'z',
        line: 23,
        field: 'spec.priorityLevelConfiguration.name',
        reason: 'FieldValueNotFound',
        severity: 'warning',
      },
    ])
    // A complete configuration contains both mandatory levels.
    const mandatory = builtInObjects(version)
      .levels.slice(0, 2)
      .map((object) => writeManifest('PriorityLevelConfiguration', object))
    expect(checkSet([...files, read('b.yaml', mandatory.join('---\n'))], { version })).toHaveLength(1)
  })
})
