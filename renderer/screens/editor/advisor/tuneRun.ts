import { create } from 'zustand'
import { TUNE_SEEDS, USUAL_GUARD_RAILS } from '../../../../core/contract/bounds.ts'
import type { Problem } from '../../../../core/contract/errors.ts'
import type { TuneAnswer, TuneWish } from '../../../../core/contract/tune.ts'
import { client } from '../../../state/client.ts'

export interface TuneForm {
  readonly from: TuneWish['from']['kind']
  /** One a line. */
  readonly goals: string
  readonly guardRails: string
  /** Levels that may not be changed. */
  readonly kept: readonly string[]
  readonly seeds: string
}

/** A search, from its start on; `connection` is that of the source that it is about. */
export type TuneRun =
  | { readonly state: 'running'; readonly connection: number; readonly part: number }
  | { readonly state: 'failed'; readonly connection: number; readonly problem: Problem }
  | { readonly state: 'done'; readonly connection: number; readonly report: TuneAnswer }

interface TuneStore {
  readonly form: TuneForm
  readonly run?: TuneRun
}

/** Outlives the page, so that a search goes on while another one is shown. */
export const tuneStore = create<TuneStore>(() => ({
  form: {
    from: 'twin',
    goals: '',
    guardRails: USUAL_GUARD_RAILS.join('\n'),
    kept: [],
    seeds: String(TUNE_SEEDS.usual),
  },
}))

let stop: (() => void) | undefined

/** Searches in the place of a search that runs. */
export function startTune(wish: TuneWish): void {
  stop?.()
  const { connection } = wish.from
  tuneStore.setState({ run: { state: 'running', connection, part: 0 } })
  const end = (run: TuneRun): void => {
    stop?.()
    stop = undefined
    tuneStore.setState({ run })
  }
  stop = client().subscribe(
    'tune',
    wish,
    (event) => {
      if (event.kind === 'progress') tuneStore.setState({ run: { state: 'running', connection, part: event.part } })
      else if (event.kind === 'done') end({ state: 'done', connection, report: event.report })
      else end({ state: 'failed', connection, problem: event.problem })
    },
    (problem) => end({ state: 'failed', connection, problem }),
  )
}

/** Ends the search, and with it the threads that it runs in. */
export function cancelTune(): void {
  stop?.()
  stop = undefined
  tuneStore.setState(({ form }) => ({ form }), true)
}
