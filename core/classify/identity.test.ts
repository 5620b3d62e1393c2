import { expect, test } from 'vitest'
import { impersonatedGroups } from './identity.ts'

const SERVICE_ACCOUNT = ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated']
const NOBODY_SPECIAL = ['system:authenticated']

/** Responses of a v1.36.3 to SelfSubjectReviews with these headers. */
test.each<[user: string, asked: readonly string[], groups: readonly string[]]>([
  ['carol', [], NOBODY_SPECIAL],
  ['carol', ['ops', 'ops'], ['ops', 'ops', 'system:authenticated']],
  ['carol', ['system:authenticated', 'ops'], ['system:authenticated', 'ops']],
  ['system:node:n1', [], NOBODY_SPECIAL],
  ['system:anonymous', ['system:authenticated'], ['system:authenticated', 'system:unauthenticated']],
  ['system:serviceaccount:a:b', [], SERVICE_ACCOUNT],
  ['system:serviceaccount:a:b.c', [], SERVICE_ACCOUNT],
  ['system:serviceaccount:a:b', ['ops'], ['ops', 'system:authenticated']],
  ['system:serviceaccount:a:b:c', [], NOBODY_SPECIAL],
  ['system:serviceaccount:A:b', [], NOBODY_SPECIAL],
  ['system:serviceaccount:a:B', [], NOBODY_SPECIAL],
  ['system:serviceaccount:a.b:c', [], NOBODY_SPECIAL],
  ['system:serviceaccount::b', [], NOBODY_SPECIAL],
  [`system:serviceaccount:a:${'b'.repeat(254)}`, [], NOBODY_SPECIAL],
  [`system:serviceaccount:${'a'.repeat(64)}:b`, [], NOBODY_SPECIAL],
])('%s, impersonated with the groups %j, is in %j', (user, asked, groups) => {
  expect(impersonatedGroups(user, asked)).toEqual(groups)
})
