import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, importsOf, PRODUCT, textOf, type Import } from './sources.ts'

/** Lines of a text that match the pattern, as `file:line: text`. */
function linesWith(pattern: RegExp, file: string, text = textOf(file)): string[] {
  return text.split('\n').flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []))
}

const RENDERER = PRODUCT.filter((file) => file.startsWith('renderer/') && !file.startsWith('renderer/theme/'))
const STYLES = filesOf('renderer/**/*.css').filter((file) => !/theme\/(?:tokens|fonts)\.css$/.test(file))

const STYLED_SIZE = /\bfont-size:(?! (?:var\(--fs-|inherit))|\bfont:(?! inherit|.*var\(--fs-)/
const INLINE_SIZE =
  /\bfont(?:Size)?['"]?\s*[:=][^,;]*?\b\d+(?:\.\d+)?(?:px|r?em|pt|%)|\bfontSize['"]?\s*[:=]\s*[{'"]*\d/
const COLOUR = /#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(/i
const NAMED_COLOUR =
  /:[^;]*(?<![-\w])(?:white|black|gr[ae]y|red|green|blue|yellow|orange|purple|pink|brown|cyan|magenta)(?![-\w(])/i

test('texts have the sizes of the theme, of which there are at most seven', () => {
  const sizes = [...textOf('renderer/theme/tokens.css').matchAll(/--fs-[\d-]+: [\d.]+px/g)]
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.length).toBeLessThanOrEqual(7)
  expect(STYLES.flatMap((file) => linesWith(STYLED_SIZE, file))).toEqual([])
  expect(RENDERER.flatMap((file) => linesWith(INLINE_SIZE, file))).toEqual([])
})

test('colours have the names that the theme gives them', () => {
  expect([...STYLES, ...RENDERER].flatMap((file) => linesWith(COLOUR, file))).toEqual([])
  expect(STYLES.flatMap((file) => linesWith(NAMED_COLOUR, file))).toEqual([])
})

test('the light theme changes colours alone: one theme shows whether a page is whole at a size', () => {
  const blocks = filesOf('renderer/**/*.css').flatMap((file) =>
    Array.from(textOf(file).matchAll(/data-theme='?light[^{}]*\{([^{}]*)\}/g), ([, block = '']) => block),
  )
  expect(blocks.length).toBeGreaterThan(0)
  const declared = blocks.flatMap((block) => block.replaceAll(/\/\*.*?\*\//gs, '').split(';'))
  const isColour = /^(?:--[\w-]+: #[\da-f]{6}|color-scheme: light|(?:background|(?:border-)?color): var\(--[\w-]+\)|)$/
  expect(declared.map((one) => one.trim()).filter((one) => !isColour.test(one))).toEqual([])
  expect(filesOf('renderer/**/*.css').filter((file) => textOf(file).includes('prefers-color-scheme'))).toEqual([])
})

test('every token that a stylesheet reads is set by one', () => {
  const sheets = filesOf('renderer/**/*.css')
    .map((file) => textOf(file))
    .join('\n')
  const tokens = (pattern: RegExp) => Array.from(sheets.matchAll(pattern), ([, name]) => name)
  const set = new Set(tokens(/(--[\w-]+):/g))
  expect(tokens(/var\((--[\w-]+)/g).filter((name) => !set.has(name))).toEqual([])
})

/** Names of classes that a module uses but its stylesheet does not define, as `file: name`. */
function withoutStyle(file: string): string[] {
  const text = textOf(file)
  return Array.from(text.matchAll(/^import (\w+) from '(\.[^']+\.module\.css)'/gm)).flatMap(([, name, path = '']) => {
    const sheet = textOf(posix.join(posix.dirname(file), path))
    const asked = Array.from(text.matchAll(new RegExp(`\\b${name}\\['([\\w-]+)'\\]`, 'g')), ([, asks = '']) => asks)
    return asked.filter((asks) => !new RegExp(`\\.${asks}(?![\\w-])`).test(sheet)).map((asks) => `${file}: ${asks}`)
  })
}

test('every class that is asked for is in its stylesheet', () => {
  expect(RENDERER.flatMap(withoutStyle)).toEqual([])
})

const MODULES = STYLES.filter((file) => file.endsWith('.module.css'))
const COMPOSED = /composes: ([\w\s-]+) from global;/g
const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')
/** The classes that a stylesheet has rules for. */
const classesOf = (file: string): readonly string[] =>
  Array.from(
    textOf(file)
      .replaceAll(/\/\*[^]*?\*\/|\{[^{}]*\}/g, ' ')
      .matchAll(/\.([a-z][\w-]*)/gi),
    ([, name = '']) => name,
  )

test('every class of a stylesheet is asked for', () => {
  const product = PRODUCT.map((file) => textOf(file)).join('\n')
  const unused = MODULES.flatMap((sheet) => {
    const users = RENDERER.filter((file) =>
      Array.from(textOf(file).matchAll(/from '(\.[^']+\.module\.css)'/g)).some(
        ([, path = '']) => posix.join(posix.dirname(file), path) === sheet,
      ),
    )
    const text = users.map((file) => textOf(file)).join('\n')
    // A class that a state names, as in `styles[state]`, is a word of the code that has the state.
    const isComputed = /\w\[(?:`|[a-z]\w*[\].( ])/.test(text)
    return [...new Set(classesOf(sheet))]
      .filter((name) => !text.includes(`['${name}']`))
      .filter((name) => !isComputed || !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(product))
      .map((name) => `${sheet}: ${name}`)
  })
  expect(unused).toEqual([])
})

test('what stylesheets and elements are composed of is in the theme, and nothing there is left over', () => {
  const layout = classesOf('renderer/theme/layout.css')
  const shared = new Set([...layout, ...classesOf('renderer/theme/global.css')])
  const composed = MODULES.flatMap((file) =>
    Array.from(textOf(file).matchAll(COMPOSED)).flatMap(([, names = '']) => words(names)),
  )
  const screens = RENDERER.filter((file) => !file.includes('.test.')).map((file) => textOf(file))
  const named = screens.flatMap((text) =>
    Array.from(text.matchAll(/className=(?:"([^"]*)"|\{`((?:\$\{[^}]*\}|[^`$])*)`\})/g)).flatMap(
      ([, plain, mixed = '']) => words(plain ?? mixed.replaceAll(/\$\{[^}]*\}/g, ' ')),
    ),
  )
  expect([...composed, ...named].filter((name) => !shared.has(name) && !name.startsWith('cm-'))).toEqual([])
  const quoted = screens.flatMap((text) =>
    Array.from(text.matchAll(/['"`}]([\w\s-]+)['"`$]/g)).flatMap(([, part = '']) => words(part)),
  )
  const used = new Set([...composed, ...quoted])
  expect(layout.filter((name) => !used.has(name))).toEqual([])
})

test('in the etcd proxy one module owns HTTP/2: events of Node come in any order, and its operations throw', () => {
  const users = PRODUCT.filter((file) => file.startsWith('main/etcd/') && /from 'node:http2'/.test(textOf(file)))
  expect(users.filter((file) => !file.endsWith('.test.ts'))).toEqual(['main/etcd/http2.ts'])
})

/** Where a component subscribes to a whole store rather than a part of it, and why. */
const WHOLE_STORES: Readonly<Record<string, string>> = {
  'renderer/state/connection.ts': 'changes when the source does, and its parts together',
  'renderer/state/draftBase.ts': 'what is drafted upon is computed from all of both stores',
  'renderer/state/requestTests.ts': 'the saved table and its state change together',
  'renderer/state/route.ts': 'the address changes when a page is opened, and its parts together',
  'renderer/state/selection.ts': 'changes when a person chooses a server or a level',
  'renderer/state/settings.ts': 'changes when a person changes a setting',
  'renderer/state/view.ts': 'the hook whose callers follow below',
  'renderer/app/Sidebar.tsx': 'the roster shows the server, what is derived of it and the mode',
  'renderer/app/SourceSwitcher.tsx': 'the list shows every server of the frame',
  'renderer/app/StatusBar.tsx': 'the countdown needs the frame, the server and the mode',
  'renderer/app/TopBar.tsx': 'the badge shows mode, age and number of held frames',
  'renderer/screens/overview/index.tsx': 'the Overview shows the view',
  'renderer/screens/editor/draft/ApplyBar.tsx': 'the steps depend on every part of an application',
  'renderer/screens/editor/draft/Aside.tsx': 'the outcome shows dry run, application and problem',
  'renderer/screens/classify/request/RequestColumn.tsx': 'the form shows the request in each of its ways',
  'renderer/screens/classify/request/RequestPage.tsx': 'the answer is about all that is asked',
}
const WHOLE_STORE = /\b\w*[sS]tore\(\)|\buseView\(\)/

test('a whole store is followed only where the whole of it is shown', () => {
  const followers = RENDERER.filter((file) => linesWith(WHOLE_STORE, file).length > 0)
  expect(followers.toSorted()).toEqual(Object.keys(WHOLE_STORES).toSorted())
  // A store under another name would go unseen.
  expect(RENDERER.flatMap((file) => linesWith(/(?<![sS]tore) = create[<(]/, file))).toEqual([])
})

/** Modules that no way of imports leads to from where the product starts. */
function unreached(files: readonly string[], imports: readonly Import[], entries: Iterable<string>): string[] {
  const next = Map.groupBy(imports, ({ from }) => from)
  const seen = new Set(entries)
  // A set that is added to while it is gone through goes on with what was added.
  for (const file of seen) for (const { to } of next.get(file) ?? []) seen.add(to)
  return files.filter((file) => !seen.has(file))
}

test('no module of the product is there for tests alone', () => {
  const { entry } = JSON.parse(textOf('knip.json')) as { readonly entry: readonly string[] }
  const entries = entry.filter((pattern) => pattern.endsWith('!')).flatMap((pattern) => filesOf(pattern.slice(0, -1)))
  expect(entries.length).toBeGreaterThan(4)
  expect(unreached(PRODUCT, importsOf(PRODUCT), entries)).toEqual([])
})

/** Lines of properties that leave early: such a run counts as passed, where `fc.pre` draws another one. */
function earlyExits(file: string, text = textOf(file)): string[] {
  const lines = text.split('\n')
  const depth = (line: string): number => line.search(/\S|$/)
  return lines.flatMap((opening, start) => {
    if (!/\bfc\.(?:property|asyncProperty)\(/.test(opening)) return []
    // Prettier indents a property deeper than the line that it begins in.
    const length = lines.slice(start + 1).findIndex((line) => line !== '' && depth(line) <= depth(opening))
    return lines.slice(start, start + 1 + length).flatMap((line, i) => {
      const leaves = /\breturn;?(?: \}.*)?$|\bif \(.*\) return true\b/.test(line)
      return leaves && !/^\s*(?:\/\/|\*)/.test(line) ? [`${file}:${start + i + 1}: ${line.trim()}`] : []
    })
  })
}

test('properties ask for other cases by fc.pre, and do not leave early', () => {
  const tests = filesOf('{core,main,renderer,test}/**/*.{ts,tsx}').filter((file) => file !== 'test/unit/house.test.ts')
  const properties = tests.filter((file) => textOf(file).includes('fc.assert('))
  expect(properties.length).toBeGreaterThan(100)
  expect(properties.flatMap((file) => earlyExits(file))).toEqual([])
})

const PRINTED = /\.to(?:Fixed|Precision|LocaleString)\(/
/** A time that a program writes, in a sentence. */
const MACHINE_TIME = /message: `[^`]*\$\{(?:rfc3339|new Date)\(/
const PLURAL = /=== 1 \? '[^']*' : '|\? '' : 's'/
/** Whole clauses by number; `plural` chooses them too. */
const CLAUSES = /(?:length|\b\w+s) === 1 \? (?:'[^']*'|`[^`]*`) : `/
/** Where another count or a name decides: these may be mended, and no file joins them. */
const CLAUSES_LEFT = [
  'main/sources/run/story.ts',
  'renderer/screens/level/LevelHeader.tsx',
  'renderer/screens/level/QueuesPane.tsx',
  'renderer/screens/overview/nowLine.ts',
]

test('numbers, times and counts become text in core/text alone', () => {
  const others = PRODUCT.filter((file) => !file.startsWith('core/text/'))
  expect(
    others.flatMap((file) => [
      ...linesWith(PRINTED, file),
      ...linesWith(PLURAL, file),
      ...linesWith(MACHINE_TIME, file),
    ]),
  ).toEqual([])
})

test('a clause is chosen by a number in plural alone', () => {
  const others = PRODUCT.filter((file) => !file.startsWith('core/text/') && linesWith(CLAUSES, file).length > 0)
  expect(others.filter((file) => !CLAUSES_LEFT.includes(file))).toEqual([])
})

/** Wording that command line and reports cannot use yet. */
const WORDING_LEFT = [
  'renderer/screens/editor/journal/journal.text.ts',
  'renderer/screens/live/sentence.ts',
  'renderer/theme/gapWords.ts',
]

test('answers are worded in core: no file of words joins those left in renderer', () => {
  const wording = PRODUCT.filter((file) => /^renderer\/.*(?:text|[wW]ords|sentence)\.ts$/.test(file))
  expect(wording.toSorted()).toEqual(WORDING_LEFT)
})

test('what a subject says is printed by a command and by a screen', () => {
  const presented = filesOf('core/*/present*.ts').filter((file) => !file.endsWith('.test.ts'))
  expect(presented.length).toBeGreaterThan(10)
  const users = Map.groupBy(importsOf(PRODUCT), ({ to }) => to)
  const prints = (house: string, file: string): boolean =>
    users.get(file)?.some(({ from }) => from.startsWith(house)) === true
  expect(presented.filter((file) => !prints('main/cli/', file) || !prints('renderer/', file))).toEqual([])
})

/** The present numbers; each may only fall. */
const MOST_LINES_OF_CORE_IN_RENDERER = 4_243
const MOST_NAMES_EXPORTED_TWICE = 237

/** A module of the renderer that knows only `core`, and how the screen writes numbers: it could be in `core`. */
function knowsOnlyCore(file: string): boolean {
  const imports = Array.from(textOf(file).matchAll(/\bfrom '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'/gm))
  const paths = imports.map(([, from, bare, called]) => posix.join(posix.dirname(file), from ?? bare ?? called ?? ''))
  return (
    paths.some((path) => path.startsWith('core/')) &&
    paths.every((path) => path.startsWith('core/') || path === 'renderer/theme/format.ts')
  )
}

test('no more lines of the renderer know only core', () => {
  const lines = PRODUCT.filter((file) => file.startsWith('renderer/') && knowsOnlyCore(file)).map(
    (file) => textOf(file).split('\n').length - 1,
  )
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_LINES_OF_CORE_IN_RENDERER)
})

test('no more names are exported twice', () => {
  const EXPORTED = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm
  const names = PRODUCT.flatMap((file) => [...new Set(Array.from(textOf(file).matchAll(EXPORTED), ([, name]) => name))])
  const twice = [...Map.groupBy(names, (name) => name)].filter(([, all]) => all.length > 1)
  expect(twice.length).toBeLessThanOrEqual(MOST_NAMES_EXPORTED_TWICE)
})

/** Commands whose tables no screen and no report shows: they hand texts instead of cells to the printer. */
const TEXT_TABLES_LEFT = [
  'main/cli/draftObjects.ts',
  'main/cli/permissions.ts',
  'main/cli/qos.ts',
  'main/cli/qosManage.ts',
  'main/cli/recordings.ts',
  'main/cli/simulate.ts',
  'main/cli/simulateSteps.ts',
  'main/cli/sweepOutput.ts',
]

test('tables of text are set in main/cli/print alone', () => {
  const others = PRODUCT.filter((file) => file.startsWith('main/') && !file.startsWith('main/cli/print/'))
  expect(others.flatMap((file) => linesWith(/\.pad(?:Start|End)\(.*[wW]idth/, file))).toEqual([])
  expect(others.filter((file) => linesWith(/\btextTable\(/, file).length > 0).toSorted()).toEqual(TEXT_TABLES_LEFT)
})

/** A call has room for some 100,000 arguments: fewer than a list from a file, a cluster or a recording may have. */
const SPREAD_LIST = /\.(?:push|unshift|fromCharCode|fromCodePoint)\((?:[^(){}]*, )?\.\.\.(?!bytes\.subarray\()/
const SPREAD_MOST =
  /\bMath\.(?:max|min)\((?:[^(){}]*, )?\.\.\..*\b(?:flatMap|places?|segments|samples|rows|events|frames)\b/

test('lists of any length are no arguments of a call', () => {
  const product = PRODUCT.filter((file) => !file.startsWith('renderer/'))
  expect(PRODUCT.flatMap((file) => linesWith(SPREAD_LIST, file))).toEqual([])
  expect(product.flatMap((file) => linesWith(SPREAD_MOST, file))).toEqual([])
})

test('each breach is found, and nothing else', () => {
  const spreads = ['a.push(...b)', 'a.unshift(1, ...b)', 'String.fromCodePoint(...points)']
  expect(spreads.filter((line) => !SPREAD_LIST.test(line))).toEqual([])
  const unspread = [
    'a.push({ ...b })',
    'a.push(f({ ...b }))',
    'fromCharCode(...bytes.subarray(0, 9))',
    'a.push([...b])',
  ]
  expect(unspread.filter((line) => SPREAD_LIST.test(line))).toEqual([])
  expect(SPREAD_MOST.test('Math.max(0, ...places.map((place) => place.last))')).toBe(true)
  const sizes = ['font-size: 11px;', 'font: 600 1rem/1.2 x;', 'font-size: 0;', 'font-size: 90%;']
  expect(sizes.filter((line) => !STYLED_SIZE.test(line))).toEqual([])
  const tokens = [
    'font-size: var(--fs-12);',
    'font: 600 var(--fs-12) / 1.2 x;',
    'font: inherit;',
    'font-size: inherit;',
  ]
  expect(tokens.filter((line) => STYLED_SIZE.test(line))).toEqual([])
  const inline = ["fontSize: '11px'", '<text fontSize={11}>', 'fontSize: 11', 'font: `600 13px ${family}`']
  expect(inline.filter((line) => !INLINE_SIZE.test(line))).toEqual([])
  expect(INLINE_SIZE.test("fontSize: 'var(--fs-11)', padding: '2px'")).toBe(false)
  expect(['#fff', 'rgb(0 0 0)', '#a1B2c3d4', 'hsla(1, 2%, 3%)'].filter((colour) => !COLOUR.test(colour))).toEqual([])
  expect(['#/level', 'color-mix(in srgb, var(--text))', 'url(#clip)'].filter((text) => COLOUR.test(text))).toEqual([])
  expect(NAMED_COLOUR.test('  border: 1px solid white;')).toBe(true)
  expect(NAMED_COLOUR.test('  white-space: nowrap; color: var(--sem-red);')).toBe(false)
  expect(WHOLE_STORE.test('const { a } = requestStore()')).toBe(true)
  expect(WHOLE_STORE.test('requestStore(({ a }) => a); requestStore.getState()')).toBe(false)
  const imports = [
    { from: 'a', to: 'b' },
    { from: 'c', to: 'd' },
  ]
  expect(unreached(['a', 'b', 'c', 'd'], imports, ['a'])).toEqual(['c', 'd'])
  const property = (line: string): string => `  fc.property(x, (x) => {\n    ${line}\n  }),\n  return\n`
  const leaving = ['if (a) return', 'if (a) { return }', 'return', 'if (a) return true']
  expect(leaving.filter((line) => earlyExits('x', property(line)).length !== 1)).toEqual([])
  expect(
    ['fc.pre(a)', 'return a', 'if (a) return b'].filter((line) => earlyExits('x', property(line)).length > 0),
  ).toEqual([])
})

test('figures are tabular in columns alone, and nothing that is copied has ligatures', () => {
  const everywhere = /(?:^|[},]\s*)(?:\*|html|body|:root)\s*(?:,[^{}]*)?\{[^}]*tabular-nums/
  expect(STYLES.filter((file) => everywhere.test(textOf(file)))).toEqual([])
  expect(STYLES.filter((file) => textOf(file).includes('font-feature-settings'))).toEqual(['renderer/theme/global.css'])
  expect(textOf('renderer/theme/global.css')).toMatch(
    /\*[^{}]*\{[^}]*font-feature-settings:\s*'calt' 0,[^;]*!important/,
  )
})
