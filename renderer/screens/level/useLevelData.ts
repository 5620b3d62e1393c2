import { useEffect, useMemo, useRef, useState } from 'react'
import type { ProcedureInput } from '../../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { PermissionReport, ServerHealth } from '../../../core/contract/source.ts'
import type { Histogram } from '../../../core/frame/frame.ts'
import type { HeatMap } from '../../../core/frame/series.ts'
import {
  keepSample,
  windowHistogram,
  type HistogramSample,
  type HistogramWindow,
} from '../../charts/quantileBars.data.ts'
import { client } from '../../state/client.ts'
import { useConnected } from '../../state/connection.ts'
import { bounds } from '../../state/time.logic.ts'
import { timeStore } from '../../state/time.ts'

/** Health of one server of the connected source. */
export function useHealth(server: string | undefined): ServerHealth | undefined {
  return useConnected()?.servers.find((entry) => entry.id === server)
}

/**
 * A value that follows its source a few animation frames later: charts that change with the same sample are drawn in
 * frames of their own, so that none of them takes long (docs/decisions/020-charts.md). A source that changes again
 * meanwhile does not begin the wait anew, or a fast one would never be seen.
 */
export function useLater<T>(value: T, frames: number): T {
  const [shown, setShown] = useState(value)
  const newest = useRef(value)
  const handle = useRef(0)
  useEffect(() => {
    newest.current = value
    if (handle.current !== 0 || Object.is(value, shown)) return
    let left = frames
    const step = (): void => {
      handle.current = 0
      if (left <= 0) setShown(newest.current)
      else {
        left -= 1
        handle.current = requestAnimationFrame(step)
      }
    }
    handle.current = requestAnimationFrame(step)
  }, [value, frames, shown])
  useEffect(
    () => () => {
      cancelAnimationFrame(handle.current)
      handle.current = 0
    },
    [],
  )
  return shown
}

/**
 * A value that follows its source at most once in `ms` milliseconds, at once after a longer rest: nobody reads a table
 * whose rows change places ten times a second.
 */
export function useCalm<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, shown)) return undefined
    const timer = setTimeout(
      () => {
        changedAt.current = performance.now()
        setShown(value)
      },
      Math.max(0, changedAt.current + ms - performance.now()),
    )
    return () => clearTimeout(timer)
  }, [value, shown, ms])
  return shown
}

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

export type HeatWish = Omit<ProcedureInput<'history.heatMap'>, 'from' | 'to'>

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
    const ask = (): void => {
      client()
        .call('history.heatMap', { ...wish, ...bounds(window, timeStore.getState().to) })
        .then(
          (map) => answered({ state: 'ready', map }),
          (thrown: unknown) => answered({ state: 'failed', problem: toProblem(thrown) }),
        )
    }
    ask()
    const timer = paused ? undefined : setInterval(ask, HEAT_EVERY_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [wish, window, paused, known])
  return answer?.wish === wish ? answer.result : LOADING
}

/** The permission report of one server, asked for once when it is needed to show a fix. */
export function usePermissionReport(server: string, needed: boolean): PermissionReport | undefined {
  const [report, setReport] = useState<PermissionReport>()
  const spec = useConnected()?.spec
  const target = useMemo(() => (spec?.kind === 'scrape' ? spec.target : undefined), [spec])
  useEffect(() => {
    if (!needed || target === undefined) return undefined
    let gone = false
    client()
      .call('sources.permissions', { target })
      .then(
        (reports) => !gone && setReport(reports.find((entry) => entry.server === server) ?? reports[0]),
        // Without a report the pane still says which call was refused.
        () => undefined,
      )
    return () => {
      gone = true
    }
  }, [server, needed, target])
  return report
}
