// What the built console is made of: the packages that the bundler took code from, as a CycloneDX bill of materials and as
// a text of their licences. The same build always gives the same files.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './runtime.mjs'

const out = path.join(root, 'out')

/**
 * @typedef {{ readonly name: string, readonly version: string, readonly license: string, readonly integrity: string | undefined, readonly texts: readonly string[] }} Part
 * @typedef {{ readonly packages: Readonly<Record<string, { readonly integrity?: string }>> }} Lock
 */

/** Folders like `node_modules/zod`, as listed by the builds of main process, preload and page (electron.vite.config.ts). */
function bundledFolders() {
  const notes = readdirSync(out).filter((name) => /^packages-[a-z]+\.json$/.test(name))
  /** @type {string[]} */
  const all = notes.flatMap((name) => JSON.parse(readFileSync(path.join(out, name), 'utf8')))
  return [...new Set(all)].sort()
}

/**
 * @param {string} folder
 * @param {Lock} lock
 * @returns {Part}
 */
function partIn(folder, lock) {
  const {
    name,
    version,
    license = 'NOASSERTION',
  } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
  const texts = readdirSync(path.join(root, folder))
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim())
  return { name, version, license, integrity: lock.packages[folder]?.integrity, texts }
}

/** @param {Part} part */
function component({ name, version, license, integrity }) {
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? []
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ expression: license }],
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  }
}

/** Writes `out/sbom.cdx.json` and `out/licenses.txt`. */
export function writeBill() {
  /** @param {string} file */
  const read = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
  const lock = read('package-lock.json')
  const found = bundledFolders().map((folder) => partIn(folder, lock))
  // The same version may lie in several folders.
  const parts = [...new Map(found.map((part) => [`${part.name}@${part.version}`, part])).values()]
  const { name, version, license } = read('package.json')
  const own = {
    type: 'application',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    licenses: [{ expression: license }],
  }
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components: parts.map(component),
    dependencies: [{ ref: own['bom-ref'], dependsOn: parts.map((part) => component(part)['bom-ref']) }],
  }
  writeFileSync(path.join(out, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`)
  const chapters = parts.map((part) => [`${part.name} ${part.version} (${part.license})`, ...part.texts].join('\n\n'))
  const heading = `Software of others in ${name} ${version}, with its licences`
  writeFileSync(path.join(out, 'licenses.txt'), `${[heading, ...chapters].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}
