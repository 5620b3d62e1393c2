import type { Problem } from '../../../core/errors.ts'
import type { ServerHealth } from '../../../core/contract/source.ts'
import type { Acquisition } from '../../../core/frame/frame.ts'
import { median } from '../../../core/frame/quantile.ts'

/** Number of scrapes that medians cover, and number of failures that are kept. */
const COSTS = 30
const FAILURES = 8

/** The health of one server, written by its scrape loop and its dump poller; each entry is emitted. */
export interface HealthBook {
  /** A page became a frame. `clockOffsetMs` is absent when the server sent no Date. */
  good(at: string, acquisition: Acquisition, clockOffsetMs: number | undefined, ownLevelUid: string | undefined): void
  failed(at: string, problem: Problem, nextTryAt: string): void
  /** The state of reading the debug dumps. */
  dumps(dumps: ServerHealth['dumps']): void
  /** How far the past has been read. */
  past(past: NonNullable<ServerHealth['past']>): void
  /** The Prometheus from which the server is read; emitted with the next entry. */
  prometheus(prometheus: NonNullable<ServerHealth['prometheus']>): void
  /** Replaces the note of this key; `undefined` removes it. */
  note(key: string, text: string | undefined): void
}

export function createHealthBook(
  id: string,
  notes: readonly string[],
  onHealth: (health: ServerHealth) => void,
): HealthBook {
  const keyed = new Map(notes.map((text) => [text, text]))
  const fetchMs: number[] = []
  const parseMs: number[] = []
  let health: ServerHealth = { id, status: 'connecting', failures: [] }

  const write = (next: ServerHealth): void => {
    const { notes: _, ...rest } = next
    health = keyed.size === 0 ? rest : { ...rest, notes: [...keyed.values()] }
    onHealth(health)
  }
  write(health)

  return {
    good(at, acquisition, clockOffsetMs, ownLevelUid) {
      const { nextTryAt: _, clockOffsetMs: __, ...rest } = health
      remember(fetchMs, acquisition.fetchMs)
      remember(parseMs, acquisition.parseMs)
      write({
        ...rest,
        status: 'ok',
        lastGoodAt: at,
        failures: [],
        fetchMs: usual(fetchMs),
        parseMs: usual(parseMs),
        bytes: acquisition.bytes,
        wireBytes: acquisition.wireBytes,
        families: acquisition.families,
        ...(clockOffsetMs === undefined ? {} : { clockOffsetMs }),
        ...(ownLevelUid === undefined ? {} : { ownLevelUid }),
      })
    },
    failed(at, problem, nextTryAt) {
      const failures = [...health.failures, { at, problem }].slice(-FAILURES)
      write({ ...health, status: 'failing', failures, nextTryAt })
    },
    dumps(dumps) {
      write({ ...health, dumps })
    },
    past(past) {
      write({ ...health, past })
    },
    prometheus(prometheus) {
      health = { ...health, prometheus }
    },
    note(key, text) {
      if (keyed.get(key) === text) return
      if (text === undefined) keyed.delete(key)
      else keyed.set(key, text)
      write(health)
    },
  }
}

function remember(costs: number[], cost: number | undefined): void {
  if (cost === undefined) return
  costs.push(cost)
  if (costs.length > COSTS) costs.shift()
}

/** Milliseconds, to a hundredth; `undefined` without any. */
function usual(costs: readonly number[]): number | undefined {
  const middle = median(costs)
  return middle === undefined ? undefined : Math.round(middle * 100) / 100
}
