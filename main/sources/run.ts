import { ProblemError, toProblem } from '../../core/errors.ts'
import type { RunSpec, WhatIfWish } from '../../core/contract/whatif.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { Playback, playbackOf } from '../../core/scenario/playback.ts'
import { nsToSeconds, secondsToNs } from '../../core/units.ts'
import { simulatedArrivals } from '../../core/whatif/simulated.ts'
import { Servers } from '../../core/whatif/servers.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { reactingClients, recordedArrivals, scenarioOf, wishedComparison } from '../live/wished.ts'
import { stillObjects } from '../ports/objectGateway.ts'
import type { SourceResult } from '../ports/source.ts'
import { createRunArchive } from './run/archive.ts'
import { framesNow, type PlayedRun, readingNow, runFrom } from './run/story.ts'
import { isWithoutLevels } from '../../core/frame/reading.ts'

/**
 * The run of one variant as a source: it stands at its end, and its archive serves every other instant. The run is
 * completed before it is connected.
 */
export function createRunSource(spec: RunSpec): SourceResult {
  try {
    const { played, info } = spec.of.kind === 'comparison' ? comparedRun(spec.of, spec) : scenarioRun(spec.of, spec)
    const archive = createRunArchive(played, info)
    const known = archive.upTo()
    return {
      ok: true,
      archive,
      source: {
        info,
        still: true,
        objects: stillObjects({
          target: info.name,
          targetKey: `run ${info.via}`,
          reading: readingNow(played),
          impossible: 'This is a run of the past, so there is no server to apply to: save the changed objects as YAML.',
        }),
        start(_signal, emit) {
          for (const { event } of known) if (event.kind !== 'objects') emit(event)
          for (const { id } of framesNow(played)) {
            const facts = played.run.facts()
            if (facts !== undefined) emit({ kind: 'facts', server: id, facts })
          }
          for (const health of archive.moment(archive.extent().last ?? 0).health) emit({ kind: 'health', health })
        },
      },
    }
  } catch (thrown) {
    return { ok: false, problem: toProblem(thrown) }
  }
}

interface NamedRun {
  readonly played: PlayedRun
  readonly info: SourceInfo
}

type Of<K> = Extract<RunSpec['of'], { readonly kind: K }>

function comparedRun({ wish, variant: place }: Of<'comparison'>, { given = {} }: RunSpec): NamedRun {
  const { baseline, candidates, traffic } = wishedComparison(wish, given)
  const variant = [baseline, ...candidates][place]
  if (variant === undefined) {
    throw new ProblemError('not-found', `The comparison has ${candidates.length + 1} variants, counted from 0.`)
  }
  assertLevels(variant)
  const info: SourceInfo = { kind: 'run', name: variant.name, via: `what if, ${requestsOf(wish)}` }
  if (wish.clients === 'closed') {
    const clients = reactingClients(traffic, [variant])
    return { played: runFrom(new Playback(clients, variant), variant.version, clients.untilNs), info }
  }
  const arrivals = traffic === undefined ? recordedArrivals(given) : simulatedArrivals(traffic, baseline)
  if (arrivals === undefined) throw new Error('nothing ends the arrivals')
  return { played: runFrom(new Servers(variant, arrivals), variant.version, arrivals.endNs), info }
}

function requestsOf({ from, clients }: WhatIfWish): string {
  if (from.kind === 'recorded') return 'recorded requests'
  const what = from.kind === 'cluster' ? `simulated cluster for ${from.seconds} s` : `clients of ${from.name}`
  return `${what}, seed ${from.seed}, ${clients} loop`
}

function scenarioRun({ name, seed, variant: wanted }: Of<'scenario'>, { given = {} }: RunSpec): NamedRun {
  const scenario = { ...scenarioOf(name, given.scenario), seed }
  const variant = scenario.variants.find((one) => one.name === wanted)
  if (variant === undefined) {
    const known = scenario.variants.map((one) => one.name).join(', ')
    throw new ProblemError('not-found', `${name} has no variant ${JSON.stringify(wanted)}; it has ${known}.`)
  }
  assertLevels(variant)
  const endNs = secondsToNs(scenario.seconds)
  const via = `scenario ${name}, ${nsToSeconds(endNs)} s, seed ${seed}`
  const info: SourceInfo = { kind: 'run', name: `${name} ${variant.name}`, via }
  return { played: runFrom(playbackOf(scenario, variant), variant.version, endNs), info }
}

function assertLevels(variant: Pick<Variant, 'name' | 'algorithm'>): void {
  if (!isWithoutLevels(variant)) return
  throw new ProblemError(
    'unsupported',
    `${variant.name} uses the max-in-flight filter, which has no priority levels to show. Step through another variant.`,
  )
}
