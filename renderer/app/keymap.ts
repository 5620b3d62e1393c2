import type { ScreenName } from '../state/route.logic.ts'

export type Command =
  | { readonly kind: 'screen'; readonly screen: ScreenName }
  | { readonly kind: 'cursor'; readonly direction: -1 | 1; readonly round: boolean }
  | {
      readonly kind:
        | 'palette'
        | 'source'
        | 'rail'
        | 'next-pane'
        | 'previous-pane'
        | 'previous-level'
        | 'next-level'
        | 'pause'
        | 'live'
        | 'zoom-in'
        | 'zoom-out'
        | 'pan-earlier'
        | 'pan-later'
        | 'back'
        | 'clear'
        | 'copy-range'
        | 'paste-range'
        | 'help'
    }

export interface Stroke {
  readonly key: string
  /** Ctrl or Cmd. */
  readonly command: boolean
  readonly shift: boolean
  readonly alt: boolean
  /** The focus is where letters are typed. */
  readonly typing: boolean
  /** The focus is on something that Space or Enter would press. */
  readonly onControl: boolean
  /** The first key of a pair that is still open: `t`. */
  readonly chord?: string | undefined
}

const SCREEN_KEYS: Readonly<Record<string, ScreenName>> = {
  h: 'fleet',
  '1': 'overview',
  '2': 'level',
  '3': 'allocation',
  '4': 'classify',
  '5': 'live',
  '6': 'editor',
  '7': 'recordings',
  '8': 'compare',
  w: 'whatif',
  a: 'alerts',
  d: 'diagnosis',
  '9': 'connection',
  '0': 'etcd',
}

const PLAIN: Readonly<Record<string, Command>> = {
  '[': { kind: 'previous-level' },
  ']': { kind: 'next-level' },
  l: { kind: 'live' },
  x: { kind: 'screen', screen: 'allocation' },
  '+': { kind: 'zoom-in' },
  '=': { kind: 'zoom-in' },
  '-': { kind: 'zoom-out' },
  '<': { kind: 'pan-earlier' },
  '>': { kind: 'pan-later' },
  '?': { kind: 'help' },
  escape: { kind: 'clear' },
}

/** What a key means, or `chord` when it opens a pair. Single keys are off while typing, and when switched off. */
export function commandOf(stroke: Stroke, singleKeys: boolean): Command | 'chord' | undefined {
  const { key, command, shift, alt, typing, onControl, chord } = stroke
  const lower = key.toLowerCase()
  if (alt) return undefined
  if (command) {
    if (lower === 'k') return { kind: 'palette' }
    if (lower === 'o') return { kind: 'source' }
    if (lower === 'b') return { kind: 'rail' }
    return undefined
  }
  if (key === 'F6') return { kind: shift ? 'previous-pane' : 'next-pane' }
  if (typing || !singleKeys) return undefined
  if (chord === 't') {
    if (lower === 'c') return { kind: 'copy-range' }
    if (lower === 'v') return { kind: 'paste-range' }
  }
  if (lower === 't') return 'chord'
  if (key === ' ') return onControl ? undefined : { kind: 'pause' }
  if (key === 'Backspace') return { kind: 'back' }
  if (key === 'ArrowLeft') return { kind: 'cursor', direction: -1, round: shift }
  if (key === 'ArrowRight') return { kind: 'cursor', direction: 1, round: shift }
  const screen = SCREEN_KEYS[lower]
  return screen === undefined ? PLAIN[lower] : { kind: 'screen', screen }
}

/** The keys as the help lists them. */
export const SHORTCUTS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'Go to: screens, levels, schemas, flows, actions, settings, sources, terms'],
  [
    '1 to 9',
    'Overview, Level, Allocation, Classify, Live requests, Editor, Recordings, Compare, Connection; again: its next page',
  ],
  ['H  W', 'Fleet: all connected sources; What-if'],
  [',  .', 'Allocation: previous, next round'],
  ['[  ]', 'Previous, next level'],
  ['Ctrl O', 'Choose source and server'],
  ['Ctrl B', 'Sidebar or rail'],
  ['F6', 'Next pane; with Shift the previous one'],
  ['Space', 'Pause, go on'],
  ['L', 'Back to live'],
  ['X', 'Explain the limit of the selected level'],
  ['←  →', 'Cursor one sample; with Shift one 10 s round'],
  ['+  −', 'Zoom in, zoom out'],
  ['<  >', 'Move the range by half of its length'],
  ['Backspace', 'Previous range'],
  ['t c  t v', 'Copy, paste the time range'],
  ['T', 'Show the focused chart as a table'],
  ['S', 'Sort by the column of the focused cell'],
  ['Enter', 'Open the focused row'],
  ['N  F', 'Draft: new object, filter the objects; live requests: filter'],
  ['Ctrl Z', 'Draft: undo; with Shift redo'],
  ['Ctrl Enter', 'Draft: dry run; with Shift apply (asks)'],
  ['Esc', 'Close; clear the cursor'],
  ['?', 'This list and the glossary'],
]
