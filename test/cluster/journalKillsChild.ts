/**
 * A console that changes levels without end, to be killed while it does: `journalKillsChild.ts STATE KUBECONFIG SLOT`.
 * Each change carries a mark of its own. Prints `sending` before each; levels `own-SLOT-N` are its own, `shared-N` are
 * not.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { versionOf } from '../../core/config/content.ts'
import type { ObjectsState } from '../../core/contract/objects.ts'
import { CadenceSchema } from '../../core/contract/source.ts'
import { LEVEL, level, limited } from './flowControl.ts'
import { MARK } from './journalMark.ts'
import { oneSourceOf } from '../harness/oneSource.ts'
import { testWorkspace } from '../harness/workspace.ts'

const [stateDir = '', file = '', slot = ''] = process.argv.slice(2)
const console = oneSourceOf(testWorkspace(stateDir).handlers)
const states: ObjectsState[] = []
console.subscribe('objects', null, (state) => (states[0] = state))
await console.call('sources.connect', {
  spec: { kind: 'scrape', target: { kind: 'kubeconfig', file }, cadence: CadenceSchema.parse({}) },
})
while (states[0]?.state !== 'current') await pause(5)
await console.call('editing.switch', { on: true })

const any = (count: number): number => Math.floor(Math.random() * count)
for (;;) {
  const name = Math.random() < 0.5 ? `own-${slot}-${any(3)}` : `shared-${any(3)}`
  const present = states[0]?.objects.levels.find(({ metadata }) => metadata.name === name)
  const base = present && versionOf(present)
  const gone = present !== undefined && Math.random() < 0.25
  const annotations = { [MARK]: randomUUID() }
  const object = gone ? null : level(name, limited(1 + any(50)), { annotations })
  process.send?.('sending')
  await console.call('objects.apply', {
    changes: [{ kind: LEVEL, name, object, ...(base && { base }) }],
    force: true,
  })
}
