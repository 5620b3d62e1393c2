import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { toolScript } from '../../main/bootstrap/install.mjs'

const ROOT = path.join(import.meta.dirname, '../..')
const Step = z.object({ run: z.string().default(''), uses: z.string().optional() })
const Job = z.object({
  uses: z.string().optional(),
  needs: z.string().optional(),
  'timeout-minutes': z.number().optional(),
  steps: z.array(Step).default([]),
})
const Workflow = z.object({ permissions: z.record(z.string(), z.string()), jobs: z.record(z.string(), Job) })
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')))

const files = globSync('.github/workflows/*.yml', { cwd: ROOT })
const workflows = new Map(
  files.map((file) => [path.basename(file), Workflow.parse(parse(readFileSync(path.join(ROOT, file), 'utf8')))]),
)
/** The commands that a workflow or a script of npm runs, one by one. */
const commandsIn = (text: string): readonly string[] => text.split(/\n|&&|\|\|?|;/).map((command) => command.trim())

/** Why a command cannot be run in this repository; `undefined` for one that can, and for those of other programs. */
function fault(command: string): string | undefined {
  const [, script = /^npm (test|start)\b/.exec(command)?.[1]] = /^npm run (?:-s )?([\w:]+)/.exec(command) ?? []
  if (script !== undefined && scripts[script] === undefined) return `package.json has no script ${script}`
  const [, file, tool, of] = /(?:^|\s)node (\S+\.(?:mjs|ts))(?: (\w\S*)(?: (\S+))?)?/.exec(command) ?? []
  if (file !== undefined && !existsSync(path.join(ROOT, file))) return `there is no ${file}`
  if (file !== 'main/bootstrap/run.mjs' || tool === undefined) return undefined
  if (tool === 'node') return of !== undefined && existsSync(path.join(ROOT, of)) ? undefined : `there is no ${of}`
  return existsSync(toolScript(tool)) ? undefined : `${tool} is not installed`
}

test('a command that is not there is found', () => {
  expect(fault('npm run chek')).toBe('package.json has no script chek')
  expect(fault('xvfb-run node main/bootstrap/runs.mjs vitest run')).toBe('there is no main/bootstrap/runs.mjs')
  expect(fault('node main/bootstrap/run.mjs node test/al.ts')).toBe('there is no test/al.ts')
  expect(() => fault('node main/bootstrap/run.mjs vites run')).toThrow('vites')
  expect(fault('npm test')).toBeUndefined()
})

test('every command of the workflows and of package.json exists', () => {
  const steps = [...workflows.values()].flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps))
  const commands = [...steps.map(({ run }) => run), ...Object.values(scripts)].flatMap(commandsIn)
  expect(commands.length).toBeGreaterThan(20)
  expect(commands.map(fault).filter((found) => found !== undefined)).toEqual([])
})

test('workflows only read by default, every job ends, and nothing is released that was not checked', () => {
  for (const [name, { permissions, jobs }] of workflows) {
    expect(permissions, name).toEqual({ contents: 'read' })
    for (const [job, { uses, 'timeout-minutes': minutes }] of Object.entries(jobs)) {
      if (uses === undefined) expect(minutes, `${name}, ${job}`).toBeGreaterThan(0)
    }
  }
  const { check, package: packaging, draft } = workflows.get('release.yml')?.jobs ?? {}
  expect([check?.uses, packaging?.needs, draft?.needs]).toEqual(['./.github/workflows/check.yml', 'check', 'package'])
})
