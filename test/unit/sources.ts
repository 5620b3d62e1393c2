import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/** What the checks of the house read: files of the repository, by their paths within it. */
export const ROOT = join(import.meta.dirname, '../..')

export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

export const filesOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: ROOT }).map((file) => file.split(sep).join('/'))

/** The modules of the product, without tests and without what tests alone are made of. */
export const PRODUCT = filesOf('{core,main,renderer}/**/*.{ts,tsx,mjs}').filter(
  (file) => !/\.(?:test|fixture)\.tsx?$|\.d\.ts$/.test(file),
)

export interface Import {
  /** Path of a file within the repository. */
  readonly from: string
  readonly to: string
}

/** `import … from`, `export … from`, `import '…'` and `import('…')`, of types too. */
const IMPORT = /^(?:import|export)\b[^'"]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/gm

export const importsIn = (from: string, text: string): Import[] =>
  Array.from(text.matchAll(IMPORT), ([, named, bare, called]) => ({
    from,
    to: posix.join(posix.dirname(from), named ?? bare ?? called ?? ''),
  }))

/** What these files import of the repository's own modules and stylesheets. */
export const importsOf = (files: readonly string[]): Import[] =>
  files.flatMap((file) => importsIn(file, textOf(file))).filter(({ to }) => /\.(?:tsx?|mjs|css)$/.test(to))
