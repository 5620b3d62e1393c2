// `npm run -s apf -- SUBCOMMAND`: the command line, straight from its sources.
import { ensureInstalled, runTool } from './install.mjs'

await ensureInstalled()
process.exitCode = await runTool('node', [
  '--disable-warning=ExperimentalWarning',
  'main/cli/main.ts',
  ...process.argv.slice(2),
])
