import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { COMMANDS } from '../../main/cli/run.ts'
import { COMMAND } from '../harness/command.ts'

// Whoever may propose a manifest chooses its name; hooks and globs pass all names. None of them is an option.

const ROOT = join(import.meta.dirname, '../..')
const LEVEL = stringify({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'devs' },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
})

let folder = ''
let marker = ''
/** In the order in which pre-commit, a glob and git list them. */
let names: readonly string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-names-'))
  marker = join(folder, 'ran')
  const evil = stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [
      {
        name: 'u',
        user: {
          exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'sh', args: ['-c', `touch ${marker}`] },
        },
      },
    ],
  })
  const files = {
    '+a.yaml': LEVEL,
    '--against-kubeconfig=evil.yaml': LEVEL,
    '--kubeconfig': LEVEL,
    '--kubeconfig=evil.yaml': LEVEL,
    'evil.yaml': evil,
    'z.yaml': LEVEL,
  }
  names = Object.keys(files)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})
afterAll(() => rm(folder, { recursive: true }))

interface Ran {
  readonly code: unknown
  readonly told: string
}

const apf = (...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, KUBECONFIG: join(folder, 'no-default'), APF_CONSOLE_STATE: join(folder, 'state') }
    execFile(process.execPath, [...COMMAND, ...args], { cwd: folder, env }, (error, _, told) => {
      resolve({ code: error === null ? 0 : error.code, told })
    })
  })

async function expectRefused(args: readonly string[]): Promise<void> {
  const { code, told } = await apf(...args)
  const sentence = expect.stringContaining('is an option and also the name of a file here. Put file names after --')
  expect([args, code, told, existsSync(marker)]).toEqual([args, 2, sentence, false])
}

async function expectFiles(args: readonly string[]): Promise<void> {
  const { told } = await apf(...args)
  expect([args, told, existsSync(marker)]).toEqual([args, expect.not.stringContaining('option'), false])
}

test('the plugin runs where a person names its kubeconfig, so that the tests below would notice', async () => {
  await apf('drift', '--kubeconfig=./evil.yaml')
  expect(existsSync(marker)).toBe(true)
  await rm(marker)
})

/** How the offline commands are given files, as the last thing on the command line. */
const OFFLINE: readonly (readonly string[])[] = [
  ['validate'],
  ['convert', '--kube-version', 'v1.33'],
  ['diff'],
  ['impact', '--edit'],
  ['drift', '--config'],
  ['drift', '--config', 'z.yaml', '--against'],
  ['classify', '--user', 'alice', '--verb', 'get', '--url', '/api', '--config'],
]

describe('files of an attacker', () => {
  test.each(Object.keys(COMMANDS))('give %s no option', async (command) => {
    await expectRefused([command, ...names])
  })

  test.each(OFFLINE.map((command) => [command.join(' '), command] as const))(
    'are files after %s --',
    async (_, command) => {
      await expectFiles([...command, '--', ...names])
    },
  )

  test('give no option to the hooks of pre-commit, whose own arguments come before them', async () => {
    const hooks = z
      .array(z.object({ id: z.string(), entry: z.string(), args: z.array(z.string()).default([]) }))
      .parse(parse(await readFile(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8')))
    for (const { id, entry, args } of hooks) {
      if (id === 'apf-requests') continue
      const [program, ...words] = [...entry.split(' '), ...args]
      expect([program, words.at(-1)]).toEqual(['apf-console', '--'])
      await expectFiles([...words, ...names])
      // With arguments of a person who has not read the documentation.
      await expectRefused([...entry.split(' ').slice(1), '--kube-version', 'v1.33', ...names])
    }
  })

  test('that are gone give no option after -- either', async () => {
    await expectFiles(['impact', '--edit', '--', '+a.yaml', '--kubeconfig=./evil.yaml'])
  })
})
