import { systemEnvironment } from '../../main/ports/environment.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../../main/workspace/workspace.ts'
import { allNamed } from './consent.ts'

interface TestWorkspaceOptions extends Partial<Pick<WorkspaceOptions, 'environment' | 'whatIf'>> {
  /** File of the recorded demo. */
  readonly demo?: string
  /** Replaces the environment of this machine. */
  readonly access?: Partial<WorkspaceOptions['access']>
}

/**
 * Everything behind a surface, with the real clock, network and files where no others are given; its store in memory
 * where it has no folder. A warning fails the test.
 */
export const testWorkspace = (
  stateDir: string | undefined,
  { demo = '', environment = systemEnvironment, access, whatIf }: TestWorkspaceOptions = {},
): Workspace =>
  createWorkspace({
    stateDir,
    environment,
    access: { ...systemAccess(demo, stateDir ?? '/dev/null', allNamed), ...access },
    ...(whatIf !== undefined && { whatIf }),
    version: '0.0.0-test',
    mode: 'memory',
    platform: 'test',
    warn: (sentence) => {
      throw new Error(sentence)
    },
  })
