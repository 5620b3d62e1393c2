import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KNOWN_RESOURCES } from '../../core/classify/builtInResources.ts'
import { addressOf, fieldsOf, RESOURCE_VERBS } from '../../core/classify/requestFields.ts'
import {
  formOf,
  optionOf,
  requestOf,
  verbOf,
  withField,
  withFollowingGroups,
  withGroups,
  withOption,
  withPath,
  withUser,
  withVerb,
  type RequestForm,
} from './request.logic.ts'

const listPods = formOf({
  user: 'alice',
  groups: ['system:authenticated'],
  method: 'GET',
  url: '/api/v1/namespaces/default/pods?resourceVersion=0',
})

describe('the form of a request', () => {
  it('fills the fields from a path', () => {
    const form = withPath(listPods, '/apis/apps/v1/namespaces/shop/deployments/web/scale')
    expect(form.fields).toEqual({
      kind: 'resource',
      verb: 'get',
      apiGroup: 'apps',
      version: 'v1',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'shop',
      name: 'web',
      options: [],
    })
    expect(requestOf(form).url).toBe('/apis/apps/v1/namespaces/shop/deployments/web/scale')
  })

  it('writes the path from the fields', () => {
    const form = withOption(withField(listPods, 'namespace', 'shop'), 'limit', '500')
    expect(form.path).toBe('/api/v1/namespaces/shop/pods?resourceVersion=0&limit=500')
    expect(withOption(withOption(form, 'limit', ''), 'resourceVersion', '').path).toBe('/api/v1/namespaces/shop/pods')
    expect(optionOf(form.fields, 'limit')).toBe('500')
  })

  it('gives a known resource its group and version, and takes the namespace of one that has none', () => {
    expect(withField(listPods, 'resource', 'deployments').path).toBe(
      '/apis/apps/v1/namespaces/default/deployments?resourceVersion=0',
    )
    expect(withField(listPods, 'resource', 'nodes').path).toBe('/api/v1/nodes?resourceVersion=0')
    expect(withField(withField(listPods, 'resource', 'leases'), 'apiGroup', '').path).toBe(
      '/api/v1/namespaces/default/leases?resourceVersion=0',
    )
  })

  it('says what is missing, and keeps the last request until it is there', () => {
    const incomplete = withVerb(listPods, 'patch')
    expect(incomplete.problem).toEqual({ at: 'fields', text: 'patch needs the name of an object.' })
    expect(requestOf(incomplete)).toEqual(requestOf(listPods))
    const complete = withField(incomplete, 'name', 'web-1')
    expect(complete).not.toHaveProperty('problem')
    expect(requestOf(complete)).toMatchObject({
      method: 'PATCH',
      url: '/api/v1/namespaces/default/pods/web-1?resourceVersion=0',
    })
    expect(withVerb(complete, 'list').path).toBe(listPods.path)
  })

  it('says what is wrong with a path, and keeps the fields', () => {
    const wrong = withPath(listPods, 'api/v1/pods')
    expect(wrong.problem?.at).toBe('path')
    expect(wrong.problem?.text).toContain('must begin with a slash')
    expect(wrong.fields).toEqual(listPods.fields)
    expect(withPath(wrong, '/api/v1/pods')).not.toHaveProperty('problem')
  })

  it('knows paths that are no resource, and comes back from them', () => {
    const health = withPath(listPods, '/livez')
    expect([health.fields.kind, verbOf(health.fields)]).toEqual(['path', 'get'])
    expect(requestOf(withVerb(health, 'head')).method).toBe('HEAD')
    expect(withField(health, 'resource', 'pods').path).toBe('/api/v1/pods')
  })

  it('follows the name of the user with the groups until they are written', () => {
    const account = withUser(listPods, 'system:serviceaccount:shop:web')
    expect(requestOf(account).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:shop',
      'system:authenticated',
    ])
    const written = withGroups(account, ' team-a \n\nsystem:authenticated')
    expect(requestOf(withUser(written, 'bob')).groups).toEqual(['team-a', 'system:authenticated'])
    expect(requestOf(withFollowingGroups(withUser(written, 'bob'))).groups).toEqual(['system:authenticated'])
  })

  it('keeps path and fields in step whatever is changed', () => {
    const word = fc.constantFrom('', 'a', 'pods', 'web-1', 'default', 'nodes', 'scale')
    const step = fc.oneof(
      fc.constantFrom(...RESOURCE_VERBS, 'head').map((verb) => (form: RequestForm) => withVerb(form, verb)),
      fc.tuple(fc.constantFrom('apiGroup', 'version', 'subresource', 'namespace', 'name'), word).map(
        ([field, text]) =>
          (form: RequestForm) =>
            withField(form, field, text),
      ),
      fc.constantFrom(...KNOWN_RESOURCES, '').map((text) => (form: RequestForm) => withField(form, 'resource', text)),
      fc
        .constantFrom('/livez', '/api/v1/pods', '/api/v1/nodes/a/proxy/x', '/apis', 'x', '/api/v1/watch/pods')
        .map((path) => (form: RequestForm) => withPath(form, path)),
      fc.nat(500).map((limit) => (form: RequestForm) => withOption(form, 'limit', String(limit))),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        for (const form of steps.reduce<RequestForm[]>(
          (forms, change) => [...forms, change(forms.at(-1) ?? listPods)],
          [listPods],
        )) {
          if (form.problem !== undefined) continue
          expect(form.path).toBe(form.address.url)
          expect(addressOf(form.fields)).toEqual(form.address)
          expect(fieldsOf(form.address)).toBeDefined()
        }
      }),
    )
  })
})
