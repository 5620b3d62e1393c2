import { join } from 'node:path'

/**
 * Where the console stores settings and recent sources in web mode and on the command line, by the platform's
 * convention.
 */
export function stateFolder(
  platform: NodeJS.Platform,
  home: string,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const name = 'apf-console'
  const set = variables['APF_CONSOLE_STATE']
  if (set !== undefined && set !== '') return set
  if (platform === 'win32') return join(variables['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), name)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name)
  const configured = variables['XDG_STATE_HOME']
  return join(configured === undefined || configured === '' ? join(home, '.local', 'state') : configured, name)
}
