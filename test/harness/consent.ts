import { resolve } from 'node:path'
import type { Consent } from '../../main/cluster/consent.ts'

/** As if the operator had named every file and address on the command line. */
export const allNamed: Consent = {
  named: { file: (path) => Promise.resolve({ path: resolve(path), by: 'command-line' }), address: () => true },
  confirm: () => Promise.resolve(),
  state: { subscribe: (emit) => emit({ waiting: null }) },
}
