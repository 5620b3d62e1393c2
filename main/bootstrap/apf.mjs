// `npm run -s apf -- SUBCOMMAND`: the command line, straight from its sources.
import path from 'node:path'
import { ensureInstalled, runTool } from './install.mjs'
import { flagsFor, root, userFolder } from './runtime.mjs'

await ensureInstalled()
const args = process.argv.slice(2)
process.exitCode = await runTool('node', [...flagsFor(args), path.join(root, 'main/cli/main.ts'), ...args], {
  cwd: userFolder(),
})
