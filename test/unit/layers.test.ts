import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn, importsOf, PRODUCT, ROOT, textOf, type Import } from './sources.ts'

const imports = importsOf(PRODUCT)

/**
 * The rooms from the ground up: a room imports only from rooms above it in this list, type imports included. The two
 * houses below the first do not import each other: `main` imports from `core` and `main`, `renderer` from `core` and
 * `renderer`. docs/architecture.md has a row for each room, in this order.
 */
const ROOMS = [
  // What is true without a computer around it. `core` itself stands for the files directly in it.
  'core',
  'core/text',
  'core/glossary',
  'core/answer', // what is said of a subject, for screens, terminal and reports
  'core/filter',
  'core/frame', // what a source reports, and what follows from two reports
  'core/history', // what many frames leave behind
  'core/metrics', // pages and dumps → frames
  'core/prom', // queries, and answers as pages
  'core/config', // the two kinds of objects
  'core/manifest',
  'core/request', // what flow control reads of a request
  'core/engine', // one server's flow control
  'core/sharding',
  'core/contract', // what crosses the process boundary
  'core/run', // the driver of engines
  'core/classify',
  'core/kep', // objects of an earlier design
  'core/impact',
  'core/guard',
  'core/drift',
  'core/fleet', // many sources side by side
  'core/compare', // two periods side by side
  'core/draft',
  'core/live',
  'core/source', // what every source emits, and what that adds up to
  'core/verdict', // what is wrong now, in the words of every surface
  'core/report', // what a recording shows of an incident
  'core/alerts', // rules on frames, and the same for Prometheus
  'core/simulate',
  'core/feeds',
  'core/qos', // limits in front of an etcd
  'core/whatif', // the same requests under several variants
  'core/twin', // a model of a server, fitted to its pages
  'core/diagnose', // why requests wait, are rejected or are slow
  'core/advice', // what to change, from what was used
  'core/scenario', // situations with verdicts
  'core/sweep', // the same situation with many settings
  'core/tune', // the settings that meet goals
  'core/conformance',

  // The Node side: what is shared, then what reaches out, then what serves people.
  'main/bootstrap',
  'main/ports', // the interfaces at which the rooms below meet
  'main/files',
  'main/listen', // what every listener needs
  'main/transport',
  'main/store',
  'main/recordings', // what sources emitted, on the disk
  'main/cluster',
  'main/feeds',
  'main/simulated',
  'main/live',
  'main/proxy',
  'main/etcd', // a proxy in front of an etcd
  'main/sources',
  'main/workspace', // the one owner of state
  'main/threads', // a connected source in a thread of its own
  'main/server',
  'main/preload',
  'main/headlamp', // in a page of Headlamp
  'main/cli',
  'main/electron',

  // The React side: what several screens share, the screens, the shell around them.
  'renderer/theme',
  'renderer/state',
  'renderer/components',
  'renderer/charts',
  'renderer/screens',
  'renderer/app',
  'renderer/headlamp', // the page in Headlamp, and the plugin that puts it there
  'renderer',
] as const

/** `core/engine` of `core/engine/queue.ts`, `core` of `core/units.ts`. */
const roomOf = (file: string): string => dirname(file).split('/').slice(0, 2).join('/')
const houseOf = (file: string): string => file.split('/', 1)[0] ?? ''

/** Imports that the order of rooms forbids, those of a room that it does not name among them. */
function againstOrder(all: readonly Import[]): string[] {
  const height = new Map<string, number>(ROOMS.map((room, index) => [room, index]))
  return all
    .filter(({ from, to }) => {
      const [own, other] = [height.get(roomOf(from)), height.get(roomOf(to))]
      if (own === undefined || other === undefined || other > own) return true
      return houseOf(to) !== 'core' && houseOf(to) !== houseOf(from)
    })
    .map(({ from, to }) => `${from} imports ${to}`)
}

/** Imports between places, files or their folders, that lead back to where they start. */
function inCycles(all: readonly Import[], placeOf: (file: string) => string): string[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of all) next.set(placeOf(from), (next.get(placeOf(from)) ?? new Set()).add(placeOf(to)))
  const reached = new Map([...next.keys()].map((start) => [start, reachableFrom(start, next)]))
  return all
    .filter(({ from, to }) => placeOf(from) !== placeOf(to) && reached.get(placeOf(to))?.has(placeOf(from)) === true)
    .map(({ from, to }) => `${from} imports ${to}`)
}

function reachableFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>()
  // A set that is added to while it is gone through goes on with what was added.
  for (const folder of next.get(start) ?? []) seen.add(folder)
  for (const folder of seen) for (const further of next.get(folder) ?? []) seen.add(further)
  return seen
}

test('every import keeps the order of the rooms', () => {
  expect(imports.length).toBeGreaterThan(3_000)
  expect(againstOrder(imports)).toEqual([])
})

test('no folder imports itself by way of others', () => {
  expect(inCycles(imports, dirname)).toEqual([])
})

test('no file imports itself by way of others, types included', () => {
  expect(inCycles(imports, (file) => file)).toEqual([])
})

test('a screen imports another one by its index.tsx only', () => {
  const screenOf = (path: string): string | undefined => /^renderer\/screens\/([^/]+)\//.exec(path)?.[1]
  const across = imports.filter(({ from, to }) => {
    const [own, other] = [screenOf(from), screenOf(to)]
    return own !== undefined && other !== undefined && own !== other && to !== `renderer/screens/${other}/index.tsx`
  })
  expect(across).toEqual([])
})

const LOADED = /^(?:import|export) (?!type )[^'"]*?from '([^']+)'|^import '([^']+)'/gm

/** What each module loads at once, packages included: neither types nor `import()`. */
const loads = (): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    PRODUCT.map((from) => {
      const named = Array.from(textOf(from).matchAll(LOADED), ([, source, bare]) => source ?? bare ?? '')
      return [from, new Set(named.map((to) => (to.startsWith('.') ? posix.join(dirname(from), to) : to)))]
    }),
  )

test('a command starts without engines and large packages, and so does web mode', () => {
  const late =
    /^(?:core\/(?:run|simulate|whatif|sweep|tune)\/|main\/sources\/|yaml$|prom-client$|@(?:peculiar|kubernetes)\/)/
  const next = loads()
  for (const start of ['main/cli/main.ts', 'main/cli/web.ts', 'main/threads/thread.ts']) {
    const loaded = [...reachableFrom(start, next)]
    expect(loaded.length).toBeGreaterThan(40)
    expect(loaded.filter((module) => late.test(module))).toEqual([])
  }
})

test('docs/architecture.md describes every room, in order', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `((?:core|main|renderer)\/[a-z]+)\/`/gm), ([, room]) => room)
  expect(rows).toEqual(ROOMS.filter((room) => room.includes('/')))
})

test('imports of every form count, and each breach is found', () => {
  const text = `import type { A } from '../engine/a.ts'
import {
  type B,
} from '../engine/b.ts'
import './c.ts'
export { D } from './d.ts'
export * from './e.ts'
const f = await import('../engine/f.ts')
type G = import('../engine/g.ts').G
export const from = 'nowhere'
`
  const found = importsIn('core/frame/x.ts', text)
  expect(found.map(({ to }) => posix.basename(to, '.ts')).join('')).toBe('abcdefg')
  expect(againstOrder(found)).toHaveLength(4)
  expect(
    againstOrder([
      { from: 'renderer/app/x.ts', to: 'main/cli/y.ts' },
      { from: 'main/cli/x.ts', to: 'core/nameless/y.ts' },
      { from: 'main/cli/x.ts', to: 'core/engine/y.ts' },
    ]),
  ).toEqual(['renderer/app/x.ts imports main/cli/y.ts', 'main/cli/x.ts imports core/nameless/y.ts'])
  const through = [
    { from: 'a/x.ts', to: 'a/b/y.ts' },
    { from: 'a/b/y.ts', to: 'c/z.ts' },
    { from: 'c/z.ts', to: 'a/w.ts' },
    { from: 'c/z.ts', to: 'd/w.ts' },
  ]
  expect(inCycles(through, dirname)).toEqual([
    'a/x.ts imports a/b/y.ts',
    'a/b/y.ts imports c/z.ts',
    'c/z.ts imports a/w.ts',
  ])
  expect(inCycles(through, (file) => file)).toEqual([])
  const back = [
    { from: 'a/x.ts', to: 'a/y.ts' },
    { from: 'a/y.ts', to: 'a/x.ts' },
  ]
  expect(inCycles(back, (file) => file)).toEqual(['a/x.ts imports a/y.ts', 'a/y.ts imports a/x.ts'])
})
