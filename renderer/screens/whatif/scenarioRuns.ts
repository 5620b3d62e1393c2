import { create } from 'zustand'
import { toProblem, type Problem } from '../../../core/errors.ts'
import type { ScenarioReport, ScenarioWish } from '../../../core/contract/scenario.ts'
import { recordStep, redoStep, startHistory, undoStep, type History } from '../../../core/draft/draft.ts'
import { client } from '../../state/client.ts'
import { followRun, type Running } from '../../state/running.ts'

export type ScenarioRunState = Running<ScenarioReport> & {
  /** The text of a file that was run; a later change makes the result outdated. */
  readonly text?: string
}

/** A file of the user's own, with its edit history. */
export interface OwnScenario {
  readonly file: string
  readonly history: History<string>
}

interface ScenarioStore {
  /** Name of a scenario of the library, or of a file. */
  readonly selected?: string
  readonly own: readonly OwnScenario[]
  /** Why the last change of a file was not saved. */
  readonly notKept?: Problem
  /** The latest run of each, by name. */
  readonly runs: Readonly<Partial<Record<string, ScenarioRunState>>>
}

/** Outlives the screen, so that a run continues while another screen is shown. */
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
  const stop = followRun<ScenarioReport>(
    (...on) => client().subscribe('scenario', wish, ...on),
    (run) => setRun(name, { ...run, ...(wish.kind === 'file' && { text: wish.text }) }),
  )
  stops.set(name, stop)
}

/** Ends the run and its thread. */
export function cancelScenario(name: string): void {
  stops.get(name)?.()
  stops.delete(name)
  setRun(name, undefined)
}

/** Milliseconds without a change after which a file is saved. */
const REST_MS = 400
const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Saves a file on the main side once it rests, or deletes one that is gone. */
function keep(file: string): void {
  clearTimeout(timers.get(file))
  const write = (): void => {
    timers.delete(file)
    const text = scenarioStore.getState().own.find((one) => one.file === file)?.history.present
    client()
      .call('whatIf.keepScenario', { file, ...(text !== undefined && { text }) })
      .then(
        () => scenarioStore.setState(({ notKept: _gone, ...kept }) => kept, true),
        (thrown: unknown) => scenarioStore.setState({ notKept: toProblem(thrown) }),
      )
  }
  timers.set(file, setTimeout(write, REST_MS))
}

/** Loads the files stored on the main side; open ones stay as they are. */
export async function readOwnScenarios(): Promise<void> {
  const kept = await client().call('whatIf.ownScenarios', null)
  scenarioStore.setState(({ own }) => ({
    own: [
      ...kept
        .filter(({ file }) => own.every((one) => one.file !== file) && !timers.has(file))
        .map(({ file, text }) => ({ file, history: startHistory(text) })),
      ...own,
    ],
  }))
}

export function removeOwnScenario(file: string): void {
  cancelScenario(file)
  scenarioStore.setState(({ own }) => ({ own: own.filter((one) => one.file !== file) }))
  keep(file)
}

/** Adds a file in place of one with the same name, and selects it. */
export function addOwnScenario({ file, text }: { readonly file: string; readonly text: string }): void {
  cancelScenario(file)
  scenarioStore.setState((store) => ({
    selected: file,
    own: [...store.own.filter((one) => one.file !== file), { file, history: startHistory(text) }],
  }))
  keep(file)
}

/** Adds a copy of a scenario of the library, under an unused name. Rejects with the error of the main side. */
export async function addCopyOf(name: string): Promise<void> {
  const text = await client().call('whatIf.scenarioText', { name })
  const taken = new Set(scenarioStore.getState().own.map(({ file }) => file))
  let file = `${name}.yaml`
  for (let number = 2; taken.has(file); number += 1) file = `${name}-${number}.yaml`
  addOwnScenario({ file, text })
}

function change(file: string, next: (history: History<string>) => History<string>): void {
  scenarioStore.setState(({ own }) => ({
    own: own.map((one) => (one.file === file ? { file, history: next(one.history) } : one)),
  }))
  keep(file)
}

/** Changes the text of a file; quick successive changes of one group are undone together. */
export const changeOwnScenario = (file: string, text: string, group: string): void =>
  change(file, (history) => recordStep(history, text, { group, at: Date.now() }))
export const undoOwnScenario = (file: string): void => change(file, undoStep)
export const redoOwnScenario = (file: string): void => change(file, redoStep)
