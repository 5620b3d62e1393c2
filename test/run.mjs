// `npm test`: installs when needed, then runs everything on Node 24.
import { ensureInstalled, runTool } from '../main/bootstrap/install.mjs'

await ensureInstalled()
process.exitCode = await runTool('node', ['test/all.ts'])
