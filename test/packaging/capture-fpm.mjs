#!/usr/bin/env node
// Stands in for fpm, which electron-builder calls to make a .deb: keeps what would be installed where, and makes an
// empty package. APF_CAPTURE names the folder to keep it in.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const args = process.argv.slice(2)
const folder = process.env.APF_CAPTURE
if (folder === undefined) throw new Error('APF_CAPTURE is not set')

for (const mapping of args.filter((one) => one.includes('=/'))) {
  const [source, target] = mapping.split('=')
  if (!statSync(source).isFile()) continue
  const kept = path.join(folder, target)
  mkdirSync(path.dirname(kept), { recursive: true })
  copyFileSync(source, kept)
}
writeFileSync(args[args.indexOf('--package') + 1], '')
