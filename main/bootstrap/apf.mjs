// `npm run -s apf -- SUBCOMMAND`: the command line, straight from its sources.
import path from 'node:path'
import { ensureInstalled, runTool } from './install.mjs'
import { root, SERVICE_FLAGS, userFolder } from './runtime.mjs'

await ensureInstalled()
process.exitCode = await runTool(
  'node',
  [...SERVICE_FLAGS, path.join(root, 'main/cli/main.ts'), ...process.argv.slice(2)],
  { cwd: userFolder() },
)
