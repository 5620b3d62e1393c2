import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestInfo } from '../request/requestInfo.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { addressOf, fieldsOf, RESOURCE_VERBS, type RequestAddress, type ResourceFields } from './requestFields.ts'

const infoOf = ({ method, url }: RequestAddress) => {
  const target = parseRequestTarget(url)
  return target === undefined ? undefined : requestInfo(method, target).info
}

const pods: ResourceFields = {
  kind: 'resource',
  verb: 'list',
  apiGroup: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'tenant-4417',
  name: '',
  options: [['resourceVersion', '0']],
}

test('the form and the address say the same', () => {
  const address = { method: 'GET', url: '/api/v1/namespaces/tenant-4417/pods?resourceVersion=0' }
  expect(fieldsOf(address)).toEqual(pods)
  expect(addressOf(pods)).toEqual(address)
  expect(addressOf({ ...pods, verb: 'watch' })).toEqual({
    method: 'GET',
    url: '/api/v1/namespaces/tenant-4417/pods?watch=true&resourceVersion=0',
  })
  const scale = {
    ...pods,
    apiGroup: 'apps',
    resource: 'deployments',
    subresource: 'scale',
    name: 'web',
    verb: 'patch',
    options: [],
  }
  expect(addressOf(scale)).toEqual({
    method: 'PATCH',
    url: '/apis/apps/v1/namespaces/tenant-4417/deployments/web/scale',
  })
  const namespace = { ...pods, resource: 'namespaces', namespace: 'a', name: 'a', verb: 'get', options: [] }
  expect(addressOf(namespace)).toEqual({ method: 'GET', url: '/api/v1/namespaces/a' })
  expect(fieldsOf({ method: 'GET', url: '/api/v1/namespaces/a' })).toEqual(namespace)
})

test.each([
  ['/healthz', 'GET'],
  ['/apis/apps/v1', 'GET'],
  ['/api/v1/watch/pods', 'GET'],
  ['/api/v1/namespaces/a/pods/b/proxy/metrics', 'GET'],
  ['/api/v1/pods', 'OPTIONS'],
  // A verb for resources means GET.
  ['/api/v1/pods', 'HEAD'],
])('%s stays an address', (url, method) => {
  expect(fieldsOf({ method, url })).toEqual({ kind: 'path', method, url })
})

test('says what is missing from a form', () => {
  const problem = (fields: Partial<ResourceFields>) => addressOf({ ...pods, ...fields })
  expect(problem({ resource: '' })).toEqual({ problem: 'Name a resource, for example pods.' })
  expect(problem({ version: '' })).toEqual({ problem: 'Name the version of the API, for example v1.' })
  expect(problem({ verb: 'get' })).toEqual({ problem: 'get needs the name of an object.' })
  expect(problem({ name: 'x' })).toEqual({
    problem: 'list applies to all objects; to restrict it to x use the field selector metadata.name=x.',
  })
  expect(problem({ verb: 'post' })).toEqual({
    problem: `post is not a verb for resources; use ${RESOURCE_VERBS.join(', ')}.`,
  })
  expect(problem({ namespace: 'a/b' })).toMatchObject({
    problem: expect.stringContaining('a/b is not allowed in a path'),
  })
})

const word = fc.constantFrom('', 'a', 'pods', 'namespaces', 'status', 'v1', 'apps', 'x.y', 'ü', 'watch')
const form: fc.Arbitrary<ResourceFields> = fc.record({
  kind: fc.constant('resource'),
  verb: fc.constantFrom(...RESOURCE_VERBS),
  apiGroup: word,
  version: fc.constantFrom('v1', 'v1beta1'),
  resource: fc.constantFrom('pods', 'nodes', 'x.y', 'ü'),
  subresource: word,
  namespace: word,
  name: word,
  options: fc.array(fc.tuple(fc.constantFrom('limit', 'labelSelector', 'continue'), fc.string()), { maxLength: 2 }),
})

test('a server reads every address of a form as the form says', () => {
  fc.assert(
    fc.property(form, (fields) => {
      const address = addressOf(fields)
      fc.pre(!('problem' in address))
      const info = infoOf(address)
      expect({ ...info }).toMatchObject({
        verb: fields.verb,
        apiGroup: fields.apiGroup,
        apiVersion: fields.version,
        resource: fields.resource,
        subresource: fields.subresource,
        namespace: fields.namespace,
        name: fields.name,
      })
    }),
    { numRuns: 1_000 },
  )
})

test('an address that goes through the form keeps its meaning', () => {
  const part = fc.constantFrom(
    'api',
    'apis',
    'v1',
    'apps',
    'namespaces',
    'pods',
    'a',
    'status',
    'watch',
    'proxy',
    'a%20b',
    '%2F',
    '',
  )
  const query = fc.constantFrom(
    '',
    '?',
    '?watch=1',
    '?limit=5&watch=false',
    '?fieldSelector=metadata.name%3Da',
    '?labelSelector=a&labelSelector=b',
  )
  const address = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get'),
    url: fc.tuple(fc.array(part, { maxLength: 8 }), query).map(([parts, text]) => `/${parts.join('/')}${text}`),
  })
  fc.assert(
    fc.property(address, (given) => {
      const fields = fieldsOf(given)
      fc.pre(fields !== undefined)
      const again = addressOf(fields)
      if ('problem' in again) throw new Error(again.problem)
      const { path: _, parts: __, ...before } = infoOf(given) ?? { path: '', parts: [] }
      const { path: ___, parts: ____, ...after } = infoOf(again) ?? { path: '', parts: [] }
      expect(after).toEqual(before)
    }),
    { numRuns: 2_000 },
  )
})
