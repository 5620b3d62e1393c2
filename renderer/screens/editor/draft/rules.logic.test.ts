import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import { toJson } from '../../../../core/manifest/json.ts'
import { readTokens, ruleSentence, subjectFields, subjectOf, tokensText } from './rules.logic.ts'

const sentencesOf = (name: string): readonly string[] =>
  builtInObjects('v1.36')
    .schemas.filter(({ metadata }) => metadata.name === name)
    .flatMap(({ spec }) => (spec.rules ?? []).map((rule) => ruleSentence(toJson(rule))))

describe('what a rule matches', () => {
  it.each([
    [
      'exempt',
      'Requests of group system:masters that do anything with any resource in any namespace or for the whole cluster or do anything with any other path.',
    ],
    [
      'probes',
      'Requests of group system:unauthenticated or group system:authenticated that get /healthz, /readyz or /livez.',
    ],
    [
      'system-leader-election',
      'Requests of user system:kube-controller-manager, user system:kube-scheduler or any service account of kube-system that get, create or update leases of coordination.k8s.io in any namespace.',
    ],
  ])('%s: %s', (name, sentence) => {
    expect(sentencesOf(name)).toEqual([sentence])
  })

  it('is nothing without somebody or something, and nowhere without a place', () => {
    expect(ruleSentence({})).toBe('Without subjects the rule matches no requests.')
    const subjects = [{ kind: 'User', user: { name: '*' } }]
    expect(ruleSentence({ subjects })).toBe('Without resources and URLs the rule matches nothing.')
    const resourceRules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]
    expect(ruleSentence({ subjects, resourceRules })).toBe(
      'Requests of any user that get pods of the core group nowhere.',
    )
  })

  it('is told of what is half written', () => {
    expect(ruleSentence(null)).toMatch(/no requests/)
    expect(ruleSentence({ subjects: ['x', { kind: 'Robot' }], nonResourceRules: [3] })).toMatch(/^Requests of /)
  })
})

describe('lists of words', () => {
  it('show the core group by its name', () => {
    expect(tokensText(['', 'apps'])).toBe('core, apps')
    expect(readTokens('core, apps', true)).toEqual(['', 'apps'])
    expect(readTokens('core, apps', false)).toEqual(['core', 'apps'])
    expect(tokensText('none')).toBe('')
  })

  it('take commas and spaces for the same', () => {
    expect(readTokens(' get,list  watch, ', false)).toEqual(['get', 'list', 'watch'])
  })
})

describe('subjects', () => {
  it.each([
    { kind: 'User', user: { name: 'a' } },
    { kind: 'Group', group: { name: 'a' } },
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } },
  ])('read back as they are: %j', (subject) => {
    expect(subjectOf(subjectFields(toJson(subject)))).toEqual(subject)
  })
})
