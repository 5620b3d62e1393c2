import { useEffect, useState } from 'react'
import type { LiveState } from '../../../core/contract/live.ts'
import { client } from '../../state/client.ts'

export type LiveAddress = Pick<Partial<LiveState>, 'address' | 'clientKubeconfig'>

/** Where clients of the connected proxy, or the server of the connected webhook, connect to; empty until it is known. */
export function useLiveAddress(): LiveAddress {
  const [known, setKnown] = useState<LiveAddress>({})
  useEffect(
    () =>
      client().subscribe('liveState', null, ({ address, clientKubeconfig }) =>
        // It is told each second and changes with the connection only.
        setKnown((before) =>
          before.address === address && before.clientKubeconfig === clientKubeconfig
            ? before
            : {
                ...(address !== undefined && { address }),
                ...(clientKubeconfig !== undefined && { clientKubeconfig }),
              },
        ),
      ),
    [],
  )
  return known
}
