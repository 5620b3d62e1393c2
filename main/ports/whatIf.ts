import type { AbortSignalLike } from '../../core/contract/contract.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { LibraryScenario, WhatIfEvent, WhatIfWish } from '../../core/contract/whatif.ts'

/** What a comparison is made of. */
export interface WhatIfTask {
  readonly wish: WhatIfWish
  /** The requests, where they are recorded ones. */
  readonly recorded: readonly LiveRequest[]
}

/** Where comparisons run. */
export interface WhatIfDesk {
  /** The scenarios of the library, in the order of their numbers. */
  scenarios(): Promise<readonly LibraryScenario[]>
  /** Tells how it goes until it is done or failed, or until the signal aborts, which ends the run. */
  run(task: WhatIfTask, emit: (event: WhatIfEvent) => void, signal: AbortSignalLike): void
}
