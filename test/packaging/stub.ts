import { copyFileSync, appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { emptyAsar } from './asar.ts'
import { deliveredFuses } from './fuses.ts'

/**
 * A folder that electron-builder takes for an unpacked Electron: a program that does nothing, fuses where it expects
 * them, a version, two languages and an empty default application. With it packaging needs no network and no Electron.
 */
export function makeStubElectron(folder: string, root: string): void {
  for (const sub of ['resources', 'locales']) mkdirSync(path.join(folder, sub), { recursive: true })
  for (const language of ['de', 'en-US']) writeFileSync(path.join(folder, 'locales', `${language}.pak`), '')
  const binary = path.join(folder, 'electron')
  copyFileSync('/bin/true', binary)
  appendFileSync(binary, deliveredFuses())
  chmodSync(binary, 0o755)
  const { version } = JSON.parse(readFileSync(path.join(root, 'node_modules', 'electron', 'package.json'), 'utf8'))
  writeFileSync(path.join(folder, 'version'), String(version))
  writeFileSync(path.join(folder, 'resources', 'default_app.asar'), emptyAsar())
}
