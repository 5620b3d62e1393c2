import type { Arrivals } from './arrivals.ts'
import { compareDecisions, type DecisionDifferences } from './compare.ts'
import { Replay } from './replay.ts'
import type { VariantResult } from './results.ts'
import { type SimulatedTraffic, simulatedResult } from './simulated.ts'
import type { Variant } from './variant.ts'

export interface WhatIfCandidate {
  readonly result: VariantResult
  /** Absent with closed-loop clients, whose requests differ from variant to variant. */
  readonly decisions?: DecisionDifferences
}

/** The same requests, or the same clients, under a baseline and its candidates. */
export interface WhatIfResult {
  /**
   * `open`: the same list of requests for every variant, whatever it decides. `closed`: the same simulated clients, which wait
   * for answers, back off and try again.
   */
  readonly clients: 'open' | 'closed'
  /** Of the list; absent with closed-loop clients. */
  readonly requests?: number
  readonly notes: readonly string[]
  readonly baseline: VariantResult
  readonly candidates: readonly WhatIfCandidate[]
}

/**
 * Gives the arrivals to each variant. `undefined` when `mayGoOn`, asked now and then with how many requests of all variants
 * have been given, ended it.
 */
export function whatIf(
  arrivals: Arrivals,
  baseline: Variant,
  candidates: readonly Variant[],
  mayGoOn: (given: number) => boolean = () => true,
): WhatIfResult | undefined {
  const runs: { readonly replay: Replay; readonly result: VariantResult }[] = []
  for (const [number, variant] of [baseline, ...candidates].entries()) {
    const replay = new Replay(variant, arrivals)
    if (!replay.runToEnd(() => mayGoOn(number * arrivals.list.length + replay.arrived))) return undefined
    runs.push({ replay, result: replay.result() })
  }
  const [first, ...others] = runs
  if (first === undefined) return undefined
  return {
    clients: 'open',
    requests: arrivals.list.length,
    notes: arrivals.notes,
    baseline: first.result,
    candidates: others.map(({ replay, result }) => ({
      result,
      decisions: compareDecisions(arrivals, first.replay, replay),
    })),
  }
}

const CLOSED_NOTE =
  'The clients react to each variant, so its requests are its own; what a thread draws at random is the same as long as it is not turned away.'

/** Sets the clients before each variant. `undefined` when `mayGoOn`, asked now and then, ended it. */
export function whatIfClosed(
  traffic: SimulatedTraffic,
  baseline: Variant,
  candidates: readonly Variant[],
  mayGoOn: () => boolean = () => true,
): WhatIfResult | undefined {
  const first = simulatedResult(traffic, baseline, mayGoOn)
  if (first === undefined) return undefined
  const results: VariantResult[] = []
  for (const variant of candidates) {
    const result = simulatedResult(traffic, variant, mayGoOn)
    if (result === undefined) return undefined
    results.push(result)
  }
  return { clients: 'closed', notes: [CLOSED_NOTE], baseline: first, candidates: results.map((result) => ({ result })) }
}
