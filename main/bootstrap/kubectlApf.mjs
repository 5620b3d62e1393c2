#!/usr/bin/env node
// `kubectl-apf`, which kubectl runs for `kubectl apf`: the same command line, which prints the name that it was called by.
process.env['APF_CONSOLE_CALLED'] = 'kubectl apf'
await import('./command.mjs')
