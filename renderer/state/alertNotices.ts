import { alertKey } from '../../core/alerts/alert.ts'
import { evidenceText, placeText } from '../../core/alerts/words.ts'
import { escapeControls } from '../../core/text/text.ts'
import { RULES } from '../../core/alerts/rules.ts'
import type { Alert, AlertChange, AlertsState } from '../../core/contract/alerts.ts'
import type { Client } from '../../core/contract/contract.ts'
import { connectionStore, showConnection } from './connection.ts'
import { openScreen } from './route.ts'
import { settingsNow } from './settings.ts'

/** An alert that fires again within this time is not reported again. */
const QUIET_MS = 900_000

export type Tell = (title: string, body: string, onClick: () => void) => void

/** Notifications of desktop or browser outside the page; nothing where they are not permitted. */
export const notification: Tell = (title, body, onClick) => {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const shown = new Notification(title, { body, tag: title })
  shown.addEventListener('click', () => {
    globalThis.focus()
    onClick()
  })
}

/** Notifies of alerts that start to fire on any connected source, until the returned function is called. */
export function startAlertNotices(client: Client, tell: Tell, now: () => number): () => void {
  const heard = new Map<number, () => void>()
  const notified = new Map<string, number>()
  const listenTo = (connection: number, source: string): (() => void) => {
    /** Alerts that fired before the first state are not new. */
    let before: AlertsState['changes'] | undefined
    return client.subscribe('alerts', { connection }, ({ changes }) => {
      const known = before?.[0]
      const isNew = before === undefined ? 0 : changes.findIndex((change) => isSame(change, known))
      before = changes
      for (const { kind, alert } of changes.slice(0, isNew === -1 ? changes.length : isNew)) {
        const key = `${connection} ${alertKey(alert)}`
        if (kind !== 'fired' || !isWanted(alert) || now() - (notified.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS)
          continue
        notified.set(key, now())
        tell(`${alert.rule} ${RULES[alert.rule].title}: ${isolated(placeText(alert))}`, textOf(alert, source), () => {
          showConnection(connection)
          openScreen('alerts')
        })
      }
    })
  }
  const follow = (): void => {
    const { connections } = connectionStore.getState()
    const ids = new Set(connections.map(({ id }) => id))
    for (const [id, stop] of heard) {
      if (ids.has(id)) continue
      stop()
      heard.delete(id)
    }
    for (const { id, source } of connections) if (!heard.has(id)) heard.set(id, listenTo(id, source.name))
  }
  follow()
  const end = connectionStore.subscribe(follow)
  return () => {
    end()
    for (const stop of heard.values()) stop()
  }
}

/** A name keeps its own direction of writing, and cannot change that of the text around it. */
const isolated = (name: string): string => `\u2068${escapeControls(name)}\u2069`

const isSame = (a: AlertChange, b: AlertChange | undefined): boolean =>
  b !== undefined && a.at === b.at && a.kind === b.kind && alertKey(a.alert) === alertKey(b.alert)

function isWanted({ severity, silenced }: Alert): boolean {
  const { alertNotices } = settingsNow()
  return !silenced && (alertNotices === 'all' || (alertNotices === 'critical' && severity === 'critical'))
}

const textOf = ({ evidence, cause }: Alert, source: string): string =>
  `${isolated(source)}. ${evidence.length === 0 ? '' : `${evidence.map(evidenceText).join(', ')}. `}${isolated(cause)}`
