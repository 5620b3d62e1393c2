import { useEffect } from 'react'
import { create } from 'zustand'
import type { SimulationControl, SimulationObjects, SimulationState } from '../../core/contract/simulation.ts'
import { client } from './client.ts'
import { useConnected, type Connected } from './connection.ts'
import { sampleDistanceMs } from './view.logic.ts'

/** Objects as they were before an edit, and what the edit was about. */
export interface Edit {
  readonly connection: number
  readonly of: string
  readonly before: SimulationObjects
}

interface SimulationStore {
  /** How the simulation goes; what was heard of one that is not connected any more stays until the next. */
  readonly state?: SimulationState
  /** The objects of the connected simulation, as last read or applied here. */
  readonly objects?: { readonly connection: number; readonly objects: SimulationObjects }
  /** Edits of this page that can be undone, oldest first. */
  readonly edits: readonly Edit[]
}

const MOST_EDITS = 50

export const simulationStore = create<SimulationStore>(() => ({ edits: [] }))

/** The connection when what is connected is a simulation. */
export function useSimulation(): Connected | undefined {
  const connected = useConnected()
  return connected?.source.kind === 'simulation' ? connected : undefined
}

/** How the connected simulation goes; nothing for other sources. */
export function useSimulationState(): SimulationState | undefined {
  const simulation = useSimulation()
  const state = simulationStore((store) => store.state)
  return simulation === undefined ? undefined : state
}

/** Usual distance of the samples of a connection, milliseconds. */
export function useSampleDistance(connection: Connected): number {
  const speed = useSimulationState()?.speed
  return sampleDistanceMs(connection.cadence.intervalMs, speed)
}

/** Steers the simulated server, for everybody who looks at it; rejects with `ProblemError`. */
export async function controlSimulation(change: SimulationControl): Promise<void> {
  simulationStore.setState({ state: await client().call('simulation.control', change) })
}

/** Reads the objects, which another page may have edited meanwhile; rejects with `ProblemError`. */
export async function readObjects(connection: number): Promise<SimulationObjects> {
  const objects = await client().call('simulation.objects', null)
  simulationStore.setState({ objects: { connection, objects } })
  return objects
}

/** The objects of the connected simulation; nothing for other sources, and before they were read. */
export function useSimulationObjects(): SimulationObjects | undefined {
  const id = useSimulation()?.id
  const held = simulationStore(({ objects }) => objects)
  const missing = id !== undefined && held?.connection !== id
  useEffect(() => {
    // Without them the screen shows what the frames alone say.
    if (missing) readObjects(id).catch(() => undefined)
  }, [id, missing])
  return id === undefined || missing ? undefined : held?.objects
}

/** Applies an edit. Resolves to a sentence when the engine leaves an object out; rejects with `ProblemError`. */
export async function applyEdit(edit: Edit, objects: SimulationObjects): Promise<string | undefined> {
  const { refused } = await client().call('simulation.configure', { objects })
  simulationStore.setState(({ edits }) => ({
    objects: { connection: edit.connection, objects },
    edits: [...edits, edit].slice(-MOST_EDITS),
  }))
  const [first] = refused
  return first === undefined ? undefined : `The server leaves ${first.name} out: ${first.reason}.`
}

/** Applies what was before an edit; rejects with `ProblemError`. */
export async function undoEdit(edit: Edit): Promise<void> {
  const { connection, before: objects } = edit
  await client().call('simulation.configure', { objects })
  simulationStore.setState(({ edits }) => ({
    objects: { connection, objects },
    edits: edits.filter((one) => one !== edit),
  }))
}

/** The last edit that this page made of the connected simulation. */
export function useLastEdit(): Edit | undefined {
  const id = useSimulation()?.id
  const last = simulationStore(({ edits }) => edits.at(-1))
  return id !== undefined && last?.connection === id ? last : undefined
}
