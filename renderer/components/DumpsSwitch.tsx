import { DUMPS_MS } from '../../core/contract/source.ts'
import { ask, useConnected } from '../state/connection.ts'
import { Button } from './Button.tsx'

/** Lets the connected source read the debug dumps, which are off. */
export function DumpsSwitch({ small = false }: { readonly small?: boolean }) {
  const cadence = useConnected()?.cadence
  const switchOn = (): void => {
    if (cadence === undefined) return
    ask('sources.cadence', { ...cadence, dumpsEveryMs: DUMPS_MS.default })
      // The status bar and the connection screen show what a failing source says.
      .catch(() => undefined)
  }
  return <Button small={small} onClick={switchOn}>{`Read dumps every ${DUMPS_MS.default / 1_000} s`}</Button>
}
