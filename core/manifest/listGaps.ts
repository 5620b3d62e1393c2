import { sameJson, type JsonList } from './json.ts'

/** Entries `from` to `to` of one list stand where the other has `wantedFrom` to `wantedTo`; the ends are not included. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly wantedFrom: number
  readonly wantedTo: number
}

/** More comparisons than this, and only what two lists share at their ends counts. */
const MOST_COMPARISONS = 40_000

/** Where two lists differ, when as many entries as possible stay (a longest common subsequence). */
export function gapsBetween(current: JsonList, wanted: JsonList): readonly Gap[] {
  const same = (i: number, j: number): boolean => sameJson(current[i] ?? null, wanted[j] ?? null)
  let [start, end, wantedEnd] = [0, current.length, wanted.length]
  while (start < end && start < wantedEnd && same(start, start)) start += 1
  while (end > start && wantedEnd > start && same(end - 1, wantedEnd - 1)) [end, wantedEnd] = [end - 1, wantedEnd - 1]
  if (start === end && start === wantedEnd) return []
  const [rows, columns] = [end - start, wantedEnd - start]
  if (rows * columns > MOST_COMPARISONS) return [{ from: start, to: end, wantedFrom: start, wantedTo: wantedEnd }]

  // longest[i][j]: how many entries the rests from i and j on have in common.
  const longest = Array.from({ length: rows + 1 }, () => Array.from({ length: columns + 1 }, () => 0))
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const row = longest[i]
      if (row !== undefined)
        row[j] = same(start + i, start + j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const gaps: Gap[] = []
  let [i, j, from, wantedFrom] = [0, 0, 0, 0]
  const close = (): void => {
    if (i > from || j > wantedFrom) {
      gaps.push({ from: start + from, to: start + i, wantedFrom: start + wantedFrom, wantedTo: start + j })
    }
  }
  while (i < rows && j < columns) {
    if (same(start + i, start + j)) {
      close()
      ;[i, j] = [i + 1, j + 1]
      ;[from, wantedFrom] = [i, j]
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  ;[i, j] = [rows, columns]
  close()
  return gaps
}
