import type { MessageBoxOptions } from 'electron'
import { expect, test } from 'vitest'
import { askOperator } from './askOperator.ts'

test('a message box shows the whole question, and only its second button allows', async () => {
  const shown: MessageBoxOptions[] = []
  const answer = (response: number, signal = new AbortController().signal) =>
    askOperator((options) => {
      shown.push(options)
      return Promise.resolve({ response })
    })(['A page asks.', '  program  x', '  argument y'], signal)
  expect(await answer(1)).toBe(true)
  // Closing the box answers with its cancel button.
  expect(await answer(shown[0]?.cancelId ?? 1)).toBe(false)
  expect(await answer(0, AbortSignal.abort())).toBeUndefined()
  expect(shown[0]).toMatchObject({ message: 'A page asks.', detail: 'program  x\nargument y', defaultId: 0 })
})
