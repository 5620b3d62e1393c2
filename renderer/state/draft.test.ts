import { expect, test, vi } from 'vitest'
import type { Client } from '../../core/contract/contract.ts'
import type { Draft } from '../../core/contract/objects.ts'
import { draftStore, startDraft } from './draft.ts'
import { NO_OBJECTS, objectsStore } from './objects.ts'

const KEPT: Draft = { entries: [{ kind: 'FlowSchema', name: 'probes', text: null }] }

test.each([false, true])('a draft that is read late is taken unless the page has ended: %s', async (ended) => {
  objectsStore.setState({ state: { ...NO_OBJECTS, connection: 1, targetKey: 'prod' } })
  const { promise, resolve } = Promise.withResolvers<Draft>()
  const stop = startDraft({ call: () => promise } as unknown as Client)
  if (ended) stop()
  resolve(KEPT)
  await promise
  await Promise.resolve()
  expect(draftStore.getState().history.present).toEqual(ended ? [] : KEPT.entries)
  stop()
})

test('without a connection there is no draft to read', () => {
  const call = vi.fn<() => Promise<Draft>>(() => Promise.resolve(KEPT))
  objectsStore.setState({ state: NO_OBJECTS })
  const stop = startDraft({ call } as unknown as Client)
  expect(draftStore.getState().targetKey).toBe(NO_OBJECTS.targetKey)
  stop()
  expect(call).not.toHaveBeenCalled()
})
