import type { ObjectSet } from '../config/objects.ts'
import { withEdit } from '../impact/applyManifests.ts'
import { type Nanoseconds, secondsToNs } from '../units.ts'
import type { Phase, Scenario } from './scenario.ts'

/** Something that happens at an instant of a scenario. */
export type Entry = { readonly atNs: Nanoseconds } & (
  | { readonly kind: 'phase'; readonly phase: Phase }
  /** A controller, given by its index in the scenario, inspects the objects. */
  | { readonly kind: 'pass'; readonly controller: number }
)

/** Events of a scenario other than client requests, in order of time. */
export function agendaOf({ phases, controllers, seconds }: Scenario): readonly Entry[] {
  const passes = controllers.flatMap(({ everySeconds }, controller) =>
    Array.from({ length: Math.floor(seconds / everySeconds) }, (_, turn): Entry => {
      return { kind: 'pass', controller, atNs: secondsToNs((turn + 1) * everySeconds) }
    }),
  )
  const begin = withoutStorage(phases).map((phase): Entry => ({ kind: 'phase', phase, atNs: secondsToNs(phase.at) }))
  return [...begin, ...passes].toSorted((a, b) => a.atNs - b.atNs)
}

/** The phases, with changes during a storage outage postponed until its end and applied together. */
function withoutStorage(phases: readonly Phase[]): readonly Phase[] {
  const inOrder = phases.toSorted((a, b) => a.at - b.at)
  const outages = inOrder.flatMap(({ at, disconnect }) =>
    disconnect === undefined ? [] : [{ from: at, to: at + disconnect.seconds }],
  )
  const late = new Map<number, ObjectSet>()
  const now = inOrder.map(({ configuration, ...phase }): Phase => {
    if (configuration === undefined) return phase
    let end = phase.at
    for (const { from, to } of outages) if (from <= end && end < to) end = to
    if (end === phase.at) return { ...phase, configuration }
    late.set(end, withEdit(late.get(end) ?? { levels: [], schemas: [] }, configuration))
    return phase
  })
  return [...now, ...[...late].map(([at, configuration]): Phase => ({ at, configuration }))]
}
