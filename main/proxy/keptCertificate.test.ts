import { X509Certificate } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../listen/certificate.ts'
import { keptCertificate } from './openReached.ts'

const NOW = Date.UTC(2026, 10, 21)
const DAY_MS = 86_400_000
const HOSTS = ['127.0.0.1', 'localhost', '::1']

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'apf-kept-'))
  file = path.join(folder, 'certificate.pem')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a certificate is kept as long as it is valid for all hosts, which may become fewer', async () => {
  const first = await keptCertificate(file, HOSTS, NOW)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(new X509Certificate(first.cert).checkIP('::1')).toBeDefined()
  expect(await keptCertificate(file, HOSTS, NOW + 380 * DAY_MS)).toEqual(first)
  expect(await keptCertificate(file, ['localhost'], NOW)).toEqual(first)
  await chmod(file, 0o644)
  expect(await keptCertificate(file, HOSTS, NOW)).toEqual(first)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('it is made anew before it ends, before it begins, and for other hosts', async () => {
  for (const [hosts, nowMs] of [
    [HOSTS, NOW + 391 * DAY_MS],
    [HOSTS, NOW - DAY_MS],
    [[...HOSTS, '10.0.0.5'], NOW],
  ] as const) {
    await rm(file, { force: true })
    const first = await keptCertificate(file, HOSTS, NOW)
    const second = await keptCertificate(file, hosts, nowMs)
    expect(second).not.toEqual(first)
    expect(await keptCertificate(file, hosts, nowMs)).toEqual(second)
  }
})

test('what is no certificate with its key is replaced', async () => {
  const [one, other] = [await makeCertificate(HOSTS, NOW), await makeCertificate(HOSTS, NOW)]
  const broken = one.key + one.cert.replace(/[A-Z]{4}/, 'AAAA').slice(0, 200) + '\n-----END CERTIFICATE-----\n'
  for (const text of ['', 'nonsense', one.cert, one.key + other.cert, broken]) {
    await writeFile(file, text, { mode: 0o644 })
    const made = await keptCertificate(file, HOSTS, NOW)
    expect(text).not.toContain(made.cert)
    expect(await readFile(file, 'utf8')).toBe(made.key + made.cert)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  }
})
