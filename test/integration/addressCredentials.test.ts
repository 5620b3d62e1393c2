import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { TLSSocket } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { AddressCredentials } from '../../core/contract/credentials.ts'
import { CadenceSchema, type Target } from '../../core/contract/source.ts'
import { permissionReports } from '../../main/cluster/permissions.ts'
import { urlsConnection } from '../../main/cluster/connection.ts'
import { getText } from '../../main/cluster/http.ts'
import { toProblem } from '../../core/errors.ts'
import { allNamed } from '../harness/consent.ts'
import { runCommand } from '../harness/command.ts'
import {
  answerPage,
  answerStatus,
  metricsPage,
  startHostileServer,
  type HostileServer,
} from '../harness/hostileServer.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'
import { openLiveConsole } from '../harness/live.ts'

const authority = createAuthority()
const certificate = authority.issue({ name: 'api', ips: ['127.0.0.1'] })
const client = authority.issue({ name: 'operator' })

let folder = ''
const path = (name: string): string => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-address-'))
  const files = {
    'ca.pem': authority.cert,
    'cert.pem': client.cert,
    'key.pem': client.key,
    token: 't0k-s3cr3t\n',
    password: 'pw-s3cr3t\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path(name), text, { mode: 0o600 })
})
afterAll(() => rm(folder, { recursive: true }))

let server: HostileServer | undefined
afterEach(() => server?.close())

const whoami: Parameters<HostileServer['behave']>[0] = (request, response) => {
  const peer = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().subject : undefined
  response.end(JSON.stringify({ authorization: request.headers.authorization, certificate: peer?.CN }))
}

async function read(api: HostileServer, credentials: AddressCredentials) {
  const target = { kind: 'urls' as const, urls: [api.url()], credentials }
  try {
    const connection = await urlsConnection(target, Date.now, allNamed)
    const [address] = connection.servers
    if (address === undefined) throw new Error('no server')
    const answer = await getText({ url: address.metrics, settings: await connection.settings(address) })
    connection.close()
    return answer.ok ? { text: answer.value } : { problem: answer.problem }
  } catch (error) {
    return { problem: toProblem(error) }
  }
}

const basic = `Basic ${Buffer.from('jo:pw-s3cr3t').toString('base64')}`

describe('credentials for a metrics address', () => {
  test.each([
    ['a token', { token: 't0k' }, { authorization: 'Bearer t0k' }],
    ['a token file', () => ({ tokenFile: path('token') }), { authorization: 'Bearer t0k-s3cr3t' }],
    ['a password', { username: 'jo', password: 'pw-s3cr3t' }, { authorization: basic }],
    ['a password file', () => ({ username: 'jo', passwordFile: path('password') }), { authorization: basic }],
  ] as const)('%s', async (_, credentials, seen) => {
    server = await startHostileServer({ tls: certificate, behaviour: whoami })
    const given = typeof credentials === 'function' ? credentials() : credentials
    const { text } = await read(server, { ...given, certificateAuthority: path('ca.pem') })
    expect(JSON.parse(text ?? '')).toEqual(seen)
  })

  test('a client certificate', async () => {
    server = await startHostileServer({ tls: certificate, clientCa: authority.cert, behaviour: whoami })
    const tls = {
      clientCertificate: path('cert.pem'),
      clientKey: path('key.pem'),
      certificateAuthority: path('ca.pem'),
    }
    expect((await read(server, tls)).text).toContain('operator')
    expect((await read(server, { certificateAuthority: path('ca.pem') })).problem?.code).toBe('tls')
  })

  test('a server of an unknown authority is refused, and accepted unverified only where that is asked for', async () => {
    server = await startHostileServer({ tls: certificate, behaviour: whoami })
    expect((await read(server, { token: 't0k' })).problem).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/certificate-authority/),
    })
    expect((await read(server, { token: 't0k', insecureSkipTlsVerify: true })).text).toContain('Bearer t0k')
  })

  test.each([
    ['clientKey', { clientCertificate: 'cert.pem' }, /client certificate .* no client key/],
    [
      'a missing file',
      { certificateAuthority: 'absent.pem' },
      /certificate authority .*absent\.pem cannot be read: there is no such file/,
    ],
    ['a file of something else', { certificateAuthority: 'token' }, /certificate authority .* cannot be used/],
    [
      'a key of another certificate',
      { clientCertificate: 'ca.pem', clientKey: 'key.pem' },
      /client key.* cannot be used/,
    ],
  ])('%s is told without its contents', async (_, files, words) => {
    server = await startHostileServer({ tls: certificate })
    const named = Object.fromEntries(Object.entries(files).map(([field, name]) => [field, path(name)]))
    const { problem } = await read(server, named)
    expect(problem).toMatchObject({ code: 'credentials', message: expect.stringMatching(words) })
    expect(JSON.stringify(problem)).not.toContain('s3cr3t')
  })

  test('are asked for where a server wants them', async () => {
    server = await startHostileServer({ tls: certificate, behaviour: answerStatus(401, '{"message":"Unauthorized"}') })
    const none = await read(server, { certificateAuthority: path('ca.pem') })
    expect(none.problem).toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/No credentials were given.*--token-file/),
    })
    // A metrics address has neither of them.
    expect(none.problem?.message).not.toMatch(/context|kubeconfig/i)
    const claims = Buffer.from(JSON.stringify({ exp: 1_000_000_000 })).toString('base64url')
    const expired = await read(server, { token: `e30.${claims}.x`, certificateAuthority: path('ca.pem') })
    expect(expired.problem?.message).toMatch(/The token .* expired on 2001-09-09T01:46:40Z/)
  })
})

test('the command line takes credentials from files, and never a secret itself', async () => {
  server = await startHostileServer({ tls: certificate, behaviour: answerPage(() => metricsPage({})) })
  const target = ['--metrics-url', server.url(), '--certificate-authority', path('ca.pem')]
  const done = await runCommand('snapshot', ...target, '--token-file', path('token'))
  expect(done).toMatchObject({ code: 0 })
  expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer t0k-s3cr3t')).toBe(true)
  expect(done.output + done.told).not.toContain('s3cr3t')
  const secret = await runCommand('snapshot', ...target, '--token', 't0k-s3cr3t')
  expect(secret).toMatchObject({ code: 2, told: expect.stringMatching(/no option --token/) })
  const lone = await runCommand('snapshot', '--token-file', path('token'))
  expect(lone).toMatchObject({ code: 2, told: expect.stringMatching(/goes with --metrics-url/) })
})

test('apf permissions prints the report, and fails where looking lacks something', async () => {
  server = await startHostileServer({ behaviour: answerPage(() => metricsPage({})) })
  const text = await runCommand('permissions', '--metrics-url', server.url())
  expect(text.output).toMatch(/allowed +GET \/metrics/)
  const json = await runCommand('permissions', '--metrics-url', server.url(), '--json')
  const expected = await permissionReports({ kind: 'urls', urls: [server.url()] }, allNamed)
  expect(JSON.parse(json.output)[0].results.map(({ status }: { status: string }) => status)).toEqual(
    expected[0]?.results.map(({ status }) => status),
  )
  for (const status of [401, 403]) {
    server.behave(answerStatus(status, '{"message":"refused"}'))
    const refused = await runCommand('permissions', '--metrics-url', server.url())
    expect(refused.code).toBe(1)
    if (status === 401) expect(refused.output).toMatch(/does not accept the credentials \(401\)/)
    // A metrics address has neither a context nor a kubeconfig to choose.
    expect(refused.output + refused.told).not.toMatch(/context|kubeconfig/i)
  }
})

test('a typed secret reaches the server, and nothing that is kept or told', async () => {
  server = await startHostileServer({ tls: certificate, behaviour: answerPage(() => metricsPage({})) })
  const console = await openLiveConsole('')
  try {
    const told: unknown[] = []
    console.client.subscribe('connections', null, (connections) => told.push(connections))
    console.client.subscribe('frames', null, (frames) => told.push(frames))
    const credentials = { token: 't0k-s3cr3t', certificateAuthority: path('ca.pem') }
    const target: Target = { kind: 'urls', urls: [server.url()], credentials }
    told.push(
      await console.client.call('sources.connect', {
        spec: { kind: 'scrape', target, cadence: CadenceSchema.parse({}) },
      }),
    )
    await expect.poll(() => JSON.stringify(told)).toContain('workload-low')
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer t0k-s3cr3t')).toBe(true)

    // The page names the connected source by the spec that it received, which lacks the secret.
    const { token: _, ...paths } = credentials
    const before = server.requests.length
    told.push(await console.client.call('sources.permissions', { target: { ...target, credentials: paths } }))
    expect(server.requests.slice(before).every(({ headers }) => headers.authorization !== undefined)).toBe(true)

    const recent = await console.client.call('sources.recent', null)
    expect(recent[0]?.spec).toMatchObject({ target: { urls: [server.url()], credentials: paths } })
    told.push(recent)
    const files = await readdir(console.stateDir, { recursive: true, withFileTypes: true })
    for (const file of files.filter((entry) => entry.isFile())) {
      told.push(await readFile(join(file.parentPath, file.name), 'utf8'))
    }
    expect(JSON.stringify(told)).not.toContain('s3cr3t')
  } finally {
    await console.close()
  }
})
