import { useEffect, useState } from 'react'
import type { EtcdState } from '../../core/contract/etcd.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'

/** How the shown etcd proxy does; `undefined` until that is known, and for other sources. */
export function useEtcdState(): EtcdState | undefined {
  const connected = useConnected()
  const connection = connected?.source.kind === 'etcd' ? connected.id : undefined
  const [known, setKnown] = useState<{ readonly of: number; readonly state: EtcdState }>()
  useEffect(
    () =>
      connection === undefined
        ? undefined
        : client().subscribe('etcd', { connection }, (state) => setKnown({ of: connection, state })),
    [connection],
  )
  return known !== undefined && known.of === connection ? known.state : undefined
}
