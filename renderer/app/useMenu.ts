import { useEffect } from 'react'
import type { MenuCommand } from '../../core/contract/desktop.ts'
import { onMenuCommand } from '../state/bridge.desktop.ts'
import { run } from './commands.ts'
import type { Command } from './keymap.ts'

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

/** Does what is chosen in the application menu of the desktop window. */
export function useMenu(): void {
  useEffect(() => onMenuCommand((command) => run(COMMANDS[command])), [])
}
