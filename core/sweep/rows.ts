import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { PointResultSchema, SweepHeaderSchema, type PointResult, type SweepHeader } from '../contract/sweep.ts'
import { jsonText, parseJson } from '../text/text.ts'
import { pointCount } from './points.ts'
import { resultName, settingName, type SweepBase, type SweepPlan } from './sweep.ts'

export function headerOf(plan: SweepPlan, base: SweepBase): SweepHeader {
  const { name, parameters, search, results } = plan
  const text = jsonText({ parameters, search, results, base })
  return {
    sweep: name,
    fingerprint: bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32),
    points: pointCount(plan),
    parameters: parameters.map(settingName),
    results: results.map(resultName),
  }
}

/** A header or a row as a line of NDJSON. */
export const lineOf = (value: SweepHeader | PointResult): string => `${jsonText(value)}\n`

/** The lines of one or several shards, in any order. */
export interface ReadRows {
  /** `undefined` for a text without one. */
  readonly header: SweepHeader | undefined
  /** Each point once, in order of number. */
  readonly rows: readonly PointResult[]
  /** Characters up to the end of the last complete line: any text after it is an unfinished line. */
  readonly whole: number
}

/** Reads lines of results, or returns a sentence that names the invalid line. */
export function readRows(text: string, file: string): ReadRows | string {
  const whole = text.lastIndexOf('\n') + 1
  const rows = new Map<number, PointResult>()
  let header: SweepHeader | undefined
  for (const [index, line] of text.slice(0, whole).split('\n').entries()) {
    // Logs of pods also contain the console's messages to people.
    if (line.trim() === '' || line.startsWith('apf-console: ')) continue
    const value = parseJson(line)
    const asHeader = SweepHeaderSchema.safeParse(value)
    if (asHeader.success) {
      if (header !== undefined && header.fingerprint !== asHeader.data.fingerprint) return another(file, index + 1)
      header ??= asHeader.data
      continue
    }
    const row = PointResultSchema.safeParse(value)
    const fits = row.success && (row.data.results !== undefined) !== (row.data.problem !== undefined)
    if (!fits) return `${file}:${index + 1}: not a line of sweep results. Remove the line, or give another file.`
    if (header === undefined) return `${file}:${index + 1}: a point precedes the header of its sweep.`
    if (
      row.data.point >= header.points ||
      row.data.values.length !== header.parameters.length ||
      (row.data.results ?? header.results).length !== header.results.length
    )
      return `${file}:${index + 1}: the point does not fit the header of the file.`
    rows.set(row.data.point, row.data)
  }
  return { header, rows: [...rows.values()].toSorted((a, b) => a.point - b.point), whole }
}

const another = (file: string, line: number): string =>
  `${file}:${line}: these results belong to another sweep or another version of it. Merge only files of one sweep.`
