import { ALERTS_LEAD_MS } from '../bounds.ts'
import { MOST_ALERT_CHANGES, type AlertChange, type AlertsState, type Silence } from '../contract/alerts.ts'
import { createPicture } from '../source/picture.ts'
import type { TimedEvent } from '../source/recording.ts'
import type { UnixMs } from '../units.ts'
import type { Work } from '../work.ts'
import { createSourceNoter } from './notes.ts'
import { createAlertWatch, type AlertWatch } from './watch.ts'

/** Provides ranges of the past: an archive of recordings, or of a run. */
interface Past {
  /** The events of a range, preceded by the state at its start. */
  events(from: UnixMs, to: UnixMs, without?: { readonly dumps: true }): Iterable<TimedEvent>
}

/**
 * The state of the alert rules at an instant, evaluated on the `ALERTS_LEAD_MS` before it: what holds for longer began
 * earlier, and rules that need more report that. Silences are not recorded: the given ones apply.
 */
export function* alertsAt(past: Past, at: UnixMs, silences: readonly Silence[] = []): Work<AlertsState> {
  const watch = createAlertWatch({ silences })
  const noter = createSourceNoter(watch)
  const picture = createPicture()
  const changes: AlertChange[] = []
  for (const one of past.events(at - ALERTS_LEAD_MS, at, { dumps: true })) {
    picture.take(one.event)
    for (const added of noter.take(one.event, picture, one.at).changes) changes.push(added)
    yield 1 - Math.min(1, (at - one.at) / ALERTS_LEAD_MS)
  }
  return { ...alertsState(watch, changes.toReversed().slice(0, MOST_ALERT_CHANGES)), silent: watch.silent(at) }
}

/** As sent to subscribers; `changes`: the newest first. */
export const alertsState = (watch: AlertWatch, changes: readonly AlertChange[]): AlertsState => ({
  ...(watch.asOf !== undefined && { asOf: watch.asOf }),
  silent: watch.silent(),
  rules: watch.rules,
  alerts: watch.alerts,
  changes,
  silences: watch.silences,
})
