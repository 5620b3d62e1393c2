/**
 * Metrics pages as changes to the page before. Nearly all that changes between two pages of a server are counters that
 * grow by the same small numbers in many buckets, so this makes a recording several times smaller than its text.
 *
 * One line of changes stands for one line of the page before, in the same order: empty when it is unchanged, a number
 * that was added to its value, `=` and a new value, `-` when it is gone. `+` and a whole line is one that is new.
 */

/** The changes that make `page` of `before`; `undefined` when lines changed places, which they never do by themselves. */
export function changesBetween(before: string, page: string): string | undefined {
  const old = before.split('\n').map(splitLine)
  const now = page.split('\n').map(splitLine)
  const oldKeys = new Set(old.map(({ key }) => key))
  const nowKeys = new Set(now.map(({ key }) => key))
  const changes: string[] = []
  let at = 0
  const dropGone = (): void => {
    for (let line = old[at]; line !== undefined && !nowKeys.has(line.key); line = old[++at]) changes.push('-')
  }
  for (const line of now) {
    if (!oldKeys.has(line.key)) {
      changes.push(`+${line.key}${line.value}`)
      continue
    }
    dropGone()
    const counterpart = old[at++]
    if (counterpart?.key !== line.key) return undefined
    changes.push(changeOf(counterpart.value, line.value))
  }
  dropGone()
  return changes.join('\n')
}

/** The page that `changes` make of `before`. Values are the same numbers, though perhaps written differently. */
export function applyChanges(before: string, changes: string): string {
  const old = before.split('\n')
  const page: string[] = []
  let at = 0
  for (const change of changes.split('\n')) {
    if (change.startsWith('+')) {
      page.push(change.slice(1))
      continue
    }
    const line = old[at++] ?? ''
    if (change === '-') continue
    page.push(change === '' ? line : changed(splitLine(line), change))
  }
  return page.join('\n')
}

interface Line {
  readonly key: string
  /** With the space before it; empty for comments. */
  readonly value: string
}

function splitLine(line: string): Line {
  const space = line.startsWith('#') ? -1 : line.lastIndexOf(' ')
  return space < 0 ? { key: line, value: '' } : { key: line.slice(0, space), value: line.slice(space) }
}

function changeOf(before: string, now: string): string {
  if (before === now) return ''
  const [from, to] = [Number(before), Number(now)]
  const difference = to - from
  const exact = [from, to, difference].every(Number.isSafeInteger) && difference !== 0
  return exact ? String(difference) : `=${now.slice(1)}`
}

function changed({ key, value }: Line, change: string): string {
  return change.startsWith('=') ? `${key} ${change.slice(1)}` : `${key} ${Number(value) + Number(change)}`
}
