#!/usr/bin/env node
// `apf-console` of an installed copy: the built command line, in the folder that the user is in.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { bundledNode, chooseNode, flagsFor, root, run } from './runtime.mjs'

const built = path.join(root, 'out', 'main', 'cli.js')
const { node, problem } = existsSync(built)
  ? chooseNode({ version: process.versions.node, execPath: process.execPath }, bundledNode)
  : { node: undefined, problem: `${root} holds no built console. Run npm run build there.` }
if (node === undefined) process.stderr.write(`apf-console: ${problem}\n`)
const args = process.argv.slice(2)
process.exitCode = node === undefined ? 2 : await run(node, [...flagsFor(args), built, ...args])
