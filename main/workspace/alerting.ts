import { createSourceNoter } from '../../core/alerts/notes.ts'
import { alertsState } from '../../core/alerts/past.ts'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { MOST_ALERT_CHANGES, type AlertChange, type AlertsState, type Silence } from '../../core/contract/alerts.ts'
import { NO_NOTES } from '../../core/contract/defaults.ts'
import { MOST_NOTES, type Note, type NotesState } from '../../core/contract/recording.ts'
import type { Picture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import type { UnixMs } from '../../core/units.ts'
import { createTopic, whileHeard, type Subscribable } from '../ports/topic.ts'
import type { PastNotes } from './pastNotes.ts'

/** The alert rules on one source and other latest about it, evaluated whether or not there is a listener. */
export interface Alerting {
  /**
   * Takes an event that the source emitted at `at`, after `picture` has taken it, with the picture's result for a
   * frame. Returns the latest about it.
   */
  take(event: SourceEvent, picture: Picture, taken: ReturnType<Picture['take']>, at: UnixMs): readonly Note[]
  readonly states: Subscribable<AlertsState>
  /** The latest: at the start and after every change. */
  readonly notes: Subscribable<NotesState>
  /** Replaces the previous silences. */
  silence(silences: readonly Silence[]): void
}

/** `past` takes latest of the time before the connection, for a source that reads it. */
export function createAlerting(past?: PastNotes): Alerting {
  const watch = createAlertWatch()
  const noter = createSourceNoter(watch)
  let changes: readonly AlertChange[] = []
  let latest = NO_NOTES
  const notes = createTopic<NotesState>()
  notes.publish(latest)
  const state = (): AlertsState => alertsState(watch, changes)
  /** The rules are always evaluated; their state is only assembled for listeners. */
  let isHeard = false
  const heard = whileHeard<AlertsState>(() => {
    isHeard = true
    return () => (isHeard = false)
  }, state)
  const tell = (): void => {
    if (isHeard) heard.tell(state())
  }

  return {
    take(event, picture, taken, at) {
      const found = noter.take(event, picture, at)
      past?.take(event, picture, taken)
      const read = past?.notes ?? latest.past
      if (found.notes.length > 0 || read !== latest.past) {
        latest = { notes: [...latest.notes, ...found.notes].slice(-MOST_NOTES), past: read }
        notes.publish(latest)
      }
      if (found.changes.length > 0) changes = [...found.changes.toReversed(), ...changes].slice(0, MOST_ALERT_CHANGES)
      if (event.kind === 'frame' && event.past !== true) tell()
      return found.notes
    },
    notes,
    states: heard,
    silence(those) {
      watch.silences = those
      tell()
    },
  }
}
