import { describe, expect, it } from 'vitest'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import { githubReport, jsonReport, textReport, type Validated, sarifReport } from './validate.ts'

const finding: LocatedFinding = {
  file: 'deploy/a,b: 100%.yaml',
  line: 3,
  column: 7,
  kind: 'FlowSchema',
  name: 'x',
  field: 'spec.rules[0].subjects',
  reason: 'FieldValueRequired',
  severity: 'error',
  message: 'Nobody,\r\nnot 100%.',
}
const validated: Validated = {
  findings: [
    finding,
    { ...finding, kind: '', name: '', field: '', reason: 'Malformed', severity: 'warning', message: 'Odd.' },
  ],
  notes: [
    { file: 'a.yaml', line: 1, column: 1, about: 'skipped', message: 'Secret is not a flow-control object.' },
    { file: 'a.yaml', line: 9, column: 1, about: 'object', message: 'Converted.' },
  ],
  version: 'v1.36',
  objects: 2,
  files: 1,
  tool: '0.1.0',
}

describe('reports of validate', () => {
  it('are text that editors understand', () => {
    expect(textReport({ ...validated, findings: validated.findings.slice(1) })).toEqual([
      'deploy/a,b: 100%.yaml:3:7: warning: Odd. [Malformed]',
      'a.yaml:9:1: note: Converted.',
      '0 errors, 1 warning in 2 flow-control objects of 1 file, by the rules of Kubernetes v1.36. 1 object of other kinds not checked.',
    ])
  })

  it('are JSON with exactly the documented properties', () => {
    expect(jsonReport(validated)).toEqual({
      kubeVersion: 'v1.36',
      files: 1,
      objects: 2,
      findings: validated.findings,
      notes: validated.notes,
    })
  })

  it('are workflow commands, one a line, with everything escaped that ends one', () => {
    expect(githubReport(validated)).toEqual([
      '::error file=deploy/a%2Cb%3A 100%25.yaml,line=3,col=7,title=FieldValueRequired spec.rules[0].subjects::FlowSchema x: Nobody,%0D%0Anot 100%25.',
      '::warning file=deploy/a%2Cb%3A 100%25.yaml,line=3,col=7,title=Malformed::Odd.',
      '1 error, 1 warning in 2 flow-control objects of 1 file, by the rules of Kubernetes v1.36. 1 object of other kinds not checked.',
    ])
  })

  it('are SARIF 2.1.0', () => {
    // The members that the schema requires, and ours, with their types.
    expect(sarifReport(validated)).toEqual({
      $schema: expect.stringMatching(/^https:.*sarif.*2\.1\.0/),
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'APF Console',
              version: '0.1.0',
              rules: [
                { id: 'FieldValueRequired', shortDescription: { text: expect.any(String) } },
                { id: 'Malformed', shortDescription: { text: expect.any(String) } },
              ],
            },
          },
          automationDetails: { id: 'apf-console/validate/v1.36' },
          columnKind: 'utf16CodeUnits',
          results: [
            {
              ruleId: 'FieldValueRequired',
              ruleIndex: 0,
              level: 'error',
              message: { text: 'FlowSchema x: Nobody,\r\nnot 100%.' },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'deploy/a%2Cb%3A%20100%25.yaml' },
                    region: { startLine: 3, startColumn: 7 },
                  },
                  logicalLocations: [{ fullyQualifiedName: 'FlowSchema/x/spec.rules[0].subjects' }],
                },
              ],
            },
            {
              ruleId: 'Malformed',
              ruleIndex: 1,
              level: 'warning',
              message: { text: 'Odd.' },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'deploy/a%2Cb%3A%20100%25.yaml' },
                    region: { startLine: 3, startColumn: 7 },
                  },
                },
              ],
            },
          ],
        },
      ],
    })
    expect(sarifReport({ ...validated, findings: [] })).toMatchObject({ runs: [{ results: [] }] })
  })
})
