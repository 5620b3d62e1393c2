#!/usr/bin/env node
// `kubectl-apf`, which kubectl runs for `kubectl apf`: the same command line, which names itself as it was called.
process.env['APF_CONSOLE_CALLED'] = 'kubectl apf'
await import('./command.mjs')
