import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const EXTENSION = '.yaml'

/** Situations, checks, and etcd scenarios. */
const LETTERS = 'STQ'
const placeOf = (name: string): number => LETTERS.indexOf(name.slice(0, 1))

/** Names of the built-in scenarios, by kind and number. */
export async function scenarioNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.localeCompare(b, 'en', { numeric: true }))
}

/** The file of a name that `scenarioNames` returned. */
export const fileOfScenario = (folder: string, name: string): string => join(folder, `${name}${EXTENSION}`)
