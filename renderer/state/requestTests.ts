import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import type { RequestTest, RequestTestsChange } from '../../core/contract/objects.ts'
import { MOST_REQUEST_TESTS } from '../../core/bounds.ts'

interface RequestTestsStore {
  /** `reading`: not known yet. `failed`: it could not be read, so it is not written either. */
  readonly state: 'reading' | 'ready' | 'failed'
  readonly tests: readonly RequestTest[]
  /** Why the table could not be read, or why its last change could not be stored. */
  readonly problem?: Problem
}

const READING: RequestTestsStore = { state: 'reading', tests: [] }

export const requestTestsStore = create<RequestTestsStore>(() => READING)

/** The saved table of requests that must keep matching what they matched. */
export const useRequestTests = (): RequestTestsStore => requestTestsStore()

/** Milliseconds without a change after which the table is written. */
const REST_MS = 400

/**
 * Reads the table, and stores changes, for one screen at a time. Returns the function that ends it and writes any
 * change that is not stored yet.
 */
export function startRequestTests(client: Client): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let unsaved: readonly RequestTest[] | undefined
  /** The state on the other side, as far as this window knows: only differences from it are sent. */
  let kept: readonly RequestTest[] = []
  let ended = false

  const save = (): void => {
    clearTimeout(timer)
    const tests = unsaved
    unsaved = undefined
    if (tests === undefined) return
    void send(tests)
  }
  const send = async (tests: readonly RequestTest[]): Promise<void> => {
    try {
      await client.call('requests.change', changeBetween(kept, tests))
      kept = tests
      if (!ended) requestTestsStore.setState(({ problem: _gone, ...rest }) => rest, true)
    } catch (error) {
      if (!ended) requestTestsStore.setState({ problem: toProblem(error) })
    }
  }
  const read = async (): Promise<void> => {
    try {
      kept = await client.call('requests.read', null)
      if (!ended) requestTestsStore.setState({ state: 'ready', tests: kept }, true)
    } catch (error) {
      if (!ended) requestTestsStore.setState({ state: 'failed', tests: [], problem: toProblem(error) }, true)
    }
  }
  requestTestsStore.setState(READING, true)
  void read()
  const stop = requestTestsStore.subscribe(({ state, tests }, old) => {
    if (state !== 'ready' || old.state !== 'ready' || tests === old.tests) return
    unsaved = tests
    clearTimeout(timer)
    timer = setTimeout(save, REST_MS)
  })
  window.addEventListener('pagehide', save)
  return () => {
    ended = true
    save()
    stop()
    window.removeEventListener('pagehide', save)
  }
}

function changeBetween(before: readonly RequestTest[], after: readonly RequestTest[]): RequestTestsChange {
  const [known, ids] = [new Set(before), new Set(after.map(({ id }) => id))]
  return {
    put: after.filter((test) => !known.has(test)),
    remove: before.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
  }
}

/** Changes the table; does nothing before it was read. */
export function changeRequestTests(change: (tests: readonly RequestTest[]) => readonly RequestTest[]): void {
  const { state, tests } = requestTestsStore.getState()
  if (state === 'ready') requestTestsStore.setState({ tests: change(tests).slice(0, MOST_REQUEST_TESTS) })
}
