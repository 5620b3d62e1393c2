import type { AbortSignalLike } from '../../core/contract/contract.ts'
import type { ForecastEvent, ForecastEvidence, ForecastWish } from '../../core/contract/forecast.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { LibraryScenario, WhatIfEvent, WhatIfWish } from '../../core/contract/whatif.ts'
import type { Twin } from '../../core/twin/fit.ts'

/** What a comparison is made of. */
export interface WhatIfTask {
  readonly wish: WhatIfWish
  /** The requests, where they are recorded ones. */
  readonly recorded: readonly LiveRequest[]
}

/** What a forecast is made of: a twin that is fitted already, or what it is fitted to. */
export interface ForecastTask {
  readonly wish: ForecastWish
  readonly evidence?: ForecastEvidence | undefined
  readonly twin?: Twin | undefined
}

/** The twin as soon as it is fitted, then as the page sees it. */
export type ForecastStep = ForecastEvent | { readonly kind: 'twin'; readonly twin: Twin }

/** Where comparisons and forecasts run. */
export interface WhatIfDesk {
  /** The scenarios of the library, in the order of their numbers. */
  scenarios(): Promise<readonly LibraryScenario[]>
  /** Tells how it goes until it is done or failed, or until the signal aborts, which ends the run. */
  run(task: WhatIfTask, emit: (event: WhatIfEvent) => void, signal: AbortSignalLike): void
  /** The same of a forecast. */
  forecast(task: ForecastTask, emit: (step: ForecastStep) => void, signal: AbortSignalLike): void
}
