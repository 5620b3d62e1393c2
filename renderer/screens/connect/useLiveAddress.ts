import { useEffect, useState } from 'react'
import type { LiveState } from '../../../core/contract/live.ts'
import { client } from '../../state/client.ts'
import { useConnected } from '../../state/connection.ts'

export type LiveAddress = Pick<Partial<LiveState>, 'address' | 'clientKubeconfig'>

/** Where clients of the connected proxy, or the server of the connected webhook, connect to; empty until it is known. */
export function useLiveAddress(): LiveAddress {
  const [known, setKnown] = useState<LiveAddress & { readonly of?: number }>({})
  const connection = useConnected()?.id
  useEffect(() => {
    if (connection === undefined) return undefined
    return client().subscribe('liveState', { connection }, ({ address, clientKubeconfig }) =>
      // It is told each second and changes with the connection only.
      setKnown((before) =>
        before.of === connection && before.address === address && before.clientKubeconfig === clientKubeconfig
          ? before
          : {
              of: connection,
              ...(address !== undefined && { address }),
              ...(clientKubeconfig !== undefined && { clientKubeconfig }),
            },
      ),
    )
  }, [connection])
  return known.of === connection ? known : NOTHING
}

const NOTHING: LiveAddress = {}
