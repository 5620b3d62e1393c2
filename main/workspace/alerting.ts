import { createSourceNoter } from '../../core/alerts/noted.ts'
import { alertsState } from '../../core/alerts/past.ts'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { MOST_ALERT_CHANGES, type AlertChange, type AlertsState, type Silence } from '../../core/contract/alerts.ts'
import { NOTHING_NOTED } from '../../core/contract/defaults.ts'
import { MOST_NOTED, type Noted, type NotedState } from '../../core/contract/recording.ts'
import type { Picture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import type { UnixMs } from '../../core/units.ts'
import { createTopic, whileHeard, type Subscribable } from '../ports/topic.ts'
import type { PastNotes } from './pastNotes.ts'

/** The alert rules on one source and other notes about it, evaluated whether or not there is a listener. */
export interface Alerting {
  /**
   * Takes an event that the source emitted at `at`, after `picture` has taken it, with the picture's result for a
   * frame. Returns the notes about it.
   */
  take(event: SourceEvent, picture: Picture, taken: ReturnType<Picture['take']>, at: UnixMs): readonly Noted[]
  readonly states: Subscribable<AlertsState>
  /** The notes: at the start and after every change. */
  readonly noted: Subscribable<NotedState>
  /** Replaces the previous silences. */
  silence(silences: readonly Silence[]): void
}

/** `past` takes notes of the time before the connection, for a source that reads it. */
export function createAlerting(past?: PastNotes): Alerting {
  const watch = createAlertWatch()
  const noter = createSourceNoter(watch)
  let changes: readonly AlertChange[] = []
  let notes = NOTHING_NOTED
  const noted = createTopic<NotedState>()
  noted.publish(notes)
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
      const read = past?.noted ?? notes.past
      if (found.noted.length > 0 || read !== notes.past) {
        notes = { noted: [...notes.noted, ...found.noted].slice(-MOST_NOTED), past: read }
        noted.publish(notes)
      }
      if (found.changes.length > 0) changes = [...found.changes.toReversed(), ...changes].slice(0, MOST_ALERT_CHANGES)
      if (event.kind === 'frame' && event.past !== true) tell()
      return found.noted
    },
    noted,
    states: heard,
    silence(those) {
      watch.silences = those
      tell()
    },
  }
}
