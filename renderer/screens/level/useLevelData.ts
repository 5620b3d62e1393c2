import { useEffect, useMemo, useState } from 'react'
import type { ProcedureInput } from '../../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { Histogram } from '../../../core/frame/frame.ts'
import type { HeatMap } from '../../../core/frame/series.ts'
import { keepSample, windowHistogram, type HistogramSample, type HistogramWindow } from '../../charts/QuantileBars.tsx'
import { bounds } from '../../state/time.logic.ts'
import { timeStore } from '../../state/time.ts'
import { ask } from '../../state/connection.ts'

const WINDOW_MS = 60_000

interface KeptSamples {
  readonly identity: string
  readonly samples: readonly HistogramSample[]
}
const NO_SAMPLES: readonly HistogramSample[] = []

/** The last minute of a cumulative histogram, from the frames seen since this screen opened. */
export function useHistogramWindow(
  identity: string,
  at: number,
  histogram: Histogram | undefined,
): HistogramWindow | undefined {
  const [kept, setKept] = useState<KeptSamples>({ identity, samples: NO_SAMPLES })
  const before = kept.identity === identity ? kept.samples : NO_SAMPLES
  const samples = histogram === undefined ? NO_SAMPLES : keepSample(before, { at, histogram }, WINDOW_MS)
  // State that follows what is rendered: React renders once more at once, and then nothing differs.
  if (samples !== kept.samples || identity !== kept.identity) setKept({ identity, samples })
  return useMemo(() => windowHistogram(samples), [samples])
}

export type HeatMapResult =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly map: HeatMap }
  | { readonly state: 'failed'; readonly problem: Problem }

const LOADING: HeatMapResult = { state: 'loading' }

/** While live, a heat map is asked for again after this long: its cells are many seconds wide. */
const HEAT_EVERY_MS = 5_000

export type HeatWish = Omit<ProcedureInput<'history.heatMap'>, 'connection' | 'from' | 'to'>

/** The heat map over the shown range; the previous one stays until the next has come. `wish` must be stable. */
export function useHeatMap(wish: HeatWish): HeatMapResult {
  const [answer, setAnswer] = useState<{ wish: HeatWish; result: HeatMapResult }>()
  const window = timeStore((state) => state.window)
  const paused = timeStore((state) => state.paused)
  const known = timeStore((state) => state.to > 0)
  useEffect(() => {
    if (!known) return undefined
    let gone = false
    const answered = (result: HeatMapResult): void => {
      if (!gone) setAnswer({ wish, result })
    }
    const read = (): void => {
      ask('history.heatMap', { ...wish, ...bounds(window, timeStore.getState().to) }).then(
        (map) => answered({ state: 'ready', map }),
        (thrown: unknown) => answered({ state: 'failed', problem: toProblem(thrown) }),
      )
    }
    read()
    const timer = paused ? undefined : setInterval(read, HEAT_EVERY_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [wish, window, paused, known])
  return answer?.wish === wish ? answer.result : LOADING
}
