import { useState } from 'react'
import type { FirstDifference, RunGiven, RunSpec, WhatIfWish } from '../../../core/contract/whatif.ts'
import { Button } from '../../components/Button.tsx'
import { openBeside, type OpenedPair } from '../../state/beside.ts'
import { openScreen } from '../../state/route.ts'
import { openRun } from '../../state/runs.ts'
import { sayFailure } from '../../state/shell.ts'
import { isWithoutLevels } from '../../../core/frame/reading.ts'

/** Opens the run of a variant of a comparison at an instant, seconds after its start, or at its end. */
export function RunButton(props: {
  readonly wish: WhatIfWish
  readonly variant: number
  readonly seconds?: number
  readonly children: React.ReactNode
}) {
  const { wish, variant, seconds, children } = props
  const of = { kind: 'comparison', wish, variant } as const
  return (
    <OpenRun of={of} seconds={seconds} steppable={isSteppable(wish, variant)}>
      {children}
    </OpenRun>
  )
}

function isSteppable({ baseline, candidates }: WhatIfWish, place: number): boolean {
  const variant = [baseline, ...candidates][place]
  return variant === undefined || !isWithoutLevels(variant)
}

/** Opens a candidate of a comparison beside the baseline, at the first decision that differs. */
export function CompareButton(props: {
  readonly wish: WhatIfWish
  readonly variant: number
  readonly first: FirstDifference | undefined
}) {
  const { wish, variant, first } = props
  const all = [wish.baseline, ...wish.candidates].map(({ name }, place) => ({
    name,
    place,
    of: { kind: 'comparison', wish, variant: place } as const,
  }))
  const choices = all.filter(({ place }) => isSteppable(wish, place))
  const at = (place: number): number => choices.findIndex((choice) => choice.place === place)
  return (
    <BesideButton
      pair={{ choices, a: at(0), b: at(variant) }}
      first={first}
      steppable={at(0) !== -1 && at(variant) !== -1}
    />
  )
}

const WITHOUT_LEVELS = 'The max-in-flight filter has no priority levels to show.'

/** Opens a run and shows it on the Overview. */
export const OpenRun = (props: {
  readonly of: RunSpec['of']
  /** The text of a scenario from outside the library. */
  readonly given?: RunGiven | undefined
  readonly seconds?: number | undefined
  readonly steppable: boolean
  readonly children: React.ReactNode
}) => {
  const { of, given, seconds, steppable, children } = props
  const open = async (): Promise<void> => {
    await openRun(of, seconds, given)
    openScreen('overview')
  }
  return (
    <OpeningButton open={open} steppable={steppable}>
      {children}
    </OpeningButton>
  )
}

/** Opens two runs for stepping side by side, at the first decision that differs if there is one. */
export const BesideButton = (props: {
  readonly pair: Omit<OpenedPair, 'request'>
  readonly first: FirstDifference | undefined
  /** After the start, where no decision differs. */
  readonly seconds?: number
  readonly steppable: boolean
}) => {
  const { pair, first, seconds = 0, steppable } = props
  return (
    <OpeningButton
      open={() => openBeside({ ...pair, request: first?.request }, first?.seconds ?? seconds)}
      steppable={steppable}
      {...(first !== undefined && { 'data-first-difference': '' })}
    >
      {first === undefined ? 'Side by side' : 'First difference'}
    </OpeningButton>
  )
}

function OpeningButton(props: {
  readonly open: () => Promise<void>
  readonly steppable: boolean
  readonly 'data-first-difference'?: string
  readonly children: React.ReactNode
}) {
  const { open, steppable, children, ...marks } = props
  const [opening, setOpening] = useState(false)
  const press = async (): Promise<void> => {
    setOpening(true)
    try {
      await open()
    } catch (thrown) {
      sayFailure(thrown)
    } finally {
      setOpening(false)
    }
  }
  return (
    <Button
      small
      disabled={opening || !steppable}
      title={steppable ? undefined : WITHOUT_LEVELS}
      onClick={() => void press()}
      {...marks}
    >
      {opening ? 'Opening the run' : children}
    </Button>
  )
}
