import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { startCommand, type Running } from '../harness/command.ts'
import { cacheFolder, DEFAULT_VERSION } from './binaries.ts'
import { ADMIN } from './identities.ts'
import { makePki } from './pki.ts'
import { noCluster, useCluster } from './suite.ts'

const kubectl = path.join(cacheFolder(DEFAULT_VERSION), 'kubectl')

describe.skipIf(noCluster)('a proxy with the kubeconfig of an administrator', () => {
  const cluster = useCluster()
  let folder: string
  let proxy: Running | undefined
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'apf-lends-'))
    vi.stubEnv('APF_CONSOLE_STATE', folder)
  })
  afterEach(async () => {
    proxy?.interrupt()
    await proxy?.ended
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts it, and returns its output once that contains `wanted`. */
  async function start(wanted: string, ...args: readonly string[]): Promise<string> {
    const running = startCommand('proxy', '--kubeconfig', cluster().kubeconfig, '--json', ...args)
    proxy = running
    await vi.waitFor(() => expect(running.told()).toContain(wanted), 30_000)
    return running.told()
  }

  it('has the seats that the server reports, and is told whose rights it has', async () => {
    const told = await start('The engine has ')
    const flags = { maxInflight: 20, maxMutatingInflight: 10 }
    expect(told).toContain(
      `The engine has ${flags.maxInflight + flags.maxMutatingInflight} seats, as the server reports in its metrics.`,
    )
    expect(told).toContain(`Every client with the proxy’s token acts as ${ADMIN}, with all of that user’s permissions`)
    expect(told).toContain(`${ADMIN} is in system:masters, whose requests all go to the level exempt`)
  })

  it('is nobody with an identity in headers that is not complete', async () => {
    const told = await start('Proxy: ', '--identity', 'headers', '--no-token')
    const review = async (headers: Record<string, string>) => {
      const url = `${/Proxy: (\S+) →/.exec(told)?.[1]}/apis/authentication.k8s.io/v1/selfsubjectreviews`
      const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
      const type = { 'Content-Type': 'application/json' }
      const answer = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body })
      return `${answer.status} ${await answer.text()}`
    }
    expect(await review({ 'X-Remote-User': 'alice' })).toMatch(/^201 .*"username":"alice"/s)
    expect(await review({ 'X-Remote-User': '' })).toMatch(/^400 The identity "headers" takes one name/)
    expect(await review({ 'X-Remote-User': ' \t ' })).toMatch(/^400 /)
    expect(await review({ 'X-Remote-Group': 'system:masters' })).toMatch(/^400 .* exactly once, not 0 times/)
    expect(await review({})).toMatch(/^401 /)
  })
})

describe.skipIf(noCluster || !existsSync(kubectl))('kubectl with the kubeconfig of the proxy’s clients', () => {
  const cluster = useCluster()
  let folder: string
  let proxy: Running | undefined
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'apf-reach-'))
    vi.stubEnv('APF_CONSOLE_STATE', path.join(folder, 'state'))
  })
  afterEach(async () => {
    proxy?.interrupt()
    await proxy?.ended
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts a proxy in front of the cluster, and returns the path of the kubeconfig that it prints. */
  async function start(...args: readonly string[]): Promise<string> {
    const running = startCommand('proxy', '--kubeconfig', cluster().kubeconfig, '--json', ...args)
    proxy = running
    const told = /Try it: kubectl --kubeconfig (\S+) /
    await vi.waitFor(() => expect(running.told()).toMatch(told), 30_000)
    return told.exec(running.told())?.[1] ?? ''
  }
  const run = async (kubeconfig: string, ...args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECACHEDIR: path.join(folder, 'cache') }
    const running = promisify(execFile)(kubectl, ['--kubeconfig', kubeconfig, ...args], { env, timeout: 20_000 })
    return (await running).stdout
  }

  it('is a client at once, and none without the token', async () => {
    const file = await start('--listen', '0.0.0.0', '--tls', '--generate-token')
    expect(await run(file, 'get', 'pods')).toBe('')
    expect(await run(file, 'get', 'namespaces', '-o', 'name')).toContain('namespace/kube-system')
    expect(await run(file, 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(ADMIN)
    await vi.waitFor(
      () => expect(proxy?.output()).toContain('"url":"/api/v1/namespaces/default/pods?limit=500"'),
      5_000,
    )
    // Without any credentials kubectl would prompt for them.
    const known = z.looseObject({ users: z.array(z.unknown()) }).parse(parse(await readFile(file, 'utf8')))
    const without = path.join(folder, 'without')
    await writeFile(
      without,
      stringify({ ...known, users: [{ name: 'apf-console-admin', user: { token: 'another' } }] }),
    )
    await expect(run(without, 'get', 'pods')).rejects.toThrow(/needs its token|Unauthorized|must be logged in/)
  })

  it.each([
    ['by default', []],
    ['without a token', ['--no-token']],
    ['without a token but with TLS', ['--no-token', '--tls']],
  ])('is a client of loopback, %s', async (_how, args) => {
    const file = path.join(folder, 'config')
    expect(await start('--client-kubeconfig', file, ...args)).toBe(file)
    expect(await run(file, 'get', 'namespaces', '-o', 'name')).toContain('namespace/default')
  })

  it('runs nothing in containers, unless that is allowed', async () => {
    const exec = ['get', '--raw', '/api/v1/namespaces/default/pods/none/exec?command=id']
    await expect(run(await start(), ...exec)).rejects.toThrow(/This proxy lends its own credentials/)
    proxy?.interrupt()
    await proxy?.ended
    // The server's own answer.
    await expect(run(await start('--allow-exec'), ...exec)).rejects.toThrow(/pods "none" not found/)
  })

  it('is who its client certificate says, and brings its own token where callers do', async () => {
    const pki = await makePki(path.join(folder, 'pki'))
    const certificate = ['--client-certificate', pki.adminCert, '--client-key', pki.adminKey]
    const byCertificate = await start('--tls', '--identity', 'certificate', '--client-ca', pki.ca)
    expect(await run(byCertificate, ...certificate, 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo}')).toMatch(
      /"system:masters".*"username":"kubernetes-admin"/,
    )
    proxy?.interrupt()
    await proxy?.ended
    const byToken = await start('--tls', '--identity', 'token')
    const token = ['--token', cluster().identity('alice').token]
    expect(await run(byToken, ...token, 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('alice')
  })
})
