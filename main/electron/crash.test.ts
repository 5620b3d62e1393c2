import { EventEmitter } from 'node:events'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReloadRule, watchPage, type WatchedWindow } from './crash.ts'

test('one reload a minute', () => {
  let now = 0
  const may = createReloadRule(() => now)
  expect(may()).toBe(true)
  expect(may()).toBe(false)
  now = 59_999
  expect(may()).toBe(false)
  now = 60_000
  expect(may()).toBe(true)
})

test('however often it crashes: reloads are at least a minute apart', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 90_000 })), (pauses) => {
      let now = 0
      const may = createReloadRule(() => now)
      const reloads: number[] = []
      for (const pause of pauses) {
        now += pause
        if (may()) reloads.push(now)
      }
      reloads.slice(1).forEach((at, index) => expect(at - (reloads[index] ?? 0)).toBeGreaterThanOrEqual(60_000))
    }),
  )
})

/** A watched page, and an operator who answers every question with the same button. */
function watched(button: number) {
  const emitter = new EventEmitter()
  const done: string[] = []
  const contents = new EventEmitter()
  const window: WatchedWindow = Object.assign(Object.create(null), {
    on: emitter.on.bind(emitter),
    webContents: Object.assign(contents, { reload: () => void done.push('reload') }),
  })
  watchPage(window, {
    ask: async ({ message }) => {
      done.push(message)
      return button
    },
    quit: () => void done.push('quit'),
    log: () => undefined,
    now: () => 0,
  })
  return { contents, done }
}
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('the first crash reloads, the second asks, and the answer counts', async () => {
  for (const [button, outcome] of [
    [0, 'reload'],
    [1, 'quit'],
  ] as const) {
    const { contents, done } = watched(button)
    contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
    expect(done).toEqual(['reload'])
    contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
    await settle()
    expect(done).toEqual(['reload', expect.stringContaining('twice'), outcome])
  }
})

test('a page that ends by itself is no crash', () => {
  const { contents, done } = watched(0)
  contents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 })
  expect(done).toEqual([])
})

test('only the page itself failing to load is asked about', async () => {
  const { contents, done } = watched(1)
  contents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', 'apf://console/', true)
  contents.emit('did-fail-load', {}, -6, 'ERR_FILE_NOT_FOUND', 'apf://console/', false)
  expect(done).toEqual([])
  contents.emit('did-fail-load', {}, -6, 'ERR_FILE_NOT_FOUND', 'apf://console/', true)
  await settle()
  expect(done).toEqual([expect.stringContaining('could not be loaded'), 'quit'])
})
