import { useEffect, useState } from 'react'
import type { RecorderState } from '../../core/contract/recording.ts'
import { client } from './client.ts'

/** How the flight recorder does with a source; `undefined` until that is known. */
export function useRecorder(connection: number | undefined): RecorderState | undefined {
  const [known, setKnown] = useState<{ readonly of: number; readonly state: RecorderState }>()
  useEffect(
    () =>
      connection === undefined
        ? undefined
        : client().subscribe('recorder', { connection }, (state) => setKnown({ of: connection, state })),
    [connection],
  )
  return known !== undefined && known.of === connection ? known.state : undefined
}
