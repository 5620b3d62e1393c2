import { textToWindow, windowToText, type TimeWindow } from './time.logic.ts'

export const SCREENS = ['overview', 'level', 'allocation', 'connection'] as const
export type ScreenName = (typeof SCREENS)[number]

/** An address inside the console: everything that a link must carry to show the same thing again. */
export interface Route {
  readonly screen: ScreenName
  readonly level?: string
  readonly server?: string
  readonly range?: TimeWindow
}

/** `#/level/workload-low?server=a%3A6443&range=last+600+s`; anything unknown leads to the overview. */
export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name, object] = path.split('/').map(decoded)
  const screen = SCREENS.find((known) => known === name) ?? 'overview'
  const params = new URLSearchParams(query)
  const server = params.get('server')
  const range = textToWindow(params.get('range') ?? '')
  return {
    screen,
    ...(screen === 'level' && object !== undefined && object !== '' ? { level: object } : {}),
    ...(server !== null && server !== '' ? { server } : {}),
    ...(range.ok ? { range: range.window } : {}),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function formatHash({ screen, level, server, range }: Route): string {
  const params = new URLSearchParams()
  if (server !== undefined) params.set('server', server)
  if (range !== undefined) params.set('range', windowToText(range))
  const query = params.size === 0 ? '' : `?${params.toString()}`
  const object = screen === 'level' && level !== undefined ? `/${encodeURIComponent(level)}` : ''
  return `#/${screen}${object}${query}`
}
