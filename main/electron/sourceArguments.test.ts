import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { addressIn, argumentsOf, openingOf, usualOpening } from './sourceArguments.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'apf-arguments-'))
writeFileSync(path.join(folder, 'metrics.txt'), 'a 1\n')
afterAll(() => rmSync(folder, { recursive: true }))
const where = { cwd: folder, stateDir: path.join(folder, 'state') }
const specOf = async (...given: readonly string[]) => (await openingOf(given, where))?.spec

describe('the arguments of the desktop application', () => {
  it('begin after the executable, and in a checkout after its folder', () => {
    expect(argumentsOf(['/opt/apf', '--demo'], true)).toEqual(['--demo'])
    expect(argumentsOf(['electron', '.', '--demo'], false)).toEqual(['--demo'])
  })

  it('name a source as in web mode, relative to the folder that they were given in', async () => {
    expect(await specOf('--kubeconfig', 'config', '--context=prod')).toMatchObject({
      kind: 'scrape',
      target: { kind: 'kubeconfig', file: path.join(folder, 'config'), context: 'prod' },
    })
    expect(await specOf('--context', 'prod', '--prometheus', 'http://localhost:9090', '--past', '6h')).toMatchObject({
      kind: 'scrape',
      target: { kind: 'kubeconfig', context: 'prod' },
      past: { url: 'http://localhost:9090', pastMs: 21_600_000 },
    })
    const files = { kind: 'files', files: [{ name: 'metrics.txt', text: 'a 1\n' }] }
    expect(await specOf('--file', 'metrics.txt')).toEqual(files)
    expect(await specOf('metrics.txt')).toEqual(files)
    expect(await specOf(folder)).toEqual(files)
    expect(await specOf(pathToFileURL(path.join(folder, 'metrics.txt')).href)).toEqual(files)
    expect((await openingOf(['--demo', '--interval', '5'], where))?.cadence.intervalMs).toBe(5_000)
  })

  it('leave the switches of Chromium alone', async () => {
    expect(await specOf('--no-sandbox', '--ozone-platform=x11', '-psn_0_1')).toBeUndefined()
    expect(usualOpening().spec.kind).toBe('simulation')
  })

  it('name no source beside a link, which is opened alone', async () => {
    const link = 'apf-console://alerts'
    expect(addressIn(['--demo'])).toBeUndefined()
    expect(addressIn(['--no-sandbox', link])).toBe('#/alerts')
    expect(await specOf(link)).toBeUndefined()
    for (const more of [['--kubeconfig', 'x'], ['--kubeconfig=x'], ['metrics.txt'], ['--demo'], [link]]) {
      expect(() => addressIn([link, ...more])).toThrow('Open a link without options')
      expect(() => addressIn([...more, link])).toThrow('Open a link without options')
      expect(await specOf(link, ...more)).toBeUndefined()
    }
    expect(() => addressIn(['apf-console://nowhere'])).toThrow('names no screen')
  })

  it('say what is wrong', async () => {
    await expect(specOf('--kubecofnig', 'x')).rejects.toThrow('did you mean --kubeconfig?')
    await expect(specOf('--port', '8080')).rejects.toThrow('belongs to the web mode')
    await expect(specOf('--demo', '--file', 'metrics.txt')).rejects.toThrow('Only one source')
    await expect(specOf('--file', 'nothing.txt')).rejects.toThrow('there is no such file')
  })
})
