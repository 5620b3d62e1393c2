import { create } from 'zustand'
import { TUNE_SEEDS, USUAL_GUARD_RAILS } from '../../../../core/bounds.ts'
import type { TuneAnswer, TuneWish } from '../../../../core/contract/tune.ts'
import { client } from '../../../state/client.ts'
import { followRun, type Running } from '../../../state/running.ts'

export interface TuneForm {
  readonly from: TuneWish['from']['kind']
  /** One per line. */
  readonly goals: string
  readonly guardRails: string
  /** Levels that must not be changed. */
  readonly kept: readonly string[]
  readonly seeds: string
}

/** A search; `connection` identifies its source. */
type TuneRun = Running<TuneAnswer> & { readonly connection: number }

/** Outlives the page, so that a search continues while another page is shown. */
export const tuneStore = create<{ readonly form: TuneForm; readonly run?: TuneRun }>(() => ({
  form: {
    from: 'twin',
    goals: '',
    guardRails: USUAL_GUARD_RAILS.join('\n'),
    kept: [],
    seeds: String(TUNE_SEEDS.usual),
  },
}))

let stop: (() => void) | undefined

/** Starts a search in place of a running one. */
export function startTune(wish: TuneWish): void {
  stop?.()
  const { connection } = wish.from
  stop = followRun<TuneAnswer>(
    (...on) => client().subscribe('tune', wish, ...on),
    (run) => tuneStore.setState({ run: { ...run, connection } }),
  )
}

/** Ends the search and its threads. */
export function cancelTune(): void {
  stop?.()
  stop = undefined
  tuneStore.setState(({ form }) => ({ form }), true)
}
