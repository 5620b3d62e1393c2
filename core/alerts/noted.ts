import { createNoter } from '../compare/noted.ts'
import type { AlertChange } from '../contract/alerts.ts'
import type { Noted } from '../contract/recording.ts'
import type { Picture } from '../source/picture.ts'
import { knownObjects, type SourceEvent } from '../source/sourceEvent.ts'
import type { UnixMs } from '../units.ts'
import { RULES } from './rules.ts'
import { createAlertWatch, type AlertWatch } from './watch.ts'

/** What is noted of one source, in the present and in a recorded range alike. */
export interface SourceNoter {
  /** The next event, after `picture` has taken it; `at`: when it was told, Unix milliseconds. */
  take(event: SourceEvent, picture: Picture, at: UnixMs): NotedEvent
}

/** Changes of objects and processes, and alerts that begin or end; these also as `changes`. */
export interface NotedEvent {
  readonly noted: readonly Noted[]
  readonly changes: readonly AlertChange[]
}

const NOTHING: NotedEvent = { noted: [], changes: [] }

/** Evaluates `alerts` on the events. */
export function createSourceNoter(alerts: AlertWatch = createAlertWatch()): SourceNoter {
  const noter = createNoter()
  return {
    take(event, picture, at) {
      if (event.kind === 'objects') {
        alerts.takeObjects(knownObjects(event.reading))
        return { noted: noter.takeObjects(event.reading, at), changes: [] }
      }
      if (event.kind !== 'frame' || event.past === true) return NOTHING
      const latest = picture.server(event.frame.id)?.latest
      if (latest === undefined) return NOTHING
      const changes = alerts.take(latest.frame, latest.derived)
      return { noted: [...noter.takeServer(latest.frame), ...changes.map(alertNoted)], changes }
    },
  }
}

/** The beginning or the end of an alert, in one line. */
export function alertNoted({ kind, at, alert }: AlertChange): Noted {
  const { rule, server, level, subject } = alert
  const about = [rule === 'R8' ? undefined : level, subject].filter((part) => part !== undefined).join(', ')
  return {
    at,
    kind: kind === 'fired' ? 'alert' : 'resolved',
    text: `${rule} ${kind}: ${RULES[rule].title}${about === '' ? '' : ` (${about})`}`,
    ...(level !== undefined && { level }),
    ...(server !== undefined && { server }),
  }
}
