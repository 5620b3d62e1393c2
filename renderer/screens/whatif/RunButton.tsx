import { useState } from 'react'
import { toProblem } from '../../../core/contract/errors.ts'
import type { RunGiven, RunSpec, WhatIfWish } from '../../../core/contract/whatif.ts'
import { Button } from '../../components/Button.tsx'
import { openScreen } from '../../state/route.ts'
import { openRun } from '../../state/runs.ts'
import { say } from '../../state/shell.ts'

/** Opens the run of a variant of a comparison at an instant, seconds after its start, or at its end. */
export function RunButton(props: {
  readonly wish: WhatIfWish
  readonly variant: number
  readonly seconds?: number
  readonly children: React.ReactNode
}) {
  const { wish, variant, seconds, children } = props
  const { algorithm } = [wish.baseline, ...wish.candidates][variant] ?? {}
  return (
    <OpenRun
      of={{ kind: 'comparison', wish, variant }}
      seconds={seconds}
      {...(algorithm === 'max-in-flight' && { impossible: 'The max-in-flight filter has no priority levels to show.' })}
    >
      {children}
    </OpenRun>
  )
}

/** Opens a run and shows it on the Overview. */
export function OpenRun(props: {
  readonly of: RunSpec['of']
  /** The text of a scenario that is not of the library. */
  readonly given?: RunGiven | undefined
  readonly seconds?: number | undefined
  /** Why it cannot be opened. */
  readonly impossible?: string
  readonly children: React.ReactNode
}) {
  const { of, given, seconds, impossible, children } = props
  const [opening, setOpening] = useState(false)
  const open = async (): Promise<void> => {
    setOpening(true)
    try {
      await openRun(of, seconds, given)
      openScreen('overview')
    } catch (thrown) {
      say(toProblem(thrown).message)
    } finally {
      setOpening(false)
    }
  }
  return (
    <Button small disabled={opening || impossible !== undefined} title={impossible} onClick={() => void open()}>
      {opening ? 'Opening the run' : children}
    </Button>
  )
}
