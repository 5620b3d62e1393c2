import { describe, expect, it } from 'vitest'
import type { Finding } from '../../core/config/finding.ts'
import type { ServerVerdict } from '../ports/objectGateway.ts'
import { differencesOf } from './differences.ts'

const verdict = (outcome: ServerVerdict['outcome'], ...fields: string[]): ServerVerdict => ({
  kind: 'FlowSchema',
  name: 'a',
  outcome,
  causes: fields.map((field) => ({ field, reason: 'FieldValueInvalid', message: '' })),
  conflicts: [],
  warnings: [],
})
const finding = (field: string, more: Partial<Finding> = {}): Finding => ({
  field,
  reason: 'FieldValueInvalid',
  severity: 'error',
  message: 'It is wrong.',
  ...more,
})

describe('differences between the server and the console', () => {
  it.each<[string, ServerVerdict, Finding[]]>([
    ['both accept', verdict('accepted'), [finding('x', { severity: 'warning' })]],
    ['both reject the same field', verdict('rejected', 'x', 'x'), [finding('x')]],
    ['the server only says that it rejects', verdict('rejected'), [finding('x')]],
    ['nobody judged the object', verdict('conflict'), [finding('x')]],
    ['the user may not', verdict('forbidden'), [finding('x')]],
    ['there was no answer', verdict('failed'), [finding('x')]],
  ])('are none where %s', (_what, said, ours) => {
    expect(differencesOf(said, ours)).toEqual([])
  })

  it.each<[string, ServerVerdict, Finding[], RegExp[]]>([
    ['the server accepts what we reject', verdict('accepted'), [finding('x')], [/server accepts x.*It is wrong/]],
    ['only others own it', { ...verdict('conflict'), object: {} }, [finding('')], [/server accepts the object/]],
    ['the server rejects what we accept', verdict('rejected', 'x', 'y'), [], [/server rejects x, y/]],
    ['it rejects without a field', verdict('rejected'), [], [/rejects the object/]],
    [
      'the fields differ',
      verdict('rejected', 'x', 'z'),
      [finding('y'), finding('z')],
      [/server rejects x;/, /console rejects y;/],
    ],
    [
      'the reasons differ',
      verdict('rejected', 'x'),
      [finding('x', { reason: 'FieldValueRequired' })],
      [/FieldValueInvalid, the console for FieldValueRequired/],
    ],
  ])('are told where %s', (_what, said, ours, expected) => {
    const told = differencesOf(said, ours)
    expect(told).toHaveLength(expected.length)
    for (const [at, words] of expected.entries()) expect(told[at]).toMatch(words)
  })
})
