import { expect, test } from 'vitest'
import { createAbort } from './server.ts'

test('tells every listener once', () => {
  const end = createAbort()
  let heard = 0
  end.signal.addEventListener('abort', () => (heard += 1))
  end.signal.addEventListener('abort', () => (heard += 10), { once: true })
  expect(end.signal.aborted).toBe(false)
  end.abort()
  end.abort()
  expect(end.signal.aborted).toBe(true)
  expect(heard).toBe(11)
})

test('does not call those who come too late', () => {
  const end = createAbort()
  end.abort()
  let heard = 0
  end.signal.addEventListener('abort', () => (heard += 1))
  end.abort()
  expect(heard).toBe(0)
})
