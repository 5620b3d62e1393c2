// `npm start`: the desktop window where one can open, else the same console in the browser. Takes --web to skip the
// window; everything else goes to the console.
import path from 'node:path'
import { ensureBuilt } from './build.mjs'
import { findDesktop } from './desktop.mjs'
import { ensureInstalled, runTool, toolEnvironment } from './install.mjs'
import { root, run, SERVICE_FLAGS, userFolder } from './runtime.mjs'

const given = process.argv.slice(2)
const rest = given.filter((argument) => argument !== '--web')

await ensureInstalled()
await ensureBuilt()

const desktop = given.includes('--web') ? { reason: 'asked for with --web' } : await findDesktop()
if (desktop.binary !== undefined) {
  process.exitCode = await run(desktop.binary, [root, ...rest], { cwd: userFolder(), env: toolEnvironment() })
} else {
  process.stdout.write(`Opening in the browser: ${desktop.reason}.\n`)
  process.exitCode = await runTool(
    'node',
    [...SERVICE_FLAGS, path.join(root, 'out/main/cli.js'), 'web', '--open', ...rest],
    { cwd: userFolder() },
  )
}
