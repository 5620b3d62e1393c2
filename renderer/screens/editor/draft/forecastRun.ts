import { useEffect, useState } from 'react'
import { FIT_PART } from '../../../../core/bounds.ts'
import { ObjectSetSchema } from '../../../../core/config/schema.ts'
import type { Problem } from '../../../../core/errors.ts'
import type { ForecastReport, ForecastWish } from '../../../../core/contract/forecast.ts'
import { client } from '../../../state/client.ts'
import { useConnected } from '../../../state/connection.ts'
import { shownForecastStore } from '../../../state/draftApply.ts'
import { refusalOf, useRefusal } from '../../../state/limits.ts'
import { useViewPart } from '../../../state/view.ts'
import type { Impact } from './forecast.ts'

export interface ForecastRun {
  /** The last report; it belongs to an earlier draft while `part` is set. */
  readonly report?: ForecastReport
  /** Fraction done, 0 to 1, while a forecast is being computed. */
  readonly part?: number
  readonly problem?: Problem
}

/** Delay after the last keystroke. */
const PAUSE_MS = 300

type Forecastable = Pick<Impact, 'before' | 'after' | 'version'> & {
  readonly limit: Pick<Impact['limit'], 'seats'>
  /** Seats after a restart with other flags. */
  readonly newLimit?: number | undefined
}

const wishOf = (
  of: ForecastWish['of'],
  { before, after, limit: { seats }, newLimit, version }: Forecastable,
): ForecastWish => ({
  of,
  before: ObjectSetSchema.parse(before),
  after: ObjectSetSchema.parse(after),
  serverLimit: seats,
  ...(newLimit !== undefined && { newServerLimit: newLimit }),
  version,
})

/** Fits the twin while there is no draft yet; the main side keeps the fit for the first forecast. */
export function useEarlyFit({ before, limit: { seats }, version }: Forecastable): void {
  const connection = useConnected()?.id
  const server = useViewPart((view) => view.server?.id)
  useEffect(() => {
    if (connection === undefined || server === undefined || refusalOf('forecast') !== undefined) return undefined
    const wish = wishOf({ connection, server }, { before, after: before, limit: { seats }, version })
    // The runs come after the fit, and their results are not used.
    let stop: (() => void) | undefined
    stop = client().subscribe('forecast', wish, (event) => {
      if (event.kind !== 'progress' || event.part > FIT_PART) stop?.()
    })
    return stop
  }, [connection, server, before, seats, version])
}

/** Forecasts the draft on the shown server; the next change of the draft ends the previous run. */
export function useForecast({ before, after, limit: { seats }, newLimit, version }: Forecastable): ForecastRun {
  const connection = useConnected()?.id
  const server = useViewPart((view) => view.server?.id)
  const [run, setRun] = useState<ForecastRun>({})
  const why = useRefusal('forecast')
  useEffect(() => {
    if (connection === undefined || server === undefined || why !== undefined) return undefined
    let stop: (() => void) | undefined
    const end = (last: Pick<ForecastRun, 'report' | 'problem'>): void => {
      stop?.()
      setRun(last)
      // What is applied is the draft, without a restart.
      if (last.report !== undefined && newLimit === undefined)
        shownForecastStore.setState({ shown: { after, report: last.report } }, true)
    }
    const start = (): void => {
      setRun(({ report }) => ({ ...(report && { report }), part: 0 }))
      stop = client().subscribe(
        'forecast',
        wishOf({ connection, server }, { before, after, limit: { seats }, newLimit, version }),
        (event) => {
          if (event.kind === 'progress') setRun(({ report }) => ({ ...(report && { report }), part: event.part }))
          else end(event.kind === 'done' ? { report: event.report } : { problem: event.problem })
        },
        (problem) => end({ problem }),
      )
    }
    const timer = setTimeout(start, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop?.()
      shownForecastStore.setState({}, true)
    }
  }, [connection, server, before, after, seats, newLimit, version, why])
  return why === undefined ? run : { problem: { code: 'forbidden', message: why } }
}
