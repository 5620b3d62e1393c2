import { spawn } from 'node:child_process'
import { once } from 'node:events'
import https from 'node:https'
import http from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { ProxySpec } from '../../core/contract/live.ts'
import { lendingProxy } from '../harness/lendingProxy.ts'
import { cleanUp, type Cleanups } from '../harness/proxied.ts'

const cleanups: Cleanups = []
afterEach(() => cleanUp(cleanups))

interface Asked {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
}

const POD = '/api/v1/namespaces/default/pods/one'

async function lending(given: Partial<ProxySpec> = {}) {
  const opened = await lendingProxy(cleanups, given)
  const ask = (path: string, { method = 'GET', headers = {} }: Asked = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const options = { ca: opened.proxy.certificate, agent: false, method, headers } as const
      const send = opened.proxy.url.startsWith('https:') ? https.request : http.request
      const request = send(opened.proxy.url + path, options, (answer) => resolve(answer.resume().statusCode ?? 0))
      request.on('upgrade', (answer, socket) => {
        socket.destroy()
        resolve(answer.statusCode ?? 0)
      })
      request.on('error', reject).end()
    })
  return { ...opened, ask }
}

describe('the operator’s credentials', () => {
  test('are lent to who brings the token, by default over TLS, and that is said', async () => {
    const { proxy, seen, ask, token } = await lending()
    expect(proxy.url).toMatch(/^https:/)
    expect(await ask('/api/v1/secrets')).toBe(401)
    expect(await ask('/api/v1/secrets', { headers: { Authorization: 'Bearer guessed-guessed-guessed' } })).toBe(401)
    expect(seen).toEqual([])
    // The scheme in any spelling, as the server has it.
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await ask('/api/v1/secrets', { headers: { Authorization: `${scheme} ${await token()}` } })).toBe(200)
    }
    expect(proxy.clientKubeconfig).toBeDefined()
    const notes = proxy.notes.join(' ')
    expect(notes).toContain(
      'Every client with the proxy’s token acts as kubernetes-admin, with all of that user’s permissions',
    )
    expect(notes).toMatch(
      /kubernetes-admin is in system:masters, whose requests all go to the level exempt.* kubectl --as/,
    )
  })

  test('are lent to anybody for the asking with --no-token alone, and that is said', async () => {
    const { proxy, ask } = await lending({ listen: { token: { kind: 'none' } } })
    expect(await ask('/api/v1/secrets')).toBe(200)
    expect(proxy.notes.join(' ')).toContain('Every user of this machine acts as kubernetes-admin')
  })

  test('are wanted for every user that headers name, too', async () => {
    const { proxy, ask, token } = await lending({ identity: 'headers' })
    const alice = { 'X-Remote-User': 'alice' }
    expect(await ask('/api', { headers: alice })).toBe(401)
    expect(await ask('/api', { headers: { ...alice, Authorization: `Bearer ${await token()}` } })).toBe(200)
    expect(proxy.notes.join(' ')).toContain('can act as any user that')
  })

  test.runIf(process.getuid?.() === 0)('are not lent to another user of this machine', async () => {
    const { proxy, seen } = await lending()
    const script = `fetch(process.argv[1]).then((a) => console.log(a.status), (e) => console.log(e.message))`
    const ask = async (url: string): Promise<string> => {
      const child = spawn(process.execPath, ['-e', script, url], {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
        env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
      })
      let said = ''
      child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
      await once(child, 'close')
      return said.trim()
    }
    expect(await ask(`${proxy.url}/api/v1/secrets`)).toBe('401')
    expect(seen).toEqual([])
  })
})

describe('programs in containers', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['POST', `${POD}/exec?command=sh`],
    ['GET', `${POD}/exec?command=sh`],
    ['POST', `${POD}/attach`],
    ['POST', `${POD}/portforward`],
    ['POST', `${POD}/%65xec?command=sh`],
    ['POST', `${POD}%2Fexec?command=sh`],
    ['POST', `//api/v1//namespaces/default/pods/one/exec`],
    ['POST', `/x/..${POD}/exec`],
    ['POST', `/x/%2e%2e${POD}/exec`],
    ['POST', `${POD}/exec/`],
    ['GET', `${POD}/proxy/`],
    ['GET', '/api/v1/nodes/n1/proxy/run/default/one/main?cmd=id'],
    ['GET', '/api/v1/namespaces/default/services/web:80/proxy/admin'],
    ['GET', '/api/v1/proxy/nodes/n1/pods'],
    ['PUT', '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/vm/portforward/22'],
  ]
  test('are out of reach, whatever their path is written like', async () => {
    const { seen, ask } = await lending({ listen: { token: { kind: 'none' } } })
    for (const [method, path] of refused) expect([path, await ask(path, { method })]).toEqual([path, 403])
    expect(await ask('/api/v1/nodes/n1/proxy/exec/%ff', { method: 'POST' })).toBe(400)
    for (const protocol of ['websocket', 'SPDY/3.1']) {
      const headers = { Connection: 'Upgrade', Upgrade: protocol }
      const path = '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/vm/console'
      expect(await ask(path, { headers })).toBe(403)
    }
    expect(seen).toEqual([])
  })

  test('are named like others, which pass; so do watches and logs', async () => {
    const { seen, ask } = await lending({ listen: { token: { kind: 'none' } } })
    const passes = [
      '/api/v1/namespaces/exec/pods/attach',
      '/api/v1/namespaces/proxy/pods',
      `${POD}/log?follow=true`,
      '/api/v1/namespaces/default/configmaps/proxy',
      '/apis/apps/v1/namespaces/exec/deployments/exec/scale',
    ]
    for (const path of passes) expect([path, await ask(path)]).toEqual([path, 200])
    const websocket = { Connection: 'Upgrade', Upgrade: 'websocket' }
    expect(await ask('/api/v1/pods?watch=1', { headers: websocket })).toBe(200)
    // curl --http2 offers it with everything, and no server takes the offer.
    expect(await ask('/api/v1/pods', { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } })).toBe(200)
    expect(seen).toHaveLength(passes.length + 2)
  })

  test('are in reach when that was allowed', async () => {
    const { ask } = await lending({ listen: { token: { kind: 'none' } }, allowExec: true })
    for (const [method, path] of refused) expect([path, await ask(path, { method })]).toEqual([path, 200])
  })
})
