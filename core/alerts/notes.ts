import { createNoter } from '../compare/noter.ts'
import type { AlertChange } from '../contract/alerts.ts'
import type { Note } from '../contract/recording.ts'
import type { Picture, ServerPicture } from '../source/picture.ts'
import { knownObjects, type SourceEvent } from '../source/sourceEvent.ts'
import type { UnixMs } from '../units.ts'
import { RULES } from './rules.ts'
import { createAlertWatch, type AlertWatch } from './watch.ts'

/**
 * The notes about one source, in chronological order: live, in a recorded range and in a past that the source
 * reads.
 */
export interface SourceNoter {
  /** The next live event, after `picture` has taken it; `at`: when it was received, Unix milliseconds. */
  take(event: SourceEvent, picture: Picture, at: UnixMs): NotesOfEvent
  /** The next sample. */
  takeServer(server: ServerPicture['latest']): NotesOfEvent
}

/** Changes of objects, processes and levels, and alerts that begin or end; the latter also as `changes`. */
export interface NotesOfEvent {
  readonly notes: readonly Note[]
  readonly changes: readonly AlertChange[]
}

const NOTHING: NotesOfEvent = { notes: [], changes: [] }

/** Evaluates `alerts` on the events. */
export function createSourceNoter(alerts: AlertWatch = createAlertWatch()): SourceNoter {
  const noter = createNoter()
  const takeServer: SourceNoter['takeServer'] = ({ frame, derived }) => {
    const changes = alerts.take(frame, derived)
    return { notes: [...noter.takeServer(frame), ...changes.map(alertNote)], changes }
  }
  return {
    takeServer,
    take(event, picture, at) {
      if (event.kind === 'objects') {
        alerts.takeObjects(knownObjects(event.reading))
        return { notes: noter.takeObjects(event.reading, at), changes: [] }
      }
      if (event.kind !== 'frame' || event.past === true || event.lead === true) return NOTHING
      const latest = picture.server(event.frame.id)?.latest
      return latest === undefined ? NOTHING : takeServer(latest)
    },
  }
}

/** The beginning or the end of an alert, in one line. */
export function alertNote({ kind, at, alert }: AlertChange): Note {
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
