import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const EXTENSION = '.yaml'

/** Names of the built-in scenarios, in the order of their numbers. */
export async function scenarioNames(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** Of a name that `scenarioNames` gave. */
export const fileOfScenario = (folder: string, name: string): string => join(folder, `${name}${EXTENSION}`)
