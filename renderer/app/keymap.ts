import type { ScreenName } from '../../core/contract/screens.ts'
import { SCREEN_ENTRIES } from './screens.tsx'

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
        | 'fix'
        | 'zoom-in'
        | 'zoom-out'
        | 'pan-earlier'
        | 'pan-later'
        | 'back'
        | 'forward'
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

const SCREEN_KEYS = new Map(SCREEN_ENTRIES.map(({ key, name }) => [key.toLowerCase(), name]))

const PLAIN: Readonly<Record<string, Command>> = {
  '[': { kind: 'previous-level' },
  ']': { kind: 'next-level' },
  l: { kind: 'live' },
  r: { kind: 'fix' },
  x: { kind: 'screen', screen: 'allocation' },
  '+': { kind: 'zoom-in' },
  '=': { kind: 'zoom-in' },
  '-': { kind: 'zoom-out' },
  '<': { kind: 'pan-earlier' },
  '>': { kind: 'pan-later' },
  '?': { kind: 'help' },
  escape: { kind: 'clear' },
}

/**
 * The command of a key, or `chord` when it opens a pair. Single keys are off while typing, and when disabled in the
 * settings.
 */
export function commandOf(stroke: Stroke, singleKeys: boolean): Command | 'chord' | undefined {
  const { key, command, shift, alt, typing, onControl, chord } = stroke
  const lower = key.toLowerCase()
  if (alt) return undefined
  if (command) {
    if (lower === 'k') return { kind: 'palette' }
    if (lower === 'o') return { kind: 'source' }
    if (lower === 'b') return { kind: 'rail' }
    if (key === ',') return { kind: 'screen', screen: 'settings' }
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
  if (key === 'Backspace') return { kind: shift ? 'forward' : 'back' }
  if (key === 'ArrowLeft') return { kind: 'cursor', direction: -1, round: shift }
  if (key === 'ArrowRight') return { kind: 'cursor', direction: 1, round: shift }
  const screen = SCREEN_KEYS.get(lower)
  return screen === undefined ? PLAIN[lower] : { kind: 'screen', screen }
}
