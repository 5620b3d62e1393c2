import { useEffect, useState } from 'react'
import { ObjectSetSchema } from '../../../../core/config/schema.ts'
import type { Problem } from '../../../../core/contract/errors.ts'
import type { ForecastReport } from '../../../../core/contract/forecast.ts'
import { client } from '../../../state/client.ts'
import { useConnected } from '../../../state/connection.ts'
import { shownForecastStore } from '../../../state/draftApply.ts'
import { useViewPart } from '../../../state/view.ts'
import type { Impact } from './forecast.ts'

export interface ForecastRun {
  /** The last report; of an earlier draft while `part` is there. */
  readonly report?: ForecastReport
  /** Part of 1 that is done while a forecast is being computed. */
  readonly part?: number
  readonly problem?: Problem
}

/** After the last keystroke. */
const PAUSE_MS = 300

/** Forecasts the draft on the shown server; the next change of it ends the run before. */
export function useForecast({ before, after, limit: { seats }, version }: Impact): ForecastRun {
  const connection = useConnected()?.id
  const server = useViewPart((view) => view.server?.id)
  const [run, setRun] = useState<ForecastRun>({})
  useEffect(() => {
    if (connection === undefined || server === undefined) return undefined
    let stop: (() => void) | undefined
    const end = (last: Pick<ForecastRun, 'report' | 'problem'>): void => {
      stop?.()
      setRun(last)
      if (last.report !== undefined) shownForecastStore.setState({ shown: { after, report: last.report } }, true)
    }
    const start = (): void => {
      setRun(({ report }) => ({ ...(report && { report }), part: 0 }))
      stop = client().subscribe(
        'forecast',
        {
          of: { connection, server },
          before: ObjectSetSchema.parse(before),
          after: ObjectSetSchema.parse(after),
          serverLimit: seats,
          version,
        },
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
  }, [connection, server, before, after, seats, version])
  return run
}
