import { X509Certificate } from 'node:crypto'
import { createServer, get } from 'node:https'
import { describe, expect, test } from 'vitest'
import { makeCertificate } from './certificate.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

describe('a certificate of our own', () => {
  test('names its hosts and is valid for a year', async () => {
    const { cert } = await makeCertificate(['127.0.0.1', 'localhost', '::1', '2001:db8::7'], NOW)
    const read = new X509Certificate(cert)
    expect(read.subject).toBe('CN=APF Console')
    expect(read.checkHost('localhost')).toBe('localhost')
    for (const address of ['127.0.0.1', '::1', '2001:db8::7']) expect(read.checkIP(address)).toBeDefined()
    expect(read.checkIP('127.0.0.2')).toBeUndefined()
    expect(read.verify(read.publicKey)).toBe(true)
    expect(Date.parse(read.validFrom)).toBeLessThan(NOW)
    expect(Date.parse(read.validTo) - NOW).toBe(397 * 86_400_000)
  })

  test('carries times after 2049', async () => {
    const { cert } = await makeCertificate(['localhost'], Date.UTC(2051, 0, 1))
    expect(new Date(new X509Certificate(cert).validTo).getUTCFullYear()).toBe(2052)
  })

  test('serves those who are given it as the authority, and nobody else', async () => {
    const files = await makeCertificate(['127.0.0.1'], Date.now())
    const server = createServer(files, (_request, response) => response.end('hello'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const ask = (ca?: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, agent: false, ...(ca !== undefined && { ca }) }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        }).on('error', reject)
      })
    await expect(ask(files.cert)).resolves.toBe(200)
    await expect(ask()).rejects.toThrow(/self-signed/)
    await new Promise((resolve) => server.close(resolve))
  })
})
