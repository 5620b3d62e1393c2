import { objectNamed, type ObjectSet } from '../config/objects.ts'
import { namedState, randomOf, type RandomState } from '../simulate/random.ts'
import { reconcile, withCondition } from '../simulate/objects.ts'
import { nsToMs, type Nanoseconds, rfc3339, secondsToNs } from '../units.ts'
import type { Controller } from './scenario.ts'

/** Writes of a flow schema's status per minute after which a controller pauses (specification 7.6). */
const MOST_WRITES = 6
const MINUTE_NS = secondsToNs(60)
/** The pause: whole seconds, from the first, inclusive, to the second, exclusive. */
const PAUSE = { from: 30, below: 75 } as const

interface State {
  writes: number
  /** Times of its writes within the last minute. */
  recent: Nanoseconds[]
  pausedUntilNs: Nanoseconds
  readonly random: RandomState
}

/** Controllers that write flow-control objects while a scenario runs, each with its own period. */
export class Controllers {
  private states: readonly State[]
  private readonly controllers: readonly Controller[]

  constructor(controllers: readonly Controller[], seed: number) {
    this.controllers = controllers
    this.states = controllers.map(({ name }) => ({
      writes: 0,
      recent: [],
      pausedUntilNs: 0,
      random: namedState(seed, `controller ${name}`),
    }))
  }

  /** One pass of a controller; returns the same objects if it has nothing to write or has to pause. */
  pass(index: number, objects: ObjectSet, nowNs: Nanoseconds): ObjectSet {
    const [controller, state] = [this.controllers[index], this.states[index]]
    if (controller === undefined || state === undefined) throw new Error(`there is no controller ${index}`)
    if (controller.kind === 'maintains') {
      const after = reconcile(objects, controller.version)
      state.writes += differing(objects, after)
      return after
    }
    const schema = objectNamed(objects.schemas, controller.schema)
    if (schema === undefined || nowNs < state.pausedUntilNs) return objects
    const { type, status } = controller
    if (schema.status?.conditions?.some((one) => one.type === type && one.status === status) === true) return objects
    state.recent = state.recent.filter((atNs) => atNs > nowNs - MINUTE_NS)
    if (state.recent.length >= MOST_WRITES) {
      const seconds = PAUSE.from + Math.floor(randomOf(state.random)() * (PAUSE.below - PAUSE.from))
      state.pausedUntilNs = nowNs + secondsToNs(seconds)
      return objects
    }
    state.recent.push(nowNs)
    state.writes += 1
    const condition = { type, status, lastTransitionTime: rfc3339(nsToMs(nowNs)) }
    const written = withCondition(schema, condition)
    return { ...objects, schemas: objects.schemas.map((one) => (one === schema ? written : one)) }
  }

  /** Number of objects written by each controller, by name. */
  writes(): ReadonlyMap<string, number> {
    return new Map(this.controllers.map(({ name }, index) => [name, this.states[index]?.writes ?? 0]))
  }

  checkpoint(): readonly Readonly<State>[] {
    return this.states.map(copied)
  }

  restore(states: readonly Readonly<State>[]): void {
    this.states = states.map(copied)
  }
}

const copied = (state: Readonly<State>): State => ({ ...state, recent: [...state.recent], random: [...state.random] })

/** Number of objects created, changed or deleted between two sets. */
function differing(before: ObjectSet, after: ObjectSet): number {
  const changed = <O extends { readonly metadata: { readonly name: string } }>(
    from: readonly O[],
    to: readonly O[],
  ): number => {
    const old = new Map(from.map((object) => [object.metadata.name, object]))
    const written = to.filter((object) => old.get(object.metadata.name) !== object).length
    const names = new Set(to.map(({ metadata }) => metadata.name))
    return written + from.filter(({ metadata }) => !names.has(metadata.name)).length
  }
  return changed(before.levels, after.levels) + changed(before.schemas, after.schemas)
}
