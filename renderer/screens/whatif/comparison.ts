import { create } from 'zustand'
import type { WhatIfReport, WhatIfWish } from '../../../core/contract/whatif.ts'
import { client } from '../../state/client.ts'
import { followRun, type Running } from '../../state/running.ts'
import type { WhatIfForm } from './form.logic.ts'

export type Comparison = Running<WhatIfReport> & { readonly of: WhatIfForm; readonly wish: WhatIfWish }

interface WhatIfStore {
  /** Absent until the screen is opened. */
  readonly form?: WhatIfForm
  readonly comparison?: Comparison
}

/** Outlives the screen, so that a run continues while another screen is shown. */
export const whatIfStore = create<WhatIfStore>(() => ({}))

let stop: (() => void) | undefined

/** Starts a comparison in place of a running one. */
export function startComparison(wish: WhatIfWish, of: WhatIfForm): void {
  stop?.()
  stop = followRun<WhatIfReport>(
    (...on) => client().subscribe('whatIf', wish, ...on),
    (run) => whatIfStore.setState({ comparison: { ...run, of, wish } }),
  )
}

/** Ends the run and its thread. */
export function cancelComparison(): void {
  stop?.()
  stop = undefined
  whatIfStore.setState(({ form }) => (form === undefined ? {} : { form }), true)
}
