import { useEffect, useState } from 'react'
import type { AlertsState } from '../../core/contract/alerts.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'

/** How the alert rules stand for the shown source; `undefined` until that is known. */
export function useAlerts(): AlertsState | undefined {
  const connection = useConnected()?.id
  const [known, setKnown] = useState<{ readonly of: number; readonly state: AlertsState }>()
  useEffect(
    () =>
      connection === undefined
        ? undefined
        : client().subscribe('alerts', { connection }, (state) => setKnown({ of: connection, state })),
    [connection],
  )
  return known !== undefined && known.of === connection ? known.state : undefined
}
