// `node main/bootstrap/run.mjs TOOL ARGUMENTS…`: runs an installed tool, or a script with `node`, on Node 24.
import { ensureInstalled, runTool } from './install.mjs'

const [tool = 'node', ...args] = process.argv.slice(2)
await ensureInstalled()
process.exitCode = await runTool(tool, args)
