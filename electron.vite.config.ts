import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

const ROOM = path.resolve(import.meta.dirname, 'renderer')

/** The part of the bundler's knowledge that tells what a module waits for. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** A module and all that it imports. */
function reachedFrom(start: string, modules: Modules): ReadonlySet<string> {
  const reached = new Set([start])
  // A set that is added to while it is gone through goes on with what was added.
  for (const id of reached) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) reached.add(next)
  return reached
}

/** Chunks in the order in which they are loaded, by the module that each is for: each holds what none before it has. */
const LOADED = { first: 'main.tsx', overview: 'screens/overview/index.tsx', opening: 'components/floating.tsx' }

/**
 * What the entry waits for is one chunk, what the Overview needs beyond it another, and so is what opens over them: in the
 * two dozen that the bundler makes of them, each compressed for itself, they are 13 kB larger.
 */
function firstScreen(): (id: string, modules: Modules) => string | null {
  let chunks: readonly (readonly [string, ReadonlySet<string>])[] | undefined
  return (id, modules) => {
    chunks ??= Object.entries(LOADED).map(([name, start]) => [name, reachedFrom(path.join(ROOM, start), modules)])
    return chunks.find(([, ids]) => ids.has(id))?.[0] ?? null
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const CLASS = /\.([a-z][\w-]*)/gi

const shortNames = new Map<string, string>()

/** A letter or two for a class of a stylesheet, in place of twenty characters that do not compress. */
function shortClass(name: string, file: string): string {
  const owner = `${path.relative(ROOM, file)} ${name}`
  const known = shortNames.get(owner)
  if (known !== undefined) return known
  let short = ''
  for (let left = shortNames.size; left > 0 || short === ''; left = Math.floor(left / LETTERS.length))
    short = LETTERS.charAt(left % LETTERS.length) + short
  shortNames.set(owner, short)
  return short
}

// The order in which stylesheets are read differs from build to build; that of their names does not.
for (const file of globSync('**/*.module.css', { cwd: ROOM }).toSorted()) {
  const sheet = path.join(ROOM, file)
  for (const [, name = ''] of readFileSync(sheet, 'utf8').matchAll(CLASS)) shortClass(name, sheet)
}

const UNUSED = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$|\/d3-time(?:-format)?\.mjs$/

/**
 * zod can write each of its schemas as a JSON schema, and Recharts can scale by the calendar. The page never does, and is
 * 10 kB smaller without.
 */
const withoutUnused: Plugin = {
  name: 'without-unused',
  transform(code, id) {
    if (!UNUSED.test(id)) return undefined
    const exported = code.matchAll(/^export (?:(?:function|const) (\w+)|\{(.*)\})/gm)
    const names = Array.from(exported, ([, name, list = '']) => name ?? list.replaceAll(/\w+ as /g, ''))
    const lines = names.flatMap((list) => list.split(',')).map((name) => `export const ${name} = none\n`)
    return { code: `const none = () => none\n${lines.join('')}`, map: null }
  },
}

const READ_FILE = /readFileSync\(\s*new URL\('([^']+)', import\.meta\.url\),\s*'(utf8|base64)',?\s*\)/g

/** What a module reads of the sources is in its build, which has none of them beside it. */
const withFiles: Plugin = {
  name: 'with-files',
  enforce: 'pre',
  transform(code, id) {
    const text = code.replaceAll(READ_FILE, (_call, file: string, encoding: BufferEncoding) =>
      JSON.stringify(readFileSync(path.resolve(path.dirname(id), file), encoding)),
    )
    return text === code ? undefined : { code: text, map: null }
  },
}

/** Notes the packages whose code a build took: main/bootstrap/bill.mjs lists them with their licences. */
const noteOfPackages = (build: string): Plugin => ({
  name: 'note-of-packages',
  writeBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
    )
    const folders = modules.flatMap(
      (id) => /(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [],
    )
    mkdirSync('out', { recursive: true })
    writeFileSync(`out/packages-${build}.json`, JSON.stringify([...new Set(folders)]))
  },
})

// Everything is bundled, so that the packaged application holds no node_modules.
export default defineConfig({
  main: {
    plugins: [withFiles, noteOfPackages('main')],
    build: {
      target: 'node24',
      outDir: 'out/main',
      externalizeDeps: false,
      sourcemap: true,
      rolldownOptions: {
        input: {
          index: 'main/electron/index.ts',
          cli: 'main/cli/main.ts',
          thread: 'main/threads/thread.ts',
          whatif: 'main/threads/whatIfThread.ts',
        },
      },
    },
  },
  preload: {
    plugins: [noteOfPackages('preload')],
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      // A sandboxed preload must be one CommonJS file.
      rolldownOptions: {
        input: { index: 'main/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react(), withoutUnused, noteOfPackages('renderer')],
    css: { modules: { generateScopedName: shortClass } },
    build: {
      target: 'chrome140',
      // electron-vite does not minify by default; test/pageSize.ts holds the budgets.
      minify: true,
      // The first chunk is meant to be one; its size is checked there too.
      chunkSizeWarningLimit: 1_000,
      outDir: 'out/renderer',
      rolldownOptions: {
        input: 'renderer/index.html',
        output: {
          codeSplitting: {
            groups: [
              { name: firstScreen(), debugName: 'first screen', priority: 2 },
              // What several of the other screens use; the draft, which is loaded after the first screen, brings it.
              { name: 'shared', test: /\/(?:core|renderer)\//, minShareCount: 2, priority: 1 },
            ],
          },
        },
      },
    },
  },
})
