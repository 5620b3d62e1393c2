import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAuthority } from '../../harness/hostileServerCertificates.ts'

/** PEM files of one certificate of 127.0.0.1, as different servers need them. */
export interface CertificateFolder {
  readonly path: string
  remove(): void
}

const fileOf = (folder: string, name: 'cert' | 'key' | 'both' | 'ca'): string => path.join(folder, `${name}.pem`)

export function makeCertificateFolder(): CertificateFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'apf-console-bench-'))
  const authority = createAuthority()
  const { cert, key } = authority.issue({ name: '127.0.0.1', ips: ['127.0.0.1'] })
  const write = (name: Parameters<typeof fileOf>[1], text: string): void =>
    writeFileSync(fileOf(folder, name), text, { mode: 0o600 })
  write('cert', cert)
  write('key', key)
  write('both', cert + key)
  write('ca', authority.cert)
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** What a server of Node needs. */
export const readCertificate = (folder: string): { readonly cert: string; readonly key: string } => ({
  cert: readFileSync(fileOf(folder, 'cert'), 'utf8'),
  key: readFileSync(fileOf(folder, 'key'), 'utf8'),
})

/** What its clients trust. */
export const readAuthority = (folder: string): string => readFileSync(fileOf(folder, 'ca'), 'utf8')
