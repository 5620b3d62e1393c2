import fc from 'fast-check'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthority } from '../harness/hostileServerCertificates.ts'
import { identityOf, lendingProxy, OWN } from '../harness/lendingProxy.ts'
import { cleanUp, type Cleanups } from '../harness/proxied.ts'

const cleanups: Cleanups = []
afterAll(() => cleanUp(cleanups))

type Lending = Awaited<ReturnType<typeof lendingProxy>>

/** Sends the very bytes of these headers, and reads the status of the answer. */
async function statusOf(url: string, headers: readonly string[]): Promise<number> {
  const { host, port } = new URL(url)
  const socket = net.connect(Number(port), '127.0.0.1')
  try {
    const head = ['GET /api/v1/secrets HTTP/1.1', `Host: ${host}`, ...headers, 'Connection: close', '', '']
    socket.write(Buffer.from(head.join('\r\n'), 'latin1'))
    let text = ''
    socket.on('data', (piece) => (text += piece.toString('latin1')))
    await once(socket, 'close')
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
  } finally {
    socket.destroy()
  }
}

describe('an identity in headers', () => {
  let lending: Lending
  beforeAll(async () => {
    lending = await lendingProxy(cleanups, { identity: 'headers', listen: { token: { kind: 'none' } } })
  })
  const ask = async (...headers: readonly string[]) => {
    lending.seen.length = 0
    const status = await statusOf(lending.proxy.url, headers)
    return { status, upstream: lending.seen.map(identityOf) }
  }

  test('that is complete is impersonated, exactly', async () => {
    const { status, upstream } = await ask('X-Remote-User: alice', 'X-Remote-Group: devs', 'x-remote-group: a:b')
    expect(status).toBe(200)
    expect(upstream).toEqual([
      ['Impersonate-User', 'alice', 'Impersonate-Group', 'devs', 'Impersonate-Group', 'a:b', 'Authorization', OWN],
    ])
  })

  test.each([
    ['nothing', []],
    ['an empty user', ['X-Remote-User:']],
    ['a user of white space', ['X-Remote-User: \t  ']],
    ['a user twice', ['X-Remote-User: alice', 'X-Remote-User: bob']],
    ['a user and an empty one', ['X-Remote-User: alice', 'x-remote-user: ']],
    ['a list of users', ['X-Remote-User: alice,bob']],
    ['a user of two words', ['X-Remote-User: alice bob']],
    ['a user beyond ASCII', ['X-Remote-User: \u00e4\u00a0']],
    ['a group without a user', ['X-Remote-Group: system:masters']],
    ['an empty group', ['X-Remote-User: alice', 'X-Remote-Group: ']],
    ['a list of groups', ['X-Remote-User: alice', 'X-Remote-Group: a, b']],
    ['extra without a user', ['X-Remote-Extra-Scopes: a']],
    ['extra', ['X-Remote-User: alice', 'X-Remote-Extra-Scopes: a']],
    ['percent-encoded extra', ['X-Remote-User: alice', 'X-Remote-Extra-acme.com%2Fproject: a']],
    ['a UID', ['X-Remote-User: alice', 'X-Remote-Uid: 1']],
    ['impersonation on top', ['X-Remote-User: alice', 'Impersonate-User: root']],
    ['a user that the connection takes away', ['Connection: X-Remote-User', 'X-Remote-User: alice']],
  ])('with %s is refused', async (_what, headers) => {
    const { status, upstream } = await ask(...headers)
    expect([400, 401]).toContain(status)
    expect(upstream).toEqual([])
  })

  test('reaches the upstream only where it is complete', async () => {
    const character = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code))
    const value = fc.oneof(
      fc.constantFrom('', ' ', '\t', 'alice', 'a,b', 'a b', 'system:masters', ',', '%2c', '\u00a0', 'ä', '"', '-'),
      fc.string({ unit: character, maxLength: 6 }),
    )
    const name = fc.constantFrom(
      'X-Remote-User',
      'x-remote-user',
      'X-Remote-Group',
      'X-REMOTE-GROUP',
      'X-Remote-Extra-a',
      'X-Remote-Uid',
      'X-Remote-',
      'Authorization',
      'Connection',
      'X-Other',
    )
    let passed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (headers) => {
        const { status, upstream } = await ask(...headers.map(([key, said]) => `${key}: ${said}`))
        const valuesOf = (names: RegExp): string[] =>
          headers.filter(([key]) => names.test(key)).map(([, said]) => said.replace(/^[ \t]+|[ \t]+$/g, ''))
        const [users, groups] = [valuesOf(/^x-remote-user$/i), valuesOf(/^x-remote-group$/i)]
        const complete =
          users.length === 1 &&
          valuesOf(/^x-remote-/i).length === 1 + groups.length &&
          [...users, ...groups].every((one) => /^[!-+\--~]+$/.test(one))
        const impersonated = groups.flatMap((group) => ['Impersonate-Group', group])
        const only = ['Impersonate-User', ...users, ...impersonated, 'Authorization', OWN]
        // Whatever else may be wrong with them, complete ones alone pass.
        expect(upstream).toEqual(complete && status === 200 ? [only] : [])
        expect([200, 400, 401]).toContain(status)
        passed += upstream.length
      }),
      { numRuns: 400 },
    )
    expect(passed).toBeGreaterThan(0)
  })
})

describe('everybody as the user of the kubeconfig', () => {
  let lending: Lending
  beforeAll(async () => {
    lending = await lendingProxy(cleanups, { listen: { token: { kind: 'none' } } })
  })

  test.each(['Authorization', 'impersonate-user', 'Impersonate-Extra-a', 'x-remote-user', 'Sec-WebSocket-Protocol'])(
    'is not changed by a connection that takes %s away',
    async (name) => {
      const before = lending.run.log.count
      expect(await statusOf(lending.proxy.url, ['Impersonate-User: alice', `Connection: close, ${name}`])).toBe(400)
      expect([lending.seen.length, lending.run.log.count]).toEqual([0, before])
    },
  )

  test('passes on no identity of a front proxy and no cookie, and gives no cookie back', async () => {
    lending.seen.length = 0
    const headers = {
      Cookie: 'apf-console-41233=secret; other=1',
      'X-Remote-User': 'root',
      'X-Remote-Extra-a': '1',
      Authorization: 'bearer of-the-caller',
    }
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(`${lending.proxy.url}/api/v1/pods`, { headers }, resolve).on('error', reject)
    })
    answer.resume()
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(lending.seen.map((one) => one.headers.cookie)).toEqual([undefined])
    expect(lending.seen.map(identityOf)).toEqual([['Authorization', OWN]])
  })
})

test('a certificate whose name would come out empty, or as another one, is not impersonated', async () => {
  const authority = createAuthority()
  const folder = await mkdtemp(path.join(tmpdir(), 'apf-authority-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const clientCaFile = path.join(folder, 'ca.crt')
  await writeFile(clientCaFile, authority.cert)
  const listen = { tls: { kind: 'generated' }, clientCaFile } as const
  const lending = await lendingProxy(cleanups, { identity: 'certificate', listen })
  const ca = lending.proxy.certificate ?? ''
  const ask = (name: string): Promise<number> =>
    new Promise((resolve, reject) => {
      https
        .get(`${lending.proxy.url}/api`, { agent: false, ...authority.issue({ name }), ca }, (answer) =>
          resolve(answer.resume().statusCode ?? 0),
        )
        .on('error', reject)
    })
  expect(await ask('alice')).toBe(200)
  for (const name of [' ', '\u00a0', ' alice', 'alice ', 'ä', 'a\tb'])
    expect([name, await ask(name)]).toEqual([name, 400])
  expect(lending.seen.map(identityOf)).toEqual([['Impersonate-User', 'alice', 'Authorization', OWN]])
})
