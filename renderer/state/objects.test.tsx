import { renderHook } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { ObjectsState } from '../../core/contract/objects.ts'
import { objectsStore, useServerObjects } from './objects.ts'

const OBJECTS = { levels: [], schemas: [] }
const told = (origin: ObjectsState['origin'], state: ObjectsState['state'] = 'current'): void =>
  objectsStore.setState({
    state: {
      connection: 1,
      origin,
      target: 'prod',
      targetKey: 'prod',
      state,
      objects: OBJECTS,
      editing: { state: 'off' },
    },
  })

afterEach(() => objectsStore.setState({}, true))

it.each(['cluster', 'simulation', 'proxy', 'feed'] as const)('the engine of a %s works by its objects', (origin) => {
  told(origin)
  expect(renderHook(() => useServerObjects()).result.current).toBe(OBJECTS)
})

it.each(['files', 'none'] as const)('nobody works by the objects of %s', (origin) => {
  told(origin)
  expect(renderHook(() => useServerObjects()).result.current).toBeUndefined()
})

it('objects that are not known are nobody’s', () => {
  told('cluster', 'loading')
  expect(renderHook(() => useServerObjects()).result.current).toBeUndefined()
})
