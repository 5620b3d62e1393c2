import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'

const RENDERER = join(import.meta.dirname, '../../renderer')

interface Import {
  readonly from: string
  readonly to: string
}

/** Imports between files of the renderer's product code, as paths within it. */
const imports: readonly Import[] = globSync('**/*.{ts,tsx}', { cwd: RENDERER })
  .filter((file) => !/\.(test|fixture)\.tsx?$/.test(file))
  .flatMap((file) => {
    const text = readFileSync(join(RENDERER, file), 'utf8')
    const targets = Array.from(text.matchAll(/\b(?:from|import)[ (]+'(\.[^']+)'/g), ([, target = '']) => target)
    return targets.map((target) => ({
      from: file.split(sep).join('/'),
      to: relative(RENDERER, join(RENDERER, dirname(file), target))
        .split(sep)
        .join('/'),
    }))
  })

const screenOf = (path: string): string | undefined => /^screens\/([^/]+)\//.exec(path)?.[1]

test('a screen knows another one by its door only', () => {
  expect(imports.length).toBeGreaterThan(500)
  const across = imports.filter(({ from, to }) => {
    const [own, other] = [screenOf(from), screenOf(to)]
    return own !== undefined && other !== undefined && own !== other && to !== `screens/${other}/index.tsx`
  })
  expect(across).toEqual([])
})

test('what screens share knows no screen, and not the shell', () => {
  const upwards = imports.filter(
    ({ from, to }) => /^(?:state|components|charts|theme)\//.test(from) && /^(?:screens|app)\//.test(to),
  )
  expect(upwards).toEqual([])
})
