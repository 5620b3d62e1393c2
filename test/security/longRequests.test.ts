import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { MOST_TEXT } from '../../core/run/keptText.ts'

/*
 * Clients choose how long URLs, names, user agents and headers are. However requests of 100 kB reach the console, they must
 * fit into a heap that cannot hold their texts: 12,000 of them once cost 1.4 GB. Heap and number are the smallest in which
 * the process is killed as soon as any one of the budgets is missing.
 */

const Left = z.object({ rows: z.number(), text: z.number(), url: z.string() }).loose()

async function left(kind: string, requests: number, heapMb: number): Promise<z.infer<typeof Left>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${heapMb}`,
    // Threads of the collector that a busy machine does not run would let garbage fill the heap.
    '--single-threaded-gc',
    new URL('longRequestsChild.ts', import.meta.url).pathname,
    kind,
    String(requests),
  ])
  return Left.parse(JSON.parse(stdout))
}

describe('requests of 100 kB', () => {
  test.each(['audit', 'httplog'])('3,000 of an %s feed fit into a heap of 160 MB', async (kind) => {
    const found = await left(kind, 3_000, 160)
    expect(found).toMatchObject({ rows: 3_000, arrived: 3_000, unreadable: 0 })
    expect(found.text).toBeLessThanOrEqual(MOST_TEXT)
    expect(found.url).toMatch(/… \(\d+ more characters\)$/)
  })

  test('1,500 that wait in an enforcing proxy fit into a heap of 360 MB', async () => {
    const found = await left('proxy', 1_500, 360)
    expect(found).toMatchObject({ rows: 1_500, asked: 1_500 })
    expect(found['crowdedOut']).toBeGreaterThan(0)
    expect(found.url).toMatch(/… \(\d+ more characters\)$/)
  })
})
