import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invalidObjectArbitrary } from '../../test/fixtures/brokenObjects.ts'
import { mangledManifest, validFlowSchemaArbitrary, validLevelArbitrary } from '../../test/fixtures/configObjects.ts'
import { API_VERSION, manifestOf } from './content.ts'
import type { JsonObject } from './jsonValues.ts'
import { decodeObject } from './decode.ts'

const level = (spec: unknown, metadata: unknown = { name: 'a' }): JsonObject => ({
  apiVersion: API_VERSION,
  kind: 'PriorityLevelConfiguration',
  metadata,
  spec,
})
const messagesOf = (value: unknown): string[] => decodeObject(value).findings.map(({ message }) => message)

describe('decodeObject', () => {
  it('gives back what was written', () => {
    fc.assert(
      fc.property(validLevelArbitrary, validFlowSchemaArbitrary, (object, schema) => {
        expect(decodeObject(manifestOf('PriorityLevelConfiguration', object)).decoded?.object).toEqual(object)
        expect(decodeObject(manifestOf('FlowSchema', schema)).decoded?.object).toEqual(schema)
      }),
    )
  })

  it('never throws, and gives an object or says why not', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), mangledManifest(invalidObjectArbitrary)), (value) => {
        const { decoded, findings } = decodeObject(value)
        if (decoded === undefined) expect(findings).not.toEqual([])
        else expect(findings.every(({ reason }) => reason === 'FieldUnknown')).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes null for absent, at any depth and in lists', () => {
    const named = { apiVersion: API_VERSION, kind: 'FlowSchema' }
    const spec = {
      priorityLevelConfiguration: null,
      matchingPrecedence: null,
      distinguisherMethod: null,
      rules: [null],
    }
    const rule = { subjects: [] }
    expect(decodeObject({ ...named, metadata: null, spec, status: null })).toEqual({
      decoded: {
        kind: 'FlowSchema',
        object: {
          metadata: { name: '' },
          spec: { priorityLevelConfiguration: { name: '' }, matchingPrecedence: 0, rules: [rule] },
        },
      },
      findings: [],
    })
    expect(decodeObject(level({ type: 'Exempt', exempt: null, limited: {} })).decoded?.object.spec).toEqual({
      type: 'Exempt',
      limited: { limitResponse: { type: '' } },
    })
    expect(decodeObject(level({}, { name: 'a', annotations: { b: null } })).decoded?.object.metadata).toEqual({
      name: 'a',
      annotations: { b: '' },
    })
  })

  it('drops what the server stores as absent', () => {
    const metadata = { name: 'a', labels: {}, finalizers: [], generateName: '', namespace: 'b', selfLink: '/c' }
    expect(decodeObject(level({ type: 'Exempt', exempt: {} }, metadata)).decoded?.object).toEqual({
      metadata: { name: 'a' },
      spec: { type: 'Exempt', exempt: {} },
    })
  })

  it('says what a value of a wrong type must be and what it is', () => {
    const shares = (value: unknown): string[] => messagesOf(level({ limited: { nominalConcurrencyShares: value } }))
    const field = 'spec.limited.nominalConcurrencyShares'
    expect(shares('30')).toEqual([`${field} must be a whole number, not the text “30”.`])
    expect(shares(1.5)).toEqual([`${field} must be a whole number from -2147483648 to 2147483647, not 1.5.`])
    expect(shares(2 ** 31)).toEqual([`${field} must be a whole number from -2147483648 to 2147483647, not 2147483648.`])
    expect(shares([])).toEqual([`${field} must be a whole number, not a list.`])
    expect(messagesOf(level([]))).toEqual(['spec must be an object, not a list.'])
    expect(messagesOf(level({ type: true }))).toEqual(['spec.type must be a string, not true.'])
    expect(messagesOf(5)).toEqual(['The manifest must be an object, not the number 5.'])
    expect(messagesOf(level({}, { name: 'a', creationTimestamp: 'now' }))).toEqual([
      'metadata.creationTimestamp must be a time such as “2026-01-31T12:00:00Z”, not “now”.',
    ])
  })

  it('reports every unknown field, with the name that was meant', () => {
    const spec = { type: 'Limited', limited: { limitResponse: { Type: 'Reject' }, shares: 5 }, 'a.b': 1 }
    expect(decodeObject(level(spec)).findings.map(({ field, message }) => [field, message])).toEqual([
      ['spec.limited.limitResponse.Type', 'There is no field “Type” in spec.limited.limitResponse: write “type”.'],
      ['spec.limited.shares', 'There is no field “shares” in spec.limited: remove it or correct its name.'],
      ['spec[a.b]', 'There is no field “a.b” in spec: remove it or correct its name.'],
    ])
  })

  it('does not take what objects inherit for members', () => {
    const spec: unknown = JSON.parse('{"type":"Exempt","__proto__":{"limited":{}},"constructor":{}}')
    const { decoded, findings } = decodeObject(level(spec))
    expect(decoded?.object.spec).toEqual({ type: 'Exempt' })
    expect(findings.map(({ field }) => field)).toEqual(['spec.__proto__', 'spec.constructor'])
    const annotations: unknown = JSON.parse('{"__proto__":"a"}')
    const { metadata } = decodeObject(level({}, { name: 'a', annotations })).decoded?.object ?? {}
    expect(Object.entries(metadata?.annotations ?? {})).toEqual([['__proto__', 'a']])
  })
})
