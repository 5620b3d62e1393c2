// `npm run -s apf -- SUBCOMMAND`: the command line, straight from its sources.
import { ensureInstalled, runTool, SERVICE_FLAGS } from './install.mjs'

await ensureInstalled()
process.exitCode = await runTool('node', [...SERVICE_FLAGS, 'main/cli/main.ts', ...process.argv.slice(2)])
