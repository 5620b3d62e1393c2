import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { MOST_TEXT } from '../../core/live/keptText.ts'

/*
 * Clients choose how long URLs, names, user agents and headers are. 12,000 requests of 100 kB and more must fit into a
 * process with a heap of 600 MB, however they reach the console.
 */

const Left = z.object({ rows: z.number(), text: z.number(), url: z.string() }).loose()

async function left(kind: string): Promise<z.infer<typeof Left>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=600',
    new URL('longRequestsChild.ts', import.meta.url).pathname,
    kind,
  ])
  return Left.parse(JSON.parse(stdout))
}

describe('12,000 requests of 100 kB in a heap of 600 MB', () => {
  test.each(['audit', 'httplog'])('told of by an %s feed', { timeout: 240_000 }, async (kind) => {
    const found = await left(kind)
    expect(found).toMatchObject({ rows: 12_000, arrived: 12_000, unreadable: 0 })
    expect(found.text).toBeLessThanOrEqual(MOST_TEXT)
    expect(found.url).toMatch(/… \(\d+ more characters\)$/)
  })

  test('that wait in an enforcing proxy', { timeout: 240_000 }, async () => {
    const found = await left('proxy')
    // Fewer: so many were too many for such a heap.
    expect(found).toMatchObject({ rows: 5_000, asked: 5_000 })
    expect(found['crowdedOut']).toBeGreaterThan(0)
    expect(found.url).toMatch(/… \(\d+ more characters\)$/)
  })
})
