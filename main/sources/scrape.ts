import { toProblem } from '../../core/errors.ts'
import type { PrometheusPast } from '../../core/contract/prometheus.ts'
import type { Cadence, Target } from '../../core/contract/source.ts'
import { openConnection } from '../cluster/connection.ts'
import type { Consent } from '../cluster/consent.ts'
import { METRICS_LIMITS, type HttpLimits } from '../cluster/httpProblems.ts'
import type { SourceResult } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import { createPastBehind } from './prometheus/behind.ts'
import { scrapeSource } from './scrapeSource.ts'

export interface ScrapeSpec {
  readonly target: Target
  readonly cadence: Cadence
  readonly past?: PrometheusPast
}

/**
 * Reads the metrics pages and debug dumps of one or several API servers. Nothing is contacted before `start`; a
 * kubeconfig that cannot be used is the problem of the result.
 */
export async function createScrapeSource(
  spec: ScrapeSpec,
  environment: Environment,
  consent: Consent,
  limits: HttpLimits = METRICS_LIMITS,
): Promise<SourceResult> {
  try {
    const connection = await openConnection(spec.target, () => environment.now(), { consent })
    const { cadence, past } = spec
    const source = scrapeSource(connection, {
      cadence,
      environment,
      limits,
      ...(past !== undefined &&
        past.pastMs > 0 && {
          behind: (emit, signal) => createPastBehind({ spec: past, environment, consent, emit, signal }),
        }),
    })
    return { ok: true, source }
  } catch (error) {
    return { ok: false, problem: toProblem(error) }
  }
}
