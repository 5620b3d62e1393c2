import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startCommand } from '../harness/command.ts'
import { answerPage, answerStatus, metricsPage, startHostileServer } from '../harness/hostileServer.ts'

test('a pod is ready once the API server has answered, and lives before', async () => {
  const api = await startHostileServer({ behaviour: answerStatus(503) })
  onTestFinished(() => api.close())
  const folder = mkdtempSync(join(tmpdir(), 'apf-in-cluster-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  vi.stubEnv('APF_CONSOLE_STATE', join(folder, 'state'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'here', cluster: { server: new URL(api.url()).origin } }],
      users: [{ name: 'console', user: { token: 'a-token' } }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'console' } }],
      'current-context': 'here',
    }),
    { mode: 0o600 },
  )
  const running = startCommand('serve-in-cluster', `--kubeconfig=${kubeconfig}`, '--port=0', '--metrics-port=0')
  onTestFinished(async () => {
    running.terminate()
    await running.ended
  })
  const printed = /Metrics and probes: port (\d+)/
  await vi.waitFor(() => expect(running.output(), running.told()).toMatch(printed), { timeout: 60_000, interval: 50 })
  const port = printed.exec(running.output())?.[1] ?? ''
  const probe = async (path: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    return `${answer.status} ${(await answer.text()).trim()}`
  }
  await vi.waitFor(() => expect(api.requests).not.toEqual([]), { timeout: 60_000, interval: 50 })
  expect(await probe('/livez')).toBe('200 ok')
  expect(await probe('/readyz')).toBe('503 the API server has not answered yet')
  api.behave(answerPage(() => metricsPage({})))
  await vi.waitFor(async () => expect(await probe('/readyz')).toBe('200 ok'), { timeout: 60_000, interval: 100 })
  api.behave(answerStatus(503))
  expect(await probe('/readyz')).toBe('200 ok')
})
