import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.join(import.meta.dirname, '../../assets/scenarios')

/** The files of the scenario library, with their texts. */
export const scenarioTexts: readonly { readonly file: string; readonly text: string }[] = readdirSync(FOLDER).map(
  (file) => ({ file, text: readFileSync(path.join(FOLDER, file), 'utf8') }),
)
