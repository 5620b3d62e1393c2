import { useEffect, useState } from 'react'
import { client } from '../../state/client.ts'

/** Where clients of the connected proxy, or the server of the connected webhook, connect to; `undefined` until it is known. */
export function useLiveAddress(): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => client().subscribe('liveState', null, (state) => setAddress(state.address)), [])
  return address
}
