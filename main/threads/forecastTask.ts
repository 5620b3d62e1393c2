import { FIT_PART } from '../../core/contract/bounds.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { ForecastReport, ForecastWish } from '../../core/contract/forecast.ts'
import { WATCH_MS } from '../../core/twin/effect.ts'
import { fitTwin } from '../../core/twin/fit.ts'
import type { Twin } from '../../core/twin/twin.ts'
import { forecast } from '../../core/twin/forecast.ts'
import { MS_PER_SECOND } from '../../core/units.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { acceptable } from '../live/proposed.ts'
import type { ForecastTask } from '../ports/whatIf.ts'

export interface ForecastSteps {
  /** The part of 1 that is done. */
  readonly tell: (part: number) => void
  readonly onTwin: (twin: Twin) => void
  /** Asked after each run of the forecast: whether the runs so far have to do. */
  readonly enough: () => boolean
}

/** Fits the twin unless there is one, and forecasts the draft. Throws `ProblemError`. */
export function runForecast(
  { wish, evidence, twin: known, widening }: ForecastTask,
  steps: ForecastSteps,
): ForecastReport {
  const { tell, onTwin, enough } = steps
  const twin = known ?? fitted(wish, evidence, (part) => tell(part * FIT_PART))
  if (known === undefined) onTwin(twin)
  const from = known === undefined ? FIT_PART : 0
  const goOn = (part: number): true => {
    tell(from + part * (1 - from))
    return true
  }
  const report = forecast(twin, acceptable(wish.after, wish.version), {
    widening,
    seconds: WATCH_MS / MS_PER_SECOND,
    mayGoOn: goOn,
    enough,
  })
  if (report === undefined) throw CANCELLED
  return report
}

/** Nothing but the end of the thread ends the work. */
const CANCELLED = new ProblemError('cancelled', 'The forecast was cancelled.')

function fitted(
  { before, serverLimit, version }: ForecastWish,
  evidence: ForecastTask['evidence'],
  tell: (part: number) => void,
): Twin {
  const { history = null, flows = [] } = evidence ?? {}
  if (history === null) throw CANCELLED
  const variant = {
    ...defaultVariant('server', acceptable(before, version)),
    version,
    maxRequestsInFlight: serverLimit,
    maxMutatingRequestsInFlight: 0,
  }
  const twin = fitTwin({ history, variant, flows }, (part) => {
    tell(part)
    return true
  })
  if (twin === undefined) throw CANCELLED
  return twin
}
