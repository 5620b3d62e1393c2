import { create } from 'zustand'
import type { Problem } from '../../../core/contract/errors.ts'
import type { ScenarioReport, ScenarioWish } from '../../../core/contract/scenario.ts'
import { client } from '../../state/client.ts'

/** A run of a scenario, from its start on. */
export type ScenarioRunState =
  | { readonly state: 'running'; readonly part: number }
  | { readonly state: 'failed'; readonly problem: Problem }
  | { readonly state: 'done'; readonly report: ScenarioReport; readonly elapsedMs: number }

/** A file of one's own. */
export interface OwnScenario {
  readonly file: string
  readonly text: string
}

interface ScenarioStore {
  /** Name of a scenario of the library, or of a file. */
  readonly selected?: string
  readonly own: readonly OwnScenario[]
  /** The latest run of each, by name. */
  readonly runs: Readonly<Partial<Record<string, ScenarioRunState>>>
}

/** Outlives the page, so that a run goes on while another screen is shown. */
export const scenarioStore = create<ScenarioStore>(() => ({ own: [], runs: {} }))

const stops = new Map<string, () => void>()

function setRun(name: string, run: ScenarioRunState | undefined): void {
  scenarioStore.setState(({ runs }) => {
    const { [name]: _, ...others } = runs
    return { runs: run === undefined ? others : { ...others, [name]: run } }
  })
}

export function startScenario(name: string, wish: ScenarioWish): void {
  stops.get(name)?.()
  setRun(name, { state: 'running', part: 0 })
  const end = (run: ScenarioRunState): void => {
    stops.get(name)?.()
    stops.delete(name)
    setRun(name, run)
  }
  const stop = client().subscribe(
    'scenario',
    wish,
    (event) => {
      switch (event.kind) {
        case 'progress':
          return setRun(name, { state: 'running', part: event.part })
        case 'done':
          return end({ state: 'done', report: event.report, elapsedMs: event.elapsedMs })
        case 'failed':
          return end({ state: 'failed', problem: event.problem })
      }
    },
    (problem) => end({ state: 'failed', problem }),
  )
  stops.set(name, stop)
}

/** Ends the run, and with it the thread that it runs in. */
export function cancelScenario(name: string): void {
  stops.get(name)?.()
  stops.delete(name)
  setRun(name, undefined)
}

/** Adds a file in the place of one of its name, and selects it. */
export function addOwnScenario(own: OwnScenario): void {
  cancelScenario(own.file)
  scenarioStore.setState((store) => ({
    selected: own.file,
    own: [...store.own.filter(({ file }) => file !== own.file), own],
  }))
}
