import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { launchChromium } from '../harness/chromium.ts'
import { startCommand } from '../harness/command.ts'
import { ADMIN, NOBODY, VIEWER } from './identities.ts'
import { NAMESPACE, PATHS } from './kubernetesPaths.ts'
import { freePort } from './process.ts'
import { noCluster, useCluster } from './suite.ts'

const MANIFESTS = join(import.meta.dirname, '../../assets/kubernetes/apf-console.yaml')
const ACCOUNT = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/apf-console`

describe.skipIf(noCluster)('the console in a cluster', () => {
  const cluster = useCluster()
  const created = async (path: string, object: unknown): Promise<string> => {
    const { status, body } = await cluster().call(path, ADMIN, { method: 'POST', body: JSON.stringify(object) })
    if (status !== 201) throw new Error(`${path}: ${status} ${body}`)
    return body
  }
  let token = ''

  // For real, not as a dry run: the console below has the rights of these manifests and no others.
  beforeAll(async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
    await created('/api/v1/namespaces', namespace)
    for (const document of parseAllDocuments(await readFile(MANIFESTS, 'utf8'))) {
      const kind = String(document.get('kind'))
      await created(`${PATHS[kind]}?fieldValidation=Strict`, document.toJS())
    }
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const body = await created(`${ACCOUNT}/token`, asked)
    token = z.object({ status: z.object({ token: z.string() }) }).parse(JSON.parse(body)).status.token
  })

  it('lets in who may read what it shows, refuses others, and writes no token anywhere', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'apf-in-cluster-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    vi.stubEnv('APF_CONSOLE_STATE', join(folder, 'state'))
    onTestFinished(() => void vi.unstubAllEnvs())
    const kubeconfig = join(folder, 'kubeconfig')
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'here',
          cluster: { server: cluster().url, 'certificate-authority-data': cluster().ca.toString('base64') },
        },
      ],
      users: [{ name: 'console', user: { token } }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'console' } }],
      'current-context': 'here',
    }
    await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 })
    const port = await freePort()
    const metricsPort = await freePort()
    const running = startCommand(
      'serve-in-cluster',
      `--kubeconfig=${kubeconfig}`,
      `--port=${port}`,
      `--metrics-port=${metricsPort}`,
    )
    onTestFinished(async () => {
      running.terminate()
      await running.ended
    })
    const probes = `http://127.0.0.1:${metricsPort}`
    const ready = async (): Promise<void> => expect((await fetch(`${probes}/readyz`)).status, running.told()).toBe(200)
    await vi.waitFor(ready, { timeout: 60_000, interval: 200 })
    expect((await fetch(`${probes}/livez`)).status).toBe(200)

    const origin = `http://127.0.0.1:${port}`
    const login = async (given: string) => {
      const body = new URLSearchParams({ token: given })
      const answer = await fetch(`${origin}/login`, { method: 'POST', headers: { origin }, body })
      return { status: answer.status, body: await answer.text(), cookie: answer.headers.get('set-cookie') }
    }
    expect((await fetch(origin)).status).toBe(401)
    const [viewer, nobody] = [VIEWER, NOBODY].map((user) => cluster().identity(user).token)
    const account = await login(token)
    expect({ status: account.status, cookie: account.cookie !== null }).toEqual({ status: 200, cookie: true })
    expect(await login(viewer ?? '')).toMatchObject({ status: 200 })
    expect(await login(`${token}x`)).toMatchObject({ status: 401, cookie: null })
    const forbidden = await login(nobody ?? '')
    expect(forbidden).toMatchObject({ status: 403, cookie: null })
    expect(forbidden.body).toContain('watch prioritylevelconfigurations')

    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const complaints: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', ({ message }) => void complaints.push(message))
    await page.goto(origin)
    // The page without a login has the status 401, which Chromium reports.
    complaints.length = 0
    await page.getByLabel('Bearer token of this cluster').fill(viewer ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: /^Overview/ }).waitFor()
    await page.getByText('workload-low').first().waitFor()
    expect(complaints).toEqual([])

    const cookie = account.cookie?.split(';')[0] ?? ''
    expect((await fetch(origin, { headers: { cookie } })).status).toBe(200)
    const written = `${running.output()}${running.told()}${forbidden.body}${account.body}`
    expect(written).toContain(`system:serviceaccount:${NAMESPACE}:apf-console`)
    for (const secret of [token, viewer, nobody]) expect(written).not.toContain(secret)
  })
})
