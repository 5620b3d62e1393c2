import { expect, test } from 'vitest'
import { z } from 'zod'

test('zod has the settings of the page', async () => {
  const { jitless = false } = z.config()
  try {
    await import('./strictPolicy.ts')
    expect(z.config().jitless).toBe(true)
  } finally {
    z.config({ jitless })
  }
})
