import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLabelSelector, parseRequestTarget } from './requestTarget.ts'
import { requestInfo } from './requestInfo.ts'

const infoOf = (method: string, url: string) => {
  const target = parseRequestTarget(url)
  if (target === undefined) throw new Error(`${url} cannot be decoded`)
  return requestInfo(method, target)
}

test('a request for a Namespace object carries that namespace (trap T34)', () => {
  expect(infoOf('GET', '/api/v1/namespaces/foo').info).toMatchObject({
    verb: 'get',
    resource: 'namespaces',
    name: 'foo',
    namespace: 'foo',
  })
  expect(infoOf('GET', '/api/v1/namespaces').info).toMatchObject({ verb: 'list', namespace: '' })
})

test('label selectors are distinguished from other text', () => {
  for (const valid of ['', 'x', '!x', 'a=b', 'a==b,c!=d', 'a=', 'a in (b,c)', 'a notin (b)', 'k8s.io/x>1', 'a in ()']) {
    expect(isLabelSelector(valid), valid).toBe(true)
  }
  for (const invalid of ['(', 'a b', 'a in b', '-a=b', 'a=b,', 'a>x', 'a=b c', '=b']) {
    expect(isLabelSelector(invalid), invalid).toBe(false)
  }
})

test('never throws, whatever the request', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (method, url) => {
      const target = parseRequestTarget(url)
      if (target !== undefined) expect(requestInfo(method, target).info.path).toBe(target.path)
    }),
  )
})
