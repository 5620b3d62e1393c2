import { describe, expect, test } from 'vitest'
import { manifestOf, sameContent, shownObject, versionOf, withoutNulls, createObjectVersions } from './content.ts'

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

const object = (resourceVersion: string, shares: number, status = '') => ({
  metadata: { uid: 'u', resourceVersion },
  spec: { shares },
  status: { conditions: [{ status }] },
})

test('an object of an earlier version said the same while only its status was written', () => {
  const versions = createObjectVersions()
  versions.see(object('1', 5))
  versions.see(object('2', 5, 'True'))
  versions.see(object('3', 6, 'True'))
  const base = (resourceVersion: string, uid = 'u') => ({ uid, resourceVersion })
  expect(versions.saidTheSame(base('1'), object('2', 5, 'True'))).toBe(true)
  expect(versions.saidTheSame(base('1'), object('3', 6))).toBe(false)
  expect(versions.saidTheSame(base('0'), object('1', 5))).toBe(false)
  expect(versions.saidTheSame(base('1', 'another'), object('1', 5))).toBe(false)
})

test('the oldest versions are forgotten', () => {
  const versions = createObjectVersions()
  for (let version = 0; version <= 12_000; version++) versions.see(object(String(version), 5))
  const said = (version: number) => versions.saidTheSame({ uid: 'u', resourceVersion: String(version) }, object('x', 5))
  expect([said(0), said(1), said(12_000)]).toEqual([false, true, true])
})
