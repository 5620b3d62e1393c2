import { createSourceNoter } from '../../core/alerts/noted.ts'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { MOST_ALERT_CHANGES, type AlertChange, type AlertsState, type Silence } from '../../core/contract/alerts.ts'
import { MOST_NOTED, type Noted } from '../../core/contract/recording.ts'
import type { Picture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import type { UnixMs } from '../../core/units.ts'
import { createTopic, whileHeard, type Subscribable } from '../ports/topic.ts'

/** The alert rules on one source and what else is noted of it, evaluated whether or not somebody looks. */
export interface Alerting {
  /** What the source told at `at`, after `picture` has taken it. */
  take(event: SourceEvent, picture: Picture, at: UnixMs): void
  readonly states: Subscribable<AlertsState>
  /** What was noted since the source was connected, oldest first, `MOST_NOTED` at most: at the start and at every change. */
  readonly noted: Subscribable<readonly Noted[]>
  /** In place of those before. */
  silence(silences: readonly Silence[]): void
}

export function createAlerting(): Alerting {
  const watch = createAlertWatch()
  const noter = createSourceNoter(watch)
  let changes: readonly AlertChange[] = []
  let noted: readonly Noted[] = []
  const notes = createTopic<readonly Noted[]>()
  notes.publish(noted)
  const state = (): AlertsState => ({
    ...(watch.asOf !== undefined && { asOf: watch.asOf }),
    rules: watch.rules,
    alerts: watch.alerts,
    changes,
    silences: watch.silences,
  })
  /** The rules are evaluated always; how they stand is put together only for who listens. */
  let isHeard = false
  const heard = whileHeard<AlertsState>(() => {
    isHeard = true
    return () => (isHeard = false)
  })
  const tell = (): void => {
    if (isHeard) heard.tell(state())
  }

  return {
    take(event, picture, at) {
      const found = noter.take(event, picture, at)
      if (found.noted.length > 0) {
        noted = [...noted, ...found.noted].slice(-MOST_NOTED)
        notes.publish(noted)
      }
      if (found.changes.length > 0) changes = [...found.changes.toReversed(), ...changes].slice(0, MOST_ALERT_CHANGES)
      if (event.kind === 'frame' && event.past !== true) tell()
    },
    noted: notes,
    states: {
      subscribe(emit, signal) {
        if (signal.aborted) return
        heard.subscribe(emit, signal)
        emit(state())
      },
    },
    silence(those) {
      watch.silences = those
      tell()
    },
  }
}
