import { expect, it } from 'vitest'
import { withEdit } from './applyManifests.ts'

const level = (name: string, type: string, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { type },
})

it('replaces objects by kind and name, adds new ones and keeps what the edit does not say', () => {
  const present = {
    levels: [
      level('a', 'Limited', { uid: 'u', generation: 3, annotations: { x: '1', y: '1' } }),
      level('b', 'Limited'),
    ],
    schemas: [],
  }
  const edit = {
    levels: [level('c', 'New'), level('a', 'Edited', { annotations: { y: '2' }, labels: { l: '1' } })],
    schemas: [],
  }
  expect(withEdit(present, edit)).toEqual({
    levels: [
      level('a', 'Edited', { uid: 'u', generation: 3, annotations: { x: '1', y: '2' }, labels: { l: '1' } }),
      level('b', 'Limited'),
      level('c', 'New'),
    ],
    schemas: [],
  })
})
