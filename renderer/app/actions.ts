import { toProblem } from '../../core/contract/errors.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { client } from '../state/client.ts'
import { openScreen } from '../state/route.ts'
import { changeSettings } from '../state/settings.ts'
import { say } from './shellStore.ts'

/** Actions that have no key: the palette and buttons ask for them by name. */
const ACTIONS: Readonly<Record<string, () => void>> = {
  'theme-dark': () => changeSettings({ theme: 'dark' }),
  'theme-light': () => changeSettings({ theme: 'light' }),
  'theme-system': () => changeSettings({ theme: 'system' }),
  'density-compact': () => changeSettings({ density: 'compact' }),
  'density-regular': () => changeSettings({ density: 'regular' }),
  'clock-utc': () => changeSettings({ clock: 'utc' }),
  'clock-local': () => changeSettings({ clock: 'local' }),
  simulation: () => show(SimulationSpecSchema.parse({ kind: 'simulation' })),
  demo: () => show({ kind: 'demo' }),
  disconnect: () => void told(client().call('sources.disconnect', null)),
}

function show(spec: SourceSpec): void {
  void told(client().call('sources.connect', { spec })).then((ok) => ok && openScreen('overview'))
}

export const act = (name: string): void => ACTIONS[name]?.()

/** Waits for an action and says why it failed; true when it did not. */
async function told(action: Promise<unknown>): Promise<boolean> {
  try {
    await action
    return true
  } catch (thrown) {
    say(toProblem(thrown).message)
    return false
  }
}
