#!/usr/bin/env node
// Stands in for fpm, which electron-builder calls to make a .deb: keeps what would be installed where, and makes a package
// of it where dpkg is installed, else an empty one. APF_CAPTURE names the folder to keep it in.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const args = process.argv.slice(2)
const folder = process.env.APF_CAPTURE
if (folder === undefined) throw new Error('APF_CAPTURE is not set')

const system = path.join(folder, 'root')
for (const mapping of args.filter((one) => one.includes('=/'))) {
  const [source, target] = mapping.split('=')
  const kept = path.join(system, target)
  mkdirSync(path.dirname(kept), { recursive: true })
  if (statSync(source).isFile()) copyFileSync(source, kept)
  else cpSync(source, kept, { recursive: true, verbatimSymlinks: true })
}

/** @param {string} option */
const values = (option) => args.flatMap((one, at) => (one === option ? [args[at + 1]] : []))
const about = path.join(system, 'DEBIAN')
mkdirSync(about, { recursive: true })
const fields = {
  Package: values('--name')[0],
  Version: values('--version')[0],
  Architecture: values('--architecture')[0],
  Maintainer: values('--maintainer')[0],
  Depends: values('-d').join(', '),
  Description: values('--description')[0]?.split('\n')[0],
}
const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
writeFileSync(path.join(about, 'control'), lines.join(''))
for (const [option, script] of [
  ['--after-install', 'postinst'],
  ['--after-remove', 'postrm'],
]) {
  const [source] = values(option)
  if (source === undefined) continue
  copyFileSync(source, path.join(about, script))
  chmodSync(path.join(about, script), 0o755)
}
const [deb] = values('--package')
const made = spawnSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', system, deb], {
  stdio: 'inherit',
})
if (made.error !== undefined) writeFileSync(deb, '')
process.exitCode = made.error === undefined ? made.status : 0
