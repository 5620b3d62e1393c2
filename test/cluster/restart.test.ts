import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Frame, ServerFrame } from '../../core/frame/frame.ts'
import { startCommand } from '../harness/command.ts'
import { noCluster, useCluster } from './suite.ts'

const DOWN_MS = 4_000

describe.skipIf(noCluster)('an API server that is stopped and started again', () => {
  const cluster = useCluster()
  it('is survived by watch', async () => {
    const watch = startCommand('watch', '--kubeconfig', cluster().viewerKubeconfig, '--interval', '0.5')
    try {
      const before = only(await watch.nextFrame())
      await cluster().stopApiserver()
      await sleep(DOWN_MS)
      expect(watch.told().trim()).not.toBe('')
      await cluster().startApiserver()
      const after = await firstWhere(watch.nextFrame, (server) => server.startedAt !== before.startedAt)
      expect(after.id).toBe(before.id)
      expect(after.startedAt).toBeGreaterThan(before.startedAt ?? Infinity)
      expect(after.levels.map(({ name }) => name)).toEqual(before.levels.map(({ name }) => name))
      await expect.poll(watch.told).toContain(`${before.id} answers again.`)
    } finally {
      watch.interrupt()
    }
    expect(await watch.ended).toBe(0)
  })
})

function only(frame: Frame): ServerFrame {
  const [server, ...others] = frame.servers
  expect(others).toEqual([])
  if (server === undefined) throw new Error('a frame without a server')
  return server
}

async function firstWhere(next: () => Promise<Frame>, wanted: (server: ServerFrame) => boolean): Promise<ServerFrame> {
  for (;;) {
    const server = only(await next())
    if (wanted(server)) return server
  }
}
