import { systemEnvironment } from '../../main/ports/environment.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import { createWorkspace, type Workspace } from '../../main/workspace/workspace.ts'
import { allNamed } from './consent.ts'

/** Everything behind a surface, with the real clock, network and files. A warning fails the test. */
export const testWorkspace = (stateDir: string, { demo = '' } = {}): Workspace =>
  createWorkspace({
    stateDir,
    environment: systemEnvironment,
    access: systemAccess(demo, stateDir, allNamed),
    version: '0.0.0-test',
    mode: 'memory',
    platform: 'test',
    warn: (sentence) => {
      throw new Error(sentence)
    },
  })
