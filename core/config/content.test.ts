import { describe, expect, test } from 'vitest'
import { manifestOf, sameContent, shownObject, versionOf, withoutNulls } from './content.ts'

const OBJECT = {
  metadata: {
    name: 'a',
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    labels: { team: 'blue' },
    annotations: {},
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: { type: 'Limited' },
  status: { conditions: [] },
}

describe('the content of an object', () => {
  test('is what people wrote of it', () => {
    expect(manifestOf('FlowSchema', OBJECT)).toEqual({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'a', labels: { team: 'blue' } },
      spec: { type: 'Limited' },
    })
  })

  test('does not depend on what the server keeps', () => {
    expect(sameContent(OBJECT, manifestOf('FlowSchema', OBJECT))).toBe(true)
    const written = { ...OBJECT, status: {}, metadata: { labels: { team: 'blue' }, annotations: null } }
    expect(sameContent(OBJECT, written)).toBe(true)
  })

  test.each([
    ['the spec', { ...OBJECT, spec: { type: 'Exempt' } }],
    ['a label', { ...OBJECT, metadata: { labels: { team: 'red' } } }],
    ['an annotation', { ...OBJECT, metadata: { ...OBJECT.metadata, annotations: { a: '' } } }],
    ['an owner', { ...OBJECT, metadata: { ...OBJECT.metadata, ownerReferences: [{ name: 'x' }] } }],
    ['everything', {}],
  ])('differs by %s', (_what, other) => {
    expect(sameContent(OBJECT, other)).toBe(false)
  })

  test('is shown with its kind and without sets of fields', () => {
    const shown = shownObject('FlowSchema', OBJECT)
    expect(shown).toMatchObject({ kind: 'FlowSchema', metadata: { uid: 'u' }, status: { conditions: [] } })
    expect(JSON.stringify(shown)).not.toContain('managedFields')
  })

  test('has a version only where a server keeps it', () => {
    expect(versionOf(OBJECT)).toEqual({ uid: 'u', resourceVersion: '7' })
    expect(versionOf({ metadata: { uid: 'u' } })).toBeUndefined()
    expect(versionOf({})).toBeUndefined()
  })

  test('loses nulls at any depth, and nothing else', () => {
    expect(withoutNulls({ a: null, b: [{ c: null, d: 0 }, null], e: { f: '' } })).toEqual({
      b: [{ d: 0 }, null],
      e: { f: '' },
    })
  })
})
