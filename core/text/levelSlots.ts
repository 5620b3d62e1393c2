import { byCodeUnits } from './text.ts'

/** The pure part of level identity: tokens, codes and slots (design: colour and pattern). */

/** Codes of the levels that a server creates itself; each has its own token, named after it. */
export const BUILT_IN_CODES: Readonly<Record<string, string>> = {
  exempt: 'EX',
  'node-high': 'NH',
  system: 'SY',
  'leader-election': 'LE',
  'workload-high': 'WH',
  'workload-low': 'WL',
  'global-default': 'GD',
  'catch-all': 'CA',
}

/** The order of levels in the sidebar and tables: built-in ones as the server ranks them, then by first sight. */
export const BUILT_IN_ORDER: readonly string[] = Object.keys(BUILT_IN_CODES)

/** Number of tokens for levels without their own; further levels reuse them, and the chip carries a mark. */
export const SLOT_TOKENS = 8

export type Slots = Readonly<Record<string, number>>

export interface LevelLook {
  /** Custom property: `--lv-x3`. */
  readonly token: string
  /** 1: plain chip; 2: a bar under the code; 3 and more: a bar to its left. */
  readonly turn: 1 | 2 | 3
}

export function slotLook(name: string, slots: Slots): LevelLook {
  if (Object.hasOwn(BUILT_IN_CODES, name)) return { token: `--lv-${name}`, turn: 1 }
  const index = (slots[name] ?? 1) - 1
  const turn = Math.floor(index / SLOT_TOKENS)
  return { token: `--lv-x${(index % SLOT_TOKENS) + 1}`, turn: turn === 0 ? 1 : turn === 1 ? 2 : 3 }
}

/** Slots for names seen for the first time, in their order; `undefined` when nothing is new. */
export function assignSlots(slots: Slots, names: readonly string[]): Record<string, number> | undefined {
  let next = Math.max(0, ...Object.values(slots)) + 1
  const added: Record<string, number> = {}
  for (const name of names) {
    if (Object.hasOwn(BUILT_IN_CODES, name) || Object.hasOwn(slots, name) || Object.hasOwn(added, name)) continue
    added[name] = next
    next += 1
  }
  return Object.keys(added).length === 0 ? undefined : { ...slots, ...added }
}

/** Unique two-letter codes, assigned in slot order so that a new level never takes the code of an older one. */
export function codesOf(slots: Slots): ReadonlyMap<string, string> {
  const taken = new Set(Object.values(BUILT_IN_CODES))
  const codes = new Map<string, string>()
  const names = Object.entries(slots)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name]) => name)
  for (const name of names) {
    const code = candidates(name).find((candidate) => !taken.has(candidate)) ?? firstFree(taken)
    taken.add(code)
    codes.set(name, code)
  }
  return codes
}

/** Word initials first, then the first letter with each later letter or digit, like a common abbreviation. */
function candidates(name: string): string[] {
  const words = name
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '')
  const letters = words.join('')
  const first = letters[0] ?? 'X'
  const initials = words.slice(1).map((word) => first + (word[0] ?? ''))
  return [...initials, ...Array.from(letters.slice(1), (letter) => first + letter)]
}

const ALPHABET = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')

function firstFree(taken: ReadonlySet<string>): string {
  for (const a of ALPHABET) for (const b of ALPHABET) if (!taken.has(a + b)) return a + b
  return '??'
}

/** Built-in levels first in their fixed order, then others by slot: rows never jump. */
export function levelOrder(slots: Slots): (a: string, b: string) => number {
  const rank = (name: string): number => {
    const builtIn = BUILT_IN_ORDER.indexOf(name)
    return builtIn >= 0 ? builtIn : BUILT_IN_ORDER.length + (slots[name] ?? Number.MAX_SAFE_INTEGER / 2)
  }
  return (a, b) => rank(a) - rank(b) || byCodeUnits(a, b)
}
