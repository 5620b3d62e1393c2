// `npm start`: the desktop window where one can open, else the same console in the browser. Takes --web to skip the
// window; everything else goes to the console.
import { ensureBuilt } from './build.mjs'
import { findDesktop } from './desktop.mjs'
import { ensureInstalled, root, run, runTool, SERVICE_FLAGS, toolEnvironment } from './install.mjs'

const given = process.argv.slice(2)
const rest = given.filter((argument) => argument !== '--web')

await ensureInstalled()
await ensureBuilt()

const desktop = given.includes('--web') ? { reason: 'asked for with --web' } : await findDesktop()
if (desktop.binary !== undefined) {
  process.exitCode = await run(desktop.binary, [root, ...rest], { env: toolEnvironment() })
} else {
  process.stdout.write(`Opening in the browser: ${desktop.reason}.\n`)
  process.exitCode = await runTool('node', [...SERVICE_FLAGS, 'out/main/cli.js', 'web', '--open', ...rest])
}
