import { create } from 'zustand'
import type { Problem } from '../../../core/contract/errors.ts'
import type { WhatIfReport, WhatIfWish } from '../../../core/contract/whatif.ts'
import { client } from '../../state/client.ts'
import type { WhatIfForm } from './form.logic.ts'

/** A run, from its start on. */
export type Comparison =
  | { readonly state: 'running'; readonly part: number }
  | { readonly state: 'failed'; readonly problem: Problem }
  | {
      readonly state: 'done'
      readonly report: WhatIfReport
      readonly elapsedMs: number
      readonly of: WhatIfForm
      readonly wish: WhatIfWish
    }

interface WhatIfStore {
  /** Absent until the screen is opened. */
  readonly form?: WhatIfForm
  readonly comparison?: Comparison
}

/** Outlives the screen, so that a run goes on while another one is looked at. */
export const whatIfStore = create<WhatIfStore>(() => ({}))

let stop: (() => void) | undefined

/** Runs the comparison in the place of one that runs. */
export function startComparison(wish: WhatIfWish, of: WhatIfForm): void {
  stop?.()
  whatIfStore.setState({ comparison: { state: 'running', part: 0 } })
  const end = (comparison: Comparison): void => {
    stop?.()
    stop = undefined
    whatIfStore.setState({ comparison })
  }
  stop = client().subscribe(
    'whatIf',
    wish,
    (event) => {
      switch (event.kind) {
        case 'progress':
          return whatIfStore.setState({ comparison: { state: 'running', part: event.part } })
        case 'done':
          return end({ state: 'done', report: event.report, elapsedMs: event.elapsedMs, of, wish })
        case 'failed':
          return end({ state: 'failed', problem: event.problem })
      }
    },
    (problem) => end({ state: 'failed', problem }),
  )
}

/** Ends the run, and with it the thread that it runs in. */
export function cancelComparison(): void {
  stop?.()
  stop = undefined
  whatIfStore.setState(({ form }) => (form === undefined ? {} : { form }), true)
}
