import path from 'node:path'
import * as electron from 'electron'
import { toProblem } from '../../core/contract/errors.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { createConsent } from '../cluster/consent.ts'
import { namedByOperator } from '../cluster/namedByOperator.ts'
import { systemEnvironment } from '../sources/systemEnvironment.ts'
import { systemAccess } from '../workspace/access.ts'
import { createWorkspace } from '../workspace/workspace.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { boot } from './application.ts'
import { askOperator } from './askOperator.ts'
import { createLog } from './log.ts'

const { app, dialog } = electron
const now = (): number => systemEnvironment.now()
const log = createLog((text) => process.stderr.write(text), now)

/** The end of the application, said to the operator once. */
function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  log('failed', { message })
  dialog.showErrorBox('APF Console has to close', message)
  app.exit(1)
}
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

/** Beside the code in a checkout; a resource of the packaged application (electron-builder.yml). */
const demo = app.isPackaged
  ? path.join(process.resourcesPath, 'demo')
  : path.join(import.meta.dirname, '..', '..', 'assets', 'demo')

function openWorkspace(): Workspace {
  const consent = createConsent({
    named: namedByOperator(process.argv, process.env),
    operator: { where: 'window', ask: askOperator((question) => dialog.showMessageBox(question)) },
    now,
  })
  const stateDir = path.join(app.getPath('userData'), 'state')
  const workspace = createWorkspace({
    stateDir,
    environment: systemEnvironment,
    access: systemAccess(path.join(demo, 'recording.ndjson.br'), stateDir, consent),
    version: app.getVersion(),
    mode: 'desktop',
    platform: process.platform,
    warn: (sentence) => log('warning', { sentence }),
  })
  // Something live from the start; whatever the operator connects takes its place.
  workspace.handlers.procedures['sources.connect']({ spec: SimulationSpecSchema.parse({ kind: 'simulation' }) }).catch(
    (error: unknown) => {
      log('simulation-failed', { message: toProblem(error).message })
    },
  )
  return workspace
}

boot(electron, {
  root: path.join(import.meta.dirname, '..', 'renderer'),
  preload: path.join(import.meta.dirname, '..', 'preload', 'index.cjs'),
  platform: process.platform,
  log,
  now,
  createWorkspace: openWorkspace,
}).catch(fail)
