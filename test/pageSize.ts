/**
 * What a browser loads of the page, compressed, against what it may be. `npm run check` builds the page for it;
 * `node test/pageSize.ts --table` prints each file for docs/performance.md.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { resolveConfig } from 'electron-vite'
import { build, mergeConfig, type Rolldown } from 'vite'
import { root } from '../main/bootstrap/runtime.mjs'

/** Bytes after gzip, as a server sends them; fonts are not counted. docs/performance.md lists the largest parts. */
const BUDGETS = {
  /** The document with the entry, its imports and styles: after that the shell is drawn. */
  entry: 115_200,
  /** That, and the Overview of one source. */
  firstScreen: 153_300,
  /**
   * All scripts and styles, those of screens and dialogs that are loaded when they are opened included. The queue set
   * (8 kB) is for one calculator alone, and so are the objects of KEP-1040's draft (8 kB) for what is pasted.
   */
  all: 906_500,
} as const

/** A class in a stylesheet. */
const CLASS = /\.([a-z][\w-]*)/gi

const OVERVIEW = 'renderer/screens/overview/index.tsx'

type Chunk = Rolldown.OutputChunk & { readonly viteMetadata?: { readonly importedCss: ReadonlySet<string> } }

async function buildPage() {
  const { config } = await resolveConfig({ logLevel: 'error' }, 'build', 'production')
  if (config?.renderer === undefined) throw new Error('electron.vite.config.ts has no page')
  const built = await build(mergeConfig(config.renderer, { logLevel: 'error', build: { write: false } }))
  if (!('output' in built)) throw new Error('the build of the page gave no files')
  const names = config.renderer.css?.modules
  if (!names || typeof names.generateScopedName !== 'function') throw new Error('the page has no names for classes')
  return { files: built.output, scopedName: names.generateScopedName }
}

const isChunk = (file: Chunk | Rolldown.OutputAsset): file is Chunk => file.type === 'chunk'

const { files, scopedName } = await buildPage()
const compressed = new Map(
  files
    .filter(({ fileName }) => /\.(?:html|js|css)$/.test(fileName))
    .map((file) => [file.fileName, gzipSync(isChunk(file) ? file.code : file.source, { level: 9 }).length]),
)

/** Files, everything that these import, and the styles of all. */
function withImports(names: readonly string[]): ReadonlySet<string> {
  const loaded = new Set(names)
  // A set that is added to while it is gone through goes on with what was added.
  for (const name of loaded) {
    const file = files.find(({ fileName }) => fileName === name)
    if (file === undefined || !isChunk(file)) continue
    for (const next of [...file.imports, ...(file.viteMetadata?.importedCss ?? [])]) loaded.add(next)
  }
  return loaded
}

function fileWhere(what: string, is: (file: Chunk | Rolldown.OutputAsset) => boolean): Chunk | Rolldown.OutputAsset {
  const file = files.find(is)
  if (file === undefined) throw new Error(`the page has no ${what}`)
  return file
}

const html = fileWhere('document', ({ fileName }) => fileName === 'index.html')
const markup = isChunk(html) ? html.code : String(html.source)
const entry = withImports([html.fileName, ...[...compressed.keys()].filter((name) => markup.includes(name))])
const screen = fileWhere('Overview', (file) => isChunk(file) && file.moduleIds.some((id) => id.endsWith(OVERVIEW)))
const firstScreen = new Set([...entry, ...withImports([screen.fileName])])
const all = [...compressed.keys()].filter((name) => name !== html.fileName)

const bytesOf = (names: Iterable<string>): number =>
  Array.from(names).reduce((total, name) => total + (compressed.get(name) ?? 0), 0)

if (process.argv.includes('--table')) {
  for (const [name, bytes] of [...compressed].toSorted(([, a], [, b]) => b - a)) {
    const when = entry.has(name) ? 'entry' : firstScreen.has(name) ? 'Overview' : ''
    process.stdout.write(`${String(bytes).padStart(8)}  ${name.replace(/^assets\//, '').padEnd(36)}${when}\n`)
  }
}
for (const [part, bytes, most] of [
  ['entry', bytesOf(entry), BUDGETS.entry],
  ['first screen', bytesOf(firstScreen), BUDGETS.firstScreen],
  ['all', bytesOf(all), BUDGETS.all],
] as const) {
  const over = bytes > most
  if (over) process.exitCode = 1
  process.stdout.write(`${over ? 'TOO LARGE ' : ''}${part}: ${bytes} bytes of ${most}\n`)
}

// A page whose stylesheets were lost on the way would be smaller than any budget.
const styles = files.flatMap((file) => (!isChunk(file) && file.fileName.endsWith('.css') ? [String(file.source)] : []))
const built = new Set(styles.flatMap((text) => Array.from(text.matchAll(CLASS), ([, name = '']) => name)))
// The frame of Headlamp is another page.
for (const file of globSync('renderer/!(headlamp)/**/*.module.css', { cwd: root }).toSorted()) {
  const sheet = path.join(root, file)
  const source = readFileSync(sheet, 'utf8').replace(/\/\*[^]*?\*\//g, '')
  const names = new Set(Array.from(source.matchAll(CLASS), ([, name = '']) => name))
  const lost = Array.from(names).filter((name) => !built.has(scopedName(name, sheet, source)))
  if (lost.length === 0) continue
  process.exitCode = 1
  process.stdout.write(`LOST ${file}: ${lost.map((name) => `.${name}`).join(', ')} not in the build\n`)
}
