// `node main/bootstrap/krew.mjs REPOSITORY FOLDER`: prints the manifest of the kubectl plugin for krew, with the sums that
// `npm run package` wrote on every system, gathered in FOLDER.
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { root } from './runtime.mjs'

/** @param {string} folder */
function sumsIn(folder) {
  const files = readdirSync(folder).filter((name) => name.startsWith('SHA256SUMS'))
  const lines = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

const [repository, folder] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const sums = folder === undefined ? new Map() : sumsIn(folder)
/** @type {string[]} */
const missing = []
const manifest = readFileSync(path.join(root, 'assets', 'krew', 'apf.yaml'), 'utf8')
  .replace(/^#.*\n/, '')
  .replaceAll('{{version}}', version)
  .replaceAll('{{repository}}', repository ?? '')
  .replaceAll(/\{\{sum ([a-z0-9-]+)\}\}/g, (_all, platform) => {
    const file = `apf-console-${version}-cli-${platform}.tar.gz`
    if (!sums.has(file)) missing.push(file)
    return sums.get(file) ?? ''
  })
if (folder === undefined || missing.length > 0) {
  process.stderr.write(
    folder === undefined
      ? 'Give the address of the repository, and the folder that holds the sums.\n'
      : `${folder} holds no sum of ${missing.join(' and ')}. Run npm run package on those systems first.\n`,
  )
  process.exitCode = 2
} else process.stdout.write(manifest)
