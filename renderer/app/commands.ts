import { useEffect, useLayoutEffect } from 'react'
import type { MenuCommand } from '../../core/contract/desktop.ts'
import { openScreen, openScreenOrNextPage, routeNow } from '../state/route.ts'
import { seriesStore } from '../state/series.ts'
import { changeSettings, settingsNow } from '../state/settings.ts'
import { instantOf, timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { levelOrder } from '../../core/text/levelSlots.ts'
import { openOverlay, shellStore } from '../state/shell.ts'
import { isTyping } from '../components/keys.ts'
import { onMenuCommand } from '../state/bridge.desktop.ts'
import { type Command, commandOf } from './keymap.ts'

/** Seconds between two adjustments of the limits. */
const ROUND_SECONDS = 10

/** Share of its length by which a key moves the range. */
const PAN = 0.5

/** Runs the command of a key or a palette entry. */
export function run(command: Command): void {
  const time = timeStore.getState()
  switch (command.kind) {
    case 'screen':
      return openScreenOrNextPage(command.screen)
    case 'palette':
    case 'source':
    case 'help':
      return openOverlay(command.kind)
    case 'rail':
      return changeSettings({ sidebar: settingsNow().sidebar === 'rail' ? 'auto' : 'rail' })
    case 'next-pane':
      return movePane(1)
    case 'previous-pane':
      return movePane(-1)
    case 'previous-level':
      return moveLevel(-1)
    case 'next-level':
      return moveLevel(1)
    case 'pause':
      return time.paused ? time.resume() : time.pause()
    case 'fix':
      return tryFix()
    case 'live':
      return time.live()
    case 'zoom-in':
      return time.zoomBy(0.5)
    case 'zoom-out':
      return time.zoomBy(2)
    case 'pan-earlier':
      return time.pan(-PAN)
    case 'pan-later':
      return time.pan(PAN)
    case 'clear':
      return time.setCursor()
    case 'back':
      return time.back()
    case 'forward':
      return time.forward()
    case 'cursor':
      return moveCursor(command.direction, command.round)
    case 'copy-range':
      return void import('./rangeActions.ts').then(({ copyRange }) => copyRange())
    case 'paste-range':
      return void import('./rangeActions.ts').then(({ pasteRange }) => pasteRange())
  }
}

/** The first remedy on the screen that can be tried; without one, Diagnosis says why there is none. */
function tryFix(): void {
  const button = document.querySelector<HTMLElement>('main [aria-keyshortcuts=R]')
  if (button === null) openScreen('diagnosis')
  else button.click()
}

function movePane(direction: 1 | -1): void {
  const panes = Array.from(document.querySelectorAll<HTMLElement>('[data-pane]')).filter(
    (pane) => pane.getClientRects().length > 0,
  )
  const inside = panes.findLastIndex((pane) => pane.contains(document.activeElement))
  const next =
    inside === -1 ? (direction === 1 ? 0 : panes.length - 1) : (inside + direction + panes.length) % panes.length
  panes[next]?.focus()
}

function moveLevel(direction: 1 | -1): void {
  const names = viewStore.getState().server?.levels.map(({ name }) => name) ?? []
  const ordered = names.toSorted(levelOrder(settingsNow().levelSlots))
  if (ordered.length === 0) return
  const at = ordered.indexOf(routeNow().level ?? '')
  const next =
    at === -1 ? (direction === 1 ? 0 : ordered.length - 1) : (at + direction + ordered.length) % ordered.length
  openScreen('level', ordered[next])
}

function moveCursor(direction: 1 | -1, round: boolean): void {
  const time = timeStore.getState()
  const { cursor, from, to, setCursor, goTo } = time
  const instant = instantOf(time)
  const step = (round ? ROUND_SECONDS : (seriesStore.getState().series?.stepSeconds ?? 1)) * 1_000
  if (instant !== undefined) goTo(instant + direction * step)
  else setCursor(Math.max(from, Math.min(to, (cursor ?? to) + direction * step)))
}

/** How long the first key of a pair waits for the second. */
const CHORD_MS = 1_200

const PRESSABLE = 'button, a, summary'

/** Whether Space would press the focused element, and should. */
function isOnControl(target: EventTarget | null, pressed: Element | null): boolean {
  const control = target instanceof Element ? target.closest(`${PRESSABLE}, input`) : null
  return control !== null && control !== pressed
}

/** Listens for the keys of the whole console; panes that use a key themselves stop its propagation. */
export function useKeys(): void {
  // Before the page is painted: what is seen takes keys.
  useLayoutEffect(() => {
    /** The button that was last pressed by pointer: it keeps the focus, but Space must not press it. */
    let pressed: Element | null = null
    let chord: { key: string; at: number } | undefined
    const onPointerDown = ({ target }: PointerEvent): void => {
      pressed = target instanceof Element ? target.closest(PRESSABLE) : null
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || shellStore.getState().overlay !== undefined) return
      const open = chord !== undefined && event.timeStamp - chord.at < CHORD_MS ? chord.key : undefined
      chord = undefined
      // Focus that was moved by keyboard is intended.
      if (event.key === 'Tab') pressed = null
      const command = commandOf(
        {
          key: event.key,
          command: event.ctrlKey || event.metaKey,
          shift: event.shiftKey,
          alt: event.altKey,
          typing: isTyping(event.target),
          onControl: isOnControl(event.target, pressed),
          chord: open,
        },
        settingsNow().singleKeys,
      )
      if (command === undefined) return
      event.preventDefault()
      if (command === 'chord') chord = { key: event.key.toLowerCase(), at: event.timeStamp }
      else run(command)
    }
    document.addEventListener('pointerdown', onPointerDown, true)
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('pointerdown', onPointerDown, true)
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [])
}

const COMMANDS: Readonly<Record<MenuCommand, Command>> = {
  'go-overview': { kind: 'screen', screen: 'overview' },
  'go-level': { kind: 'screen', screen: 'level' },
  'go-live': { kind: 'screen', screen: 'live' },
  'go-connection': { kind: 'screen', screen: 'connection' },
  'choose-source': { kind: 'source' },
  'toggle-pause': { kind: 'pause' },
  'toggle-sidebar': { kind: 'rail' },
  'open-palette': { kind: 'palette' },
  'show-shortcuts': { kind: 'help' },
}

/** Runs what is chosen in the application menu of the desktop window. */
export function useMenu(): void {
  useEffect(() => onMenuCommand((command) => run(COMMANDS[command])), [])
}
