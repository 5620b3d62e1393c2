import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE } from '../../core/kep/examples.ts'
import { runHere } from '../harness/commandHere.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-convert-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('apf-console convert', () => {
  it('prints objects that validate accepts, and what is lost', async () => {
    const { code, output, told } = await runHere('convert', write('draft.yaml', EXAMPLE))
    expect(code).toBe(0)
    expect(told).toContain(
      'L1 FlowSchema workload-high: v1 has no equivalent of a negated test (user notPatternMatch system:serviceaccount:.*). The conjunction is left out.',
    )
    expect(told).toContain('warning: FlowSchema system-low: The level “system-low” has one queue')
    const validated = await runHere('validate', write('v1.yaml', output))
    expect(validated.output).toMatch(/^0 errors, 0 warnings in 10 flow-control objects/)
    const json = await runHere('convert', '-o', 'json', write('draft.yaml', EXAMPLE))
    expect(JSON.parse(json.output)).toMatchObject({ losses: [{ code: 'L2' }, { code: 'L1' }, { code: 'L6' }] })
  })

  it('prints the examples of earlier designs, which it converts', async () => {
    expect((await runHere('convert', '--example', 'kep-draft')).output).toBe(EXAMPLE)
    const exempt = write('exempt.yaml', (await runHere('convert', '--example', 'kep-exempt')).output)
    const drift = await runHere('drift', '--config', exempt, '--with-built-in', '--json')
    expect(drift.code).toBe(1)
    expect(drift.output).toMatch(/lendablePercent/)
    const { output } = await runHere('convert', '--example', '1.18')
    expect([...output.matchAll(/# (\d+) of 600 seats/g)].map(([, seats]) => Number(seats))).toEqual([
      90, 30, 120, 299, 60, 3,
    ])
    expect(output).toContain('--runtime-config=flowcontrol.apiserver.k8s.io/v1alpha1=true')
    const draft = await runHere('convert', write('kep.yaml', EXAMPLE))
    expect(draft.code).toBe(0)
    const old = await runHere('convert', write('old.yaml', output))
    expect(old.code).toBe(0)
    expect(old.told).toContain('Servers keep the built-in spec of catch-all: left out.')
    expect(old.output.match(/nominalConcurrencyShares: \d+/g)?.map((line) => Number(line.split(': ')[1]))).toEqual([
      30, 10, 40, 100, 20,
    ])
  })

  it('converts earlier versions of the API', async () => {
    const text = `apiVersion: flowcontrol.apiserver.k8s.io/v1alpha1
kind: PriorityLevelConfiguration
metadata: { name: batch }
spec:
  type: Limited
  limited: { assuredConcurrencyShares: 7, limitResponse: { type: Reject } }
`
    const { code, output, told } = await runHere('convert', write('alpha.yaml', text))
    expect({ code, told }).toMatchObject({
      code: 0,
      told: expect.stringContaining('v1alpha1 is an earlier version') as string,
    })
    expect(output).toContain('apiVersion: flowcontrol.apiserver.k8s.io/v1\n')
    expect(output).toContain('nominalConcurrencyShares: 7')
  })

  it('prints nothing of what has errors', async () => {
    const file = write('bad.yaml', EXAMPLE.replace('handSize: 6, ', ''))
    const { code, output, told } = await runHere('convert', file)
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(told).toMatch(/bad\.yaml:7:\d+: error: RequestPriority system-high: spec\.handSize is missing/)
    expect((await runHere('convert', write('empty.yaml', 'kind: Pod\n'))).code).toBe(2)
  })

  it('classifies by the draft, implicit objects included', async () => {
    const file = write('draft.yaml', EXAMPLE)
    const request = ['--user', 'alice', '--url', '/api/v1/namespaces/x/pods']
    const { code, output } = await runHere('classify', '--draft', file, ...request)
    expect(code).toBe(0)
    expect(output).toMatch(/alice\s+GET \/api\/v1\/namespaces\/x\/pods\s+workload-high\s+workload-high\s+x\s+70/)
    const { output: json } = await runHere('classify', '--draft', file, '--json', ...request)
    expect(JSON.parse(json)).toMatchObject([
      { flowSchema: 'workload-high', distinguisher: 'x', backstop: false, seats: 70 },
    ])
  })
})
