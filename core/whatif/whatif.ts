import type { VariantReport, WhatIfReport } from '../contract/whatif.ts'
import type { Arrivals } from './arrivals.ts'
import { compareDecisions, type DecisionDifferences } from './compare.ts'
import type { WhatIfOptions } from './observe.ts'
import { rankingText } from './ranking.ts'
import { Replay } from './replay.ts'
import type { VariantResult } from './results.ts'
import { type SimulatedTraffic, simulatedResult } from './simulated.ts'
import type { Variant } from './variant.ts'

export interface WhatIfCandidate {
  readonly result: VariantResult
  /** Absent for closed-loop clients, whose requests differ between variants. */
  readonly decisions?: DecisionDifferences
}

/** The same requests, or the same clients, under a baseline and its candidates. */
export interface WhatIfResult extends Pick<WhatIfReport, 'clients' | 'requests' | 'notes'> {
  readonly baseline: VariantResult
  readonly candidates: readonly WhatIfCandidate[]
}

/**
 * Runs the arrivals through each variant. `undefined` when `mayGoOn`, called now and then with how many requests of all
 * variants have been delivered, ended it.
 */
export function whatIf(
  arrivals: Arrivals,
  baseline: Variant,
  candidates: readonly Variant[],
  mayGoOn: (given: number) => boolean = () => true,
  options: WhatIfOptions = {},
): WhatIfResult | undefined {
  const runs: { readonly replay: Replay; readonly result: VariantResult }[] = []
  for (const [number, variant] of [baseline, ...candidates].entries()) {
    const replay = new Replay(variant, arrivals, { ...options, figures: true })
    if (!replay.runToEnd(() => mayGoOn(number * arrivals.list.length + replay.arrived))) return undefined
    const { requestFactor = 1 } = variant
    runs.push({ replay, result: { ...replay.result(), ...(requestFactor < 1 && { requestFactor }) } })
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
  'The clients react to each variant, so their requests differ. Each thread draws the same random values until one of its requests is rejected.'

/** Runs the clients with each variant. `undefined` when `mayGoOn`, called with the completed part, ended it. */
export function whatIfClosed(
  traffic: SimulatedTraffic,
  baseline: Variant,
  candidates: readonly Variant[],
  mayGoOn: (part: number) => boolean = () => true,
  options: WhatIfOptions = {},
): WhatIfResult | undefined {
  const variants = [baseline, ...candidates]
  const results: VariantResult[] = []
  for (const [number, variant] of variants.entries()) {
    const result = simulatedResult(traffic, variant, (part) => mayGoOn((number + part) / variants.length), {
      ...options,
      figures: true,
    })
    if (result === undefined) return undefined
    results.push(result)
  }
  const [first, ...others] = results
  if (first === undefined) return undefined
  return { clients: 'closed', notes: [CLOSED_NOTE], baseline: first, candidates: others.map((result) => ({ result })) }
}

/** The part of a comparison that is shown by level. */
export const reportOf = ({ clients, requests, notes, baseline, candidates }: WhatIfResult): WhatIfReport => ({
  clients,
  ...(requests !== undefined && { requests }),
  notes: [rankingText([baseline, ...candidates.map(({ result }) => result)]), ...notes],
  baseline: byLevel(baseline),
  candidates: candidates.map(({ result, ...rest }) => ({ result: byLevel(result), ...rest })),
})

const byLevel = ({
  name,
  requestFactor,
  fairness,
  codel,
  seconds,
  total,
  levels,
  series,
}: VariantResult): VariantReport => ({
  name,
  ...(requestFactor !== undefined && { requestFactor }),
  ...(fairness !== undefined && { fairness }),
  ...(codel !== undefined && { codel }),
  seconds,
  total,
  levels,
  ...(series !== undefined && { series }),
})
