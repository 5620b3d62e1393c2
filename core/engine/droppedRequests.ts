/** Most seconds that a client is told to wait. */
const MAX_RETRY_AFTER = 32

interface Second {
  readonly at: number
  readonly count: number
}
interface LevelState {
  retryAfter: number
  lastIncrease: number
  second: number
  count: number
  history: Second[]
}

/**
 * What Retry-After the rejected requests of a level are told (specification 4.14): doubled when drops keep coming at the
 * present value, lowered by one when they become few. It only moves when the first drop of a new second is recorded.
 */
export class DroppedRequests {
  private readonly levels = new Map<string, LevelState>()

  /** Seconds that a request of this level, rejected now, is told to wait. */
  retryAfter(level: string): number {
    return this.levels.get(level)?.retryAfter ?? 1
  }

  /** Records one drop; `unixSeconds` is whole. */
  record(level: string, unixSeconds: number): void {
    let state = this.levels.get(level)
    if (state === undefined) {
      state = { retryAfter: 1, lastIncrease: 0, second: 0, count: 0, history: [] }
      this.levels.set(level, state)
    }
    if (unixSeconds === state.second) {
      state.count += 1
      return
    }
    state.history.push({ at: state.second, count: state.count })
    const keep = Math.min(2 * state.retryAfter, MAX_RETRY_AFTER)
    const second = state.second
    state.history = state.history.slice(state.history.findIndex(({ at }) => second - at <= keep))
    state.second = unixSeconds
    state.count = 1
    this.adapt(state)
  }

  private adapt(state: LevelState): void {
    const { second, retryAfter } = state
    let dropped = 0
    for (const { at, count } of state.history.toReversed()) {
      if (second - at > retryAfter) break
      if (at < second) dropped += count
    }
    if (second - state.lastIncrease >= retryAfter && dropped >= 3 * retryAfter) {
      state.retryAfter = Math.min(MAX_RETRY_AFTER, 2 * retryAfter)
      state.lastIncrease = second
    } else if (dropped < retryAfter && retryAfter > 1) {
      state.retryAfter -= 1
    }
  }
}
