import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { currentObjects } from './configurations.ts'

const state = (more: Partial<ObjectsState> = {}): ObjectsState => ({
  connection: 1,
  origin: 'cluster',
  target: 'prod-eu-1',
  targetKey: 'prod-eu-1',
  state: 'current',
  version: 'v1.33.1',
  objects: { levels: [], schemas: [] },
  editing: { state: 'off' },
  ...more,
})
const current = (given: ObjectsState | undefined, version?: string) =>
  currentObjects(given, version, 'v1.37.0', (instant) => instant.slice(11, 19))

describe('the objects to classify on', () => {
  it('are those of the source, with what a server fills in', () => {
    const level = { metadata: { name: 'x' }, spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } }
    const found = current(state({ objects: { levels: [level], schemas: [] } }))
    expect(found).toMatchObject({ origin: 'server', version: 'v1.33.1' })
    expect(found?.objects.levels[0]?.spec.limited?.nominalConcurrencyShares).toBe(30)
    expect(found).not.toHaveProperty('note')
    expect(current(state({ origin: 'files' }))?.origin).toBe('files')
  })

  it('are not known before they were read', () => {
    expect(current(undefined)).toBeUndefined()
    expect(current(state({ state: 'loading' }))).toBeUndefined()
  })

  it('are the built-in ones of the version where the source has none, and say so', () => {
    const { version: _unknown, ...noVersion } = state({ origin: 'none' })
    const found = current(noVersion, 'v1.30.4')
    expect(found?.objects).toEqual(builtInObjects('v1.30.4'))
    expect(found?.note).toEqual({
      kind: 'info',
      text: 'This source has no flow schemas and levels to read. Requests are classified against the built-in objects of v1.30.4.',
    })
    expect(current(noVersion, 'v1.99.0')?.note?.text).toContain(
      'classified against the built-in objects of v1.37, because those of v1.99.0 are unknown.',
    )
    expect(current(noVersion, 'v1.23.4')?.note?.text).toContain(
      'objects of v1.29, because those of v1.23.4 are unknown',
    )
    expect(current(state({ connection: 0, origin: 'none' }))?.note?.text).toContain('Nothing is connected.')
    expect(current(noVersion)?.version).toBe('v1.37.0')
  })

  it('are the built-in ones when those of the source cannot be read, with the reason', () => {
    const problem = { code: 'forbidden' as const, message: 'You may not list flowschemas.' }
    expect(current(state({ state: 'unavailable', problem }))).toMatchObject({
      origin: 'built-in',
      note: {
        kind: 'bad',
        problem,
        text: expect.stringContaining('The objects of prod-eu-1 cannot be read.') as string,
      },
    })
  })

  it('are as they were last while the source does not report changes', () => {
    expect(current(state({ state: 'stale', asOf: '2026-01-01T03:12:33Z' }))?.note).toEqual({
      kind: 'warn',
      text: 'The objects are from 03:12:33: prod-eu-1 does not report changes now.',
    })
  })
})
