import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request as requestOver } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn, type ChildProcess } from 'node:child_process'
import { expect, test } from '@playwright/test'
import { pagesOf, SCREENS } from '../../../core/contract/screens.ts'
import { SimulationSpecSchema } from '../../../core/contract/simulation.ts'
import { makeCertificate } from '../../../main/listen/certificate.ts'
import { systemEnvironment } from '../../../main/ports/environment.ts'
import { startSimulatedHttpServer } from '../../../main/simulated/httpServer.ts'
import { createSimulationSource } from '../../../main/sources/simulation.ts'
import { startReviewingApi } from '../../harness/reviewingApi.ts'
import { complaintsOf } from '../console.ts'

/** The process of a pod with a self-signed certificate, at a path, and a browser that connects to it over TLS. */

const TOKEN = 'token-of-alice'
const BASE = '/tools/apf'
const OF_NO_USE = new Set(['fleet', 'etcd'])

let folder = ''
let child: ChildProcess
let origin = ''
/** An ingress that removes the path, and has nothing at other ones. */
let ingress = ''
let printed = ''
const closing: (() => Promise<unknown>)[] = []
test.use({ ignoreHTTPSErrors: true })

test.beforeAll(async () => {
  const ended = new AbortController()
  const source = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), systemEnvironment, {
    backfillSeconds: 75,
  })
  source.start(ended.signal, () => undefined)
  const behind = await startSimulatedHttpServer({ server: source.server })
  const api = await startReviewingApi(behind.url, { [TOKEN]: 'alice' })
  folder = await mkdtemp(join(tmpdir(), 'apf-in-cluster-'))
  const { cert, key } = await makeCertificate(['localhost'], Date.now())
  const file = (name: string): string => join(folder, name)
  await writeFile(file('tls.crt'), cert)
  await writeFile(file('tls.key'), key, { mode: 0o600 })
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server: api.url } }],
    users: [{ name: 'console', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'console' } }],
    'current-context': 'here',
  }
  await writeFile(file('kubeconfig'), JSON.stringify(config), { mode: 0o600 })
  const ports = ['--port', '0', '--metrics-port', '0']
  const words = ['--kubeconfig', file('kubeconfig'), ...ports, '--host', 'localhost', '--base-path', BASE]
  const tls = ['--tls-cert', file('tls.crt'), '--tls-key', file('tls.key')]
  child = spawn(process.execPath, ['out/main/cli.js', 'serve-in-cluster', ...words, ...tls], {
    env: { ...process.env, APF_CONSOLE_STATE: file('state') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed).toMatch(/read-only, on port \d+/)
  origin = `https://localhost:${/on port (\d+)/.exec(printed)?.[1]}`
  const strips = await startStrippingIngress({ cert, key })
  ingress = strips.origin
  closing.push(
    strips.close,
    async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
    },
    () => api.close(),
    () => behind.close(),
    () => rm(folder, { recursive: true, force: true }),
    async () => ended.abort(),
  )
})
async function startStrippingIngress(certificate: { readonly cert: string; readonly key: string }) {
  const pass = ({ url = '', method, headers }: IncomingMessage) =>
    requestOver(`${origin}${url.slice(BASE.length) || '/'}`, { method, headers, rejectUnauthorized: false })
  const server = createServer(certificate, (request, response) => {
    if (request.url?.startsWith(BASE) !== true) return void response.writeHead(404).end()
    const passed = pass(request).on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  })
  server.on('upgrade', (request, socket) => {
    const passed = pass(request).on('upgrade', ({ rawHeaders }, behind, head) => {
      const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
      socket.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'))
      behind.unshift(head)
      behind.pipe(socket).pipe(behind)
      for (const one of [socket, behind]) one.on('error', () => one.destroy())
    })
    passed.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    origin: `https://localhost:${typeof bound === 'object' ? bound?.port : ''}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('an ingress may remove the path: signing in, loading without the slash at the end, signing out', async ({
  page,
}) => {
  const outside: string[] = []
  const sockets: string[] = []
  page.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url())
    if (protocol === 'https:' && !pathname.startsWith(BASE)) outside.push(pathname)
  })
  page.on('websocket', (socket) => sockets.push(socket.url()))
  const levels = page.getByRole('grid', { name: /Priority levels/ })
  await page.goto(ingress + BASE)
  const complaints = complaintsOf(page)
  await page.getByLabel('Bearer token of this cluster').fill(TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(levels.getByText('workload-low')).toBeVisible()
  expect(page.url().split('#')[0]).toBe(`${ingress}${BASE}/`)
  await page.goto(ingress + BASE)
  await expect(levels.getByText('workload-low')).toBeVisible()
  // A part that is loaded when it is opened.
  await page.evaluate(() => (location.hash = '#/allocation'))
  await expect(page.getByRole('heading', { level: 1 }).first()).toHaveText('Allocation')
  expect(new Set(sockets)).toEqual(new Set([`${ingress.replace('https', 'wss')}${BASE}/rpc`]))
  expect(complaints).toEqual([])
  await page.goto(`${ingress}${BASE}/logout`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('Signed out.')).toBeVisible()
  expect(outside).toEqual([])
})
test.afterAll(async () => {
  for (const close of closing) await close()
})

test('serves a browser over TLS, and its pages neither offer nor ask what is refused', async ({ page }) => {
  const refused: string[] = []
  const sockets: string[] = []
  page.on('websocket', (socket) => {
    sockets.push(socket.url())
    const asked = new Map<number, string>()
    socket.on('framesent', ({ payload }) => {
      const { id, name } = JSON.parse(String(payload)) as { id: number; name?: string }
      if (name !== undefined) asked.set(id, name)
    })
    socket.on('framereceived', ({ payload }) => {
      const [, id] = /^\{"type":"(?:problem|end)","id":(\d+),"problem":\{"code":"forbidden"/.exec(String(payload)) ?? []
      if (id !== undefined) refused.push(asked.get(Number(id)) ?? '')
    })
  })
  await page.goto(origin + BASE)
  const complaints = complaintsOf(page)
  await page.getByLabel('Bearer token of this cluster').fill(TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('grid', { name: /Priority levels/ }).getByText('workload-low')).toBeVisible()
  expect(sockets).toEqual([`${origin.replace('https', 'wss')}${BASE}/rpc`])
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict', path: BASE })

  const why = 'This console runs in the cluster and is read-only; start your own console for this.'
  const places = SCREENS.filter((name) => !OF_NO_USE.has(name)).flatMap((screen) => {
    const pages = pagesOf(screen)
    return pages.length === 0 ? [screen] : pages.map((one) => `${screen}/${one}`)
  })
  for (const place of places) {
    await page.evaluate((name) => (location.hash = `#/${name}`), place)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached()
    // A screen sends all its requests when it is drawn.
    await page.waitForTimeout(300)
  }
  expect(refused).toEqual([])

  await page.evaluate(() => (location.hash = '#/whatif'))
  await expect(page.getByText(why)).toBeVisible()
  await page.evaluate(() => (location.hash = '#/connection'))
  await expect(page.getByText(why)).toBeVisible()
  for (const name of ['Disconnect', 'Open files', 'Connect']) {
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  }
  await page.evaluate(() => (location.hash = '#/editor'))
  await expect(page.getByRole('button', { name: /^Switch editing on/ })).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('Disconnect')
  await expect(page.getByRole('option', { name: /Disconnect/ })).toHaveAttribute('aria-disabled', 'true')
  expect(complaints).toEqual([])
  expect(printed).not.toContain(TOKEN)
})
