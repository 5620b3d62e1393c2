// `npm run package:headlamp`: the plugin for Headlamp, in dist/headlamp-plugin. One file of code, as Headlamp requires, with
// two more inside: the page of its frame, and the thread of that page (docs/headlamp.md).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { root } from './runtime.mjs'

const TARGET = 'chrome140'
/** Headlamp accepts plugins that name the version of its library with which they were built. */
const LIBRARY = { '@kinvolk/headlamp-plugin': '^0.14.0' }

/**
 * What one entry is built to: a script, and a stylesheet where it has one.
 * @param {string} entry
 * @param {'iife' | 'es'} format
 * @param {Readonly<Record<string, string>>} given constants of the code
 */
async function bundle(entry, format, given = {}) {
  const define = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, JSON.stringify(value)]))
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    define: { ...define, 'process.env.NODE_ENV': '"production"' },
    build: {
      target: TARGET,
      write: false,
      minify: true,
      cssCodeSplit: false,
      // The page has no address of its own to load anything from.
      assetsInlineLimit: Number.POSITIVE_INFINITY,
      modulePreload: false,
      rolldownOptions: {
        input: path.join(root, entry),
        output: { format, codeSplitting: false },
      },
    },
  })
  const files = [built].flat().flatMap((result) => ('output' in result ? result.output : []))
  const script = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n')
  const sheets = files.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? [Buffer.from(file.source).toString()] : [],
  )
  return { script, style: sheets.join('\n') }
}

const { name, version, description, license, author } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
)
const thread = await bundle('main/headlamp/worker.ts', 'iife')
const page = await bundle('renderer/headlamp/page.tsx', 'es', {
  APF_THREAD: thread.script,
  APF_VERSION: version,
})
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>APF Console</title>
    <style>${page.style.replaceAll('</style', String.raw`<\/style`)}</style>
  </head>
  <body>
    <div id="root"></div>
    <script type="module">${page.script.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`)}</script>
  </body>
</html>
`
const plugin = await bundle('renderer/headlamp/plugin.ts', 'iife', { APF_PAGE: html })

const folder = process.argv[2] ?? path.join(root, 'dist', 'headlamp-plugin')
mkdirSync(folder, { recursive: true })
writeFileSync(path.join(folder, 'main.js'), plugin.script)
writeFileSync(
  path.join(folder, 'package.json'),
  `${JSON.stringify({ name: `${name}-headlamp`, version, description, license, author, main: 'main.js', devDependencies: LIBRARY }, null, 2)}\n`,
)
