import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { runCommand } from '../harness/command.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'
import { VIEWER } from './identities.ts'
import { noCluster, useCluster } from './suite.ts'

const authority = createAuthority()
const expired = authority.issue({ name: 'operator', fromDay: -10, toDay: -1 })
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

describe.skipIf(noCluster)('credentials that do not work', () => {
  const cluster = useCluster({
    async apiserverArguments(folder) {
      const both = join(folder, 'client-ca.crt')
      await writeFile(both, `${await readFile(join(folder, 'pki', 'ca.crt'), 'utf8')}${authority.cert}`)
      return [`--client-ca-file=${both}`]
    },
  })
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-credentials-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const kubeconfig = async (user: object, more: object = {}): Promise<string> => {
    const { url, ca } = cluster()
    const file = join(folder, 'config')
    const text = stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: url, 'certificate-authority-data': base64(ca), ...more } }],
      users: [{ name: 'u', user }],
    })
    await writeFile(file, text, { mode: 0o600 })
    return file
  }
  const node = (script: string, more: object = {}): object => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: process.execPath,
      args: ['-e', script],
      ...more,
    },
  })

  it.each([
    [
      'an expired client certificate',
      { 'client-certificate-data': base64(expired.cert), 'client-key-data': base64(expired.key) },
      {},
      /does not accept the credentials \(401\)\. The client certificate of user "u" .* expired on 20\S+Z; get a new one/,
    ],
    [
      'a token that nobody knows',
      { token: 'unknown' },
      {},
      /\(401\)\. The token of user "u" .* is not accepted; sign in again/,
    ],
    [
      'a plugin that is missing',
      {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: 'no-such-plugin-of-apf',
          installHint: 'Install it with apt.',
        },
      },
      {},
      /no-such-plugin-of-apf .* is not installed on this machine[^]*Install it with apt\./,
    ],
    [
      'a plugin that fails',
      node('console.error("session \u001b[31mexpired; token=s3cr3t"); process.exit(3)'),
      {},
      /failed with status 3[^]*session \\u001b\[31mexpired; token=\[hidden\]/,
    ],
    [
      'a missing certificate authority',
      { token: 't0k' },
      { 'certificate-authority-data': undefined, 'certificate-authority': '/no/such/ca.pem' },
      /certificate-authority named in the kubeconfig .*\/no\/such\/ca\.pem cannot be read: there is no such file/,
    ],
    [
      'a missing client certificate',
      { 'client-certificate': '/no/such.crt', 'client-key': '/no/such.key' },
      {},
      /client-certificate .*\/no\/such\.crt cannot be read: there is no such file/,
    ],
    ['a context without any', {}, {}, /\(401\)\. Context "c" names no credentials/],
  ])('%s: snapshot and permissions name the cause and the remedy', async (_, user, more, words) => {
    const file = await kubeconfig(user, more)
    const snapshot = await runCommand('snapshot', '--kubeconfig', file)
    expect(snapshot).toMatchObject({ code: 2, output: '', told: expect.stringMatching(words) })
    const permissions = await runCommand('permissions', '--kubeconfig', file)
    expect(permissions).toMatchObject({ code: 1, output: expect.stringMatching(words) })
    for (const { told, output } of [snapshot, permissions]) {
      expect(told + output).not.toMatch(/may not read|s3cr3t|(?!\n)\p{Cc}/u)
    }
  })

  it('a metrics address asks for credentials, takes a token, and has the whole report of an API server then', async () => {
    const { url, ca } = cluster()
    const [authorityFile, token] = [join(folder, 'ca.pem'), join(folder, 'token')]
    await writeFile(authorityFile, ca)
    await writeFile(token, cluster().identity(VIEWER).token, { mode: 0o600 })
    const target = ['--metrics-url', `${url}/metrics`, '--certificate-authority', authorityFile]
    const without = await runCommand('permissions', ...target)
    expect(without).toMatchObject({ code: 1, output: expect.stringMatching(/\(401\)\. No credentials were given/) })
    const report = await runCommand('permissions', ...target, '--token-file', token)
    expect(report.output).toMatch(new RegExp(`as ${VIEWER}`))
    expect(report.output).toMatch(/allowed +list flowschemas/)
    expect(report.output).toMatch(/# Required for editing:/)
    expect(report.code).toBe(0)
    expect(await runCommand('snapshot', ...target, '--token-file', token)).toMatchObject({ code: 0 })
  })
})
