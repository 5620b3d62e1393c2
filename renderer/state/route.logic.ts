import { pagesOf, SCREENS, type PageName, type ScreenName } from '../../core/contract/screens.ts'
import { decoded } from '../../core/text/text.ts'
import { instantToText, textToInstant, textToWindow, windowToText, type TimeWindow } from './time.logic.ts'

/** An address inside the console: everything that a link must carry to show the same thing again. */
export interface Route {
  readonly screen: ScreenName
  readonly level?: string
  /** Of a screen of several pages. */
  readonly page?: PageName
  /**
   * The subject of the page: `FlowSchema/probes` in the editor, a filter of live requests or of those of a level, a
   * class of an etcd.
   */
  readonly object?: string
  /** Name of the source, where several are connected. */
  readonly source?: string
  readonly server?: string
  readonly range?: TimeWindow
  /** The shown instant of the past, Unix milliseconds. */
  readonly at?: number
  /** Why the range of an address cannot be shown, in a sentence. */
  readonly rangeProblem?: string
}

/** `#/level/workload-low?server=a%3A6443&range=last+600+s`, `#/editor/draft?object=FlowSchema%2Fprobes`; anything unknown leads to the overview. */
export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name, part] = path.split('/').map(decoded)
  const screen =
    name === 'classify' && part === 'live' ? 'live' : (SCREENS.find((known) => known === name) ?? 'overview')
  const params = new URLSearchParams(query)
  const source = params.get('source')
  const server = params.get('server')
  const object = params.get('object')
  const pages = pagesOf(screen)
  const page = pages.find((known) => known === part) ?? pages[0]
  const at = textToInstant(params.get('at') ?? '')
  const asked = params.get('range')
  const range = asked === null ? undefined : textToWindow(asked)
  return {
    screen,
    ...(screen === 'level' && part !== undefined && part !== '' ? { level: part } : {}),
    ...(page === undefined ? {} : { page }),
    ...((page !== undefined || screen === 'live' || screen === 'level' || screen === 'etcd') &&
    object !== null &&
    object !== ''
      ? { object }
      : {}),
    ...(source !== null && source !== '' ? { source } : {}),
    ...(server !== null && server !== '' ? { server } : {}),
    ...(!Number.isNaN(at) && { at }),
    ...(range?.ok === true && { range: range.window }),
    ...(range?.ok === false && { rangeProblem: range.why }),
  }
}

export function formatHash({ screen, level, page, object, source, server, range, at }: Route): string {
  const params = new URLSearchParams()
  if (object !== undefined) params.set('object', object)
  if (source !== undefined) params.set('source', source)
  if (server !== undefined) params.set('server', server)
  if (range !== undefined) params.set('range', windowToText(range))
  if (at !== undefined) params.set('at', instantToText(at))
  const query = params.size === 0 ? '' : `?${params.toString()}`
  const part = screen === 'level' ? level : page
  return `#/${screen}${part === undefined ? '' : `/${encodeURIComponent(part)}`}${query}`
}
