import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultFiles, namedByOperator } from './namedByOperator.ts'

let folder = ''
const at = (name: string): string => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-named-'))
  for (const name of ['named', 'default', 'other']) await writeFile(at(name), '')
  await symlink(at('named'), at('link'))
})
afterAll(() => rm(folder, { recursive: true }))

const named = (...args: string[]) => namedByOperator(args, { KUBECONFIG: at('default') })

describe('a file', () => {
  test.each([
    ['--kubeconfig', 'separate'],
    ['--against-kubeconfig', 'separate'],
    ['--token-file', 'separate'],
    ['--password-file', 'separate'],
  ])('after %s is the operator’s', async (option) => {
    const expected = { path: at('named'), by: 'command-line' }
    expect(await named('web', option, at('named')).file(at('named'))).toEqual(expected)
    expect(await named(`${option}=${at('named')}`).file(at('named'))).toEqual(expected)
  })

  test('keeps the name that the operator gave it, whatever link leads to it', async () => {
    expect(await named('--kubeconfig', at('named')).file(at('link'))).toEqual({ path: at('named'), by: 'command-line' })
    expect(await named('--kubeconfig', at('link')).file(at('named'))).toEqual({ path: at('link'), by: 'command-line' })
    const round = join(folder, '.', 'x', '..', 'named')
    expect(await named('--kubeconfig', at('named')).file(round)).toMatchObject({ by: 'command-line' })
  })

  test('that is the usual one is so, and any other is a page’s', async () => {
    expect(await named().file(at('default'))).toMatchObject({ by: 'default' })
    expect(await named('--kubeconfig', at('named')).file(at('other'))).toMatchObject({ by: 'page' })
    expect(await named('--kubeconfig', at('named')).file(at('absent'))).toMatchObject({ by: 'page' })
    // An option with another meaning, and one that follows another.
    expect(await named('--client-kubeconfig', at('other')).file(at('other'))).toMatchObject({ by: 'page' })
  })
})

test('an address is the operator’s after --server', () => {
  const operator = named('--server', 'https://a:6443', '--server=https://b')
  expect(['https://a:6443/', 'https://b/', 'https://c'].map((address) => operator.address(new URL(address)))).toEqual([
    true,
    true,
    false,
  ])
})

test('the usual kubeconfig is that of KUBECONFIG, or below the home folder', () => {
  expect(defaultFiles({ KUBECONFIG: '/a::/b' }, '/home/jo')).toEqual(['/a', '/b'])
  expect(defaultFiles({}, '/home/jo')).toEqual(['/home/jo/.kube/config'])
})
