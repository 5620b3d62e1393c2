import { useEffect, useState } from 'react'
import type { AlertsState } from '../../core/contract/alerts.ts'
import type { EtcdState } from '../../core/contract/etcd.ts'
import type { LiveState } from '../../core/contract/live.ts'
import type { RecorderState } from '../../core/contract/recording.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { usePastPart } from './past.ts'

/** Subscribes to a connected source until the returned function is called. */
type Listen<S> = (connection: number, emit: (state: S) => void) => () => void

const alerts: Listen<AlertsState> = (connection, emit) => client().subscribe('alerts', { connection }, emit)
const etcd: Listen<EtcdState> = (connection, emit) => client().subscribe('etcd', { connection }, emit)
const live: Listen<LiveState> = (connection, emit) => client().subscribe('liveState', { connection }, emit)
const recorder: Listen<RecorderState> = (connection, emit) => client().subscribe('recorder', { connection }, emit)

/** The last state that a source emitted; `undefined` before the first one. */
function useSubscription<S>(connection: number | undefined, listen: Listen<S>): S | undefined {
  const [known, setKnown] = useState<{ readonly of: number; readonly state: S }>()
  useEffect(
    () => (connection === undefined ? undefined : listen(connection, (state) => setKnown({ of: connection, state }))),
    [connection, listen],
  )
  return known !== undefined && known.of === connection ? known.state : undefined
}

/** State of the alert rules of the shown source. */
export const useAlerts = (): AlertsState | undefined => useSubscription(useConnected()?.id, alerts)

/** State of the shown etcd proxy now or at the shown instant; `undefined` for other sources as well. */
export function useEtcdState(): EtcdState | undefined {
  const connected = useConnected()
  const moment = usePastPart((past) => past.moment)
  const latest = useSubscription(connected?.etcd === true ? connected.id : undefined, etcd)
  return moment === undefined ? latest : moment.etcd
}

/** Whether the shown source is a proxy that now limits requests, whatever instant is shown. */
export function useEnforces(): boolean {
  const { id, source, spec } = useConnected() ?? {}
  const proxy = useSubscription(source?.kind === 'proxy' ? id : undefined, live)
  const before = useSubscription(spec?.kind === 'etcd' && spec.of.kind !== 'story' ? id : undefined, etcd)
  return (proxy ?? before)?.mode === 'enforce'
}

/** State of the flight recorder of a source. */
export const useRecorder = (connection: number | undefined): RecorderState | undefined =>
  useSubscription(connection, recorder)
