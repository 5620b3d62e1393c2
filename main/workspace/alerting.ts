import { createAlertWatch } from '../../core/alerts/watch.ts'
import { MOST_ALERT_CHANGES, type AlertChange, type AlertsState, type Silence } from '../../core/contract/alerts.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { Picture } from '../../core/source/picture.ts'
import { knownObjects, type SourceEvent } from '../../core/source/sourceEvent.ts'
import { whileHeard, type Subscribable } from '../ports/topic.ts'

/** The alert rules on one source, evaluated whether or not somebody looks. */
export interface Alerting {
  /** What the source told, after `picture` has taken it. */
  take(event: SourceEvent, picture: Picture): void
  readonly states: Subscribable<AlertsState>
  /** In place of those before. */
  silence(silences: readonly Silence[]): void
}

export function createAlerting(): Alerting {
  const watch = createAlertWatch()
  let changes: readonly AlertChange[] = []
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

  const takeFrame = ({ id }: ServerFrame, picture: Picture): void => {
    const latest = picture.server(id)?.latest
    if (latest === undefined) return
    const news = watch.take(latest.frame, latest.derived)
    if (news.length > 0) changes = [...news.toReversed(), ...changes].slice(0, MOST_ALERT_CHANGES)
    tell()
  }
  return {
    take(event, picture) {
      if (event.kind === 'objects') watch.takeObjects(knownObjects(event.reading))
      else if (event.kind === 'frame' && event.past !== true) takeFrame(event.frame, picture)
    },
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
