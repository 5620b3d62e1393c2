import { describe, expect, it } from 'vitest'
import { commandOf, type Stroke } from './keymap.ts'

const stroke = (key: string, more: Partial<Stroke> = {}): Stroke => ({
  key,
  command: false,
  shift: false,
  alt: false,
  typing: false,
  onControl: false,
  ...more,
})

describe('keys', () => {
  it.each([
    ['1', { kind: 'screen', screen: 'overview' }],
    ['3', { kind: 'screen', screen: 'allocation' }],
    ['x', { kind: 'screen', screen: 'allocation' }],
    ['7', { kind: 'screen', screen: 'recordings' }],
    ['h', { kind: 'screen', screen: 'fleet' }],
    ['9', { kind: 'screen', screen: 'connection' }],
    ['[', { kind: 'previous-level' }],
    [' ', { kind: 'pause' }],
    ['L', { kind: 'live' }],
    ['?', { kind: 'help' }],
    ['Backspace', { kind: 'back' }],
    ['F6', { kind: 'next-pane' }],
    ['<', { kind: 'pan-earlier' }],
    ['>', { kind: 'pan-later' }],
  ])('%j', (key, command) => {
    expect(commandOf(stroke(key), true)).toEqual(command)
  })

  it('go forward again with Shift', () => {
    expect(commandOf(stroke('Backspace', { shift: true }), true)).toEqual({ kind: 'forward' })
  })

  it('with Ctrl or Cmd work everywhere', () => {
    expect(commandOf(stroke('k', { command: true, typing: true }), false)).toEqual({ kind: 'palette' })
    expect(commandOf(stroke('c', { command: true }), true)).toBeUndefined()
  })

  it('alone are off while typing and when switched off', () => {
    expect(commandOf(stroke('1', { typing: true }), true)).toBeUndefined()
    expect(commandOf(stroke('Backspace', { typing: true }), true)).toBeUndefined()
    expect(commandOf(stroke('1'), false)).toBeUndefined()
    expect(commandOf(stroke('F6', { typing: true }), false)).toEqual({ kind: 'next-pane' })
  })

  it('leave Space to the button that has the focus', () => {
    expect(commandOf(stroke(' ', { onControl: true }), true)).toBeUndefined()
  })

  it('pair t with c and v', () => {
    expect(commandOf(stroke('t'), true)).toBe('chord')
    expect(commandOf(stroke('c', { chord: 't' }), true)).toEqual({ kind: 'copy-range' })
    expect(commandOf(stroke('v', { chord: 't' }), true)).toEqual({ kind: 'paste-range' })
    expect(commandOf(stroke('c'), true)).toBeUndefined()
  })
})
