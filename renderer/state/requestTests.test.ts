import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client, ProcedureInput } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import type { RequestTest } from '../../core/contract/objects.ts'
import { MOST_REQUEST_TESTS } from '../../core/bounds.ts'
import { changeRequestTests, requestTestsStore, startRequestTests } from './requestTests.ts'

const test = (id: string): RequestTest => ({
  id,
  label: id,
  request: { user: 'alice', groups: [], method: 'GET', url: '/api/v1/pods' },
})

describe('the saved requests', () => {
  const written: ProcedureInput<'requests.change'>[] = []
  let refusal: ProblemError | undefined
  let unreadable: ProblemError | undefined
  let stop: () => void

  const client = {
    call: async (name: string, input: unknown) => {
      if (name === 'requests.read') {
        if (unreadable !== undefined) throw unreadable
        return [test('kept')]
      }
      if (refusal !== undefined) throw refusal
      written.push(input as ProcedureInput<'requests.change'>)
      return null
    },
    subscribe: () => () => undefined,
    onLink: () => () => undefined,
  } as Client

  const start = async (): Promise<void> => {
    stop = startRequestTests(client)
    await vi.advanceTimersByTimeAsync(0)
  }
  const add = (id: string): void => changeRequestTests((tests) => [...tests, test(id)])
  const ids = () => requestTestsStore.getState().tests.map(({ id }) => id)

  beforeEach(() => {
    vi.useFakeTimers()
    written.length = 0
    refusal = undefined
    unreadable = undefined
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })

  it('are read at the start, and changed only after that', async () => {
    stop = startRequestTests(client)
    add('too early')
    expect(requestTestsStore.getState().state).toBe('reading')
    await vi.advanceTimersByTimeAsync(0)
    expect([requestTestsStore.getState().state, ids()]).toEqual(['ready', ['kept']])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(written).toEqual([])
  })

  it('are written once after a rest', async () => {
    await start()
    add('a')
    await vi.advanceTimersByTimeAsync(300)
    add('b')
    await vi.advanceTimersByTimeAsync(300)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(written.map(({ put, remove }) => [put.map(({ id }) => id), remove])).toEqual([[['a', 'b'], []]])
  })

  it('send what differs alone: other windows may have changed the rest', async () => {
    await start()
    add('a')
    await vi.advanceTimersByTimeAsync(500)
    changeRequestTests((tests) => tests.filter(({ id }) => id !== 'kept'))
    await vi.advanceTimersByTimeAsync(500)
    changeRequestTests((tests) => tests.map((one) => ({ ...one, label: 'new' })))
    await vi.advanceTimersByTimeAsync(500)
    expect(written).toEqual([
      { put: [test('a')], remove: [] },
      { put: [], remove: ['kept'] },
      { put: [{ ...test('a'), label: 'new' }], remove: [] },
    ])
  })

  it('are written at once when the screen is left', async () => {
    await start()
    add('a')
    stop()
    expect(written).toHaveLength(1)
  })

  it('stay as they are when they cannot be kept, with the reason until they can', async () => {
    await start()
    refusal = new ProblemError('internal', 'The disk is full.')
    add('a')
    await vi.advanceTimersByTimeAsync(500)
    expect([requestTestsStore.getState().problem?.message, ids()]).toEqual(['The disk is full.', ['kept', 'a']])
    refusal = undefined
    add('b')
    await vi.advanceTimersByTimeAsync(500)
    expect(requestTestsStore.getState()).not.toHaveProperty('problem')
    expect(written).toHaveLength(1)
  })

  it('are not written when they could not be read', async () => {
    unreadable = new ProblemError('internal', 'The file is locked.')
    await start()
    add('a')
    await vi.advanceTimersByTimeAsync(500)
    expect(requestTestsStore.getState()).toMatchObject({ state: 'failed', problem: { message: 'The file is locked.' } })
    expect(written).toEqual([])
  })

  it('are at most as many as the other side takes', async () => {
    await start()
    changeRequestTests(() => Array.from({ length: MOST_REQUEST_TESTS + 1 }, (_, index) => test(String(index))))
    expect(ids()).toHaveLength(MOST_REQUEST_TESTS)
  })
})
