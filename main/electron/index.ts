import path from 'node:path'
import * as electron from 'electron'
import { toProblem, messageOf } from '../../core/errors.ts'
import { UsageError } from '../cli/usage.ts'
import { createConsent } from '../cluster/consent.ts'
import { namedByOperator } from '../cluster/namedByOperator.ts'
import { systemEnvironment } from '../ports/environment.ts'
import { openInThread } from '../threads/sourceThread.ts'
import { whatIfInThread } from '../threads/whatIf.ts'
import { systemAccess } from '../workspace/access.ts'
import { connectFirst, createWorkspace, type Workspace } from '../workspace/workspace.ts'
import { boot, askOperator } from './application.ts'
import { createLog } from './crash.ts'
import { isLink } from './link.ts'
import { addressIn, argumentsOf, type Opening, openingOf, usualOpening } from './sourceArguments.ts'

const { app, dialog } = electron
const now = (): number => systemEnvironment.now()
const log = createLog((text) => process.stderr.write(text), now)

/** The end of the application, reported to the operator once. */
function fail(error: unknown): void {
  const message = messageOf(error)
  log('failed', { message })
  dialog.showErrorBox('APF Console must close', message)
  app.exit(1)
}
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

/** Folders next to the code in a checkout; resources of the packaged application (electron-builder.yml). */
const resources = app.isPackaged ? process.resourcesPath : path.join(import.meta.dirname, '..', '..', 'assets')

/** Available once the application is ready. */
const stateFolder = (): string => path.join(app.getPath('userData'), 'state')

const given = { arguments: argumentsOf(process.argv, app.isPackaged), cwd: process.cwd() }
/** The arguments that the operator typed. A link, and anything that comes with it, may be from anyone. */
const words = given.arguments.some(isLink) ? [] : process.argv
let workspace: Workspace | undefined

/** Connects what is opened; a failure is reported in a dialog. */
async function open(find: () => Promise<Opening | undefined>, otherwise?: Opening): Promise<void> {
  const opening = await find().catch((error: unknown) => {
    const message = error instanceof UsageError ? error.message : toProblem(error).message
    log('open-failed', { message })
    dialog.showErrorBox('APF Console cannot open this', message)
    return undefined
  })
  const { spec, cadence } = opening ?? otherwise ?? {}
  if (spec === undefined || cadence === undefined || workspace === undefined) return
  try {
    await connectFirst(workspace.handlers, spec, cadence)
  } catch (error) {
    const { message } = toProblem(error)
    log('connect-failed', { message })
    dialog.showErrorBox('APF Console cannot connect', message)
  }
}

/** The address of a link; a failure is reported in a dialog. */
function addressOf(later: readonly string[]): string | undefined {
  try {
    return addressIn(later)
  } catch (error) {
    const message = messageOf(error)
    log('link-refused', { message })
    dialog.showErrorBox('APF Console cannot open this link', message)
    return undefined
  }
}

function openWorkspace(files: readonly string[]): Workspace {
  const consent = createConsent({
    named: namedByOperator(words, process.env),
    operator: { where: 'window', ask: askOperator((question) => dialog.showMessageBox(question)) },
    now,
  })
  const stateDir = stateFolder()
  const recording = path.join(resources, 'demo', 'recording.ndjson.br')
  workspace = createWorkspace({
    stateDir,
    environment: systemEnvironment,
    access: systemAccess(recording, stateDir, consent),
    // Electron can load threads from its archive too (electron/electron#33216).
    open: openInThread({
      file: path.join(import.meta.dirname, 'thread.js'),
      stateDir,
      recording,
      words,
      consent,
    }),
    whatIf: whatIfInThread({
      file: path.join(import.meta.dirname, 'whatif.js'),
      scenarioFolder: path.join(resources, 'scenarios'),
    }),
    version: app.getVersion(),
    mode: 'desktop',
    platform: process.platform,
    warn: (sentence) => log('warning', { sentence }),
  })
  // Live data from the start; any source that the operator connects replaces it.
  void open(() => openingOf([...given.arguments, ...files], { cwd: given.cwd, stateDir }), usualOpening())
  return workspace
}

boot(electron, {
  root: path.join(import.meta.dirname, '..', 'renderer'),
  preload: path.join(import.meta.dirname, '..', 'preload', 'index.cjs'),
  platform: process.platform,
  log,
  now,
  createWorkspace: openWorkspace,
  given,
  addressIn: addressOf,
  openGiven: (later) => void open(() => openingOf(later.arguments, { cwd: later.cwd, stateDir: stateFolder() })),
  openPaths: (paths) => void open(() => openingOf(paths, { cwd: given.cwd, stateDir: stateFolder() })),
}).catch(fail)
