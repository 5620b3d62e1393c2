import { describe, expect, it } from 'vitest'
import { refusalOf, warningsOf } from './apiStatus.ts'

const failed = (body?: string) => ({
  ok: false as const,
  problem: { code: 'bad-answer' as const, message: 'general', details: 'words' },
  ...(body !== undefined && { body }),
})

describe('a refusal', () => {
  it('names fields, and fields of other managers apart', () => {
    const body = JSON.stringify({
      message: 'Apply failed',
      reason: 'Conflict',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-edit" using v1', field: '.spec.type' },
          { reason: 'FieldValueInvalid', message: 'must be 1', field: 'spec.matchingPrecedence' },
        ],
      },
    })
    expect(refusalOf(failed(body))).toEqual({
      message: 'Apply failed',
      reason: 'Conflict',
      causes: [{ reason: 'FieldValueInvalid', message: 'must be 1', field: 'spec.matchingPrecedence' }],
      conflicts: [{ manager: 'kubectl-edit', field: 'spec.type', message: 'conflict with "kubectl-edit" using v1' }],
    })
  })

  it('reads fields out of the words of strict decoding', () => {
    const message = 'strict decoding error: unknown field "spec.a", duplicate field "spec.b[0].c"'
    expect(refusalOf(failed(JSON.stringify({ message }))).causes).toEqual([
      { field: 'spec.a', reason: 'FieldUnknown', message: 'unknown field "spec.a"' },
      { field: 'spec.b[0].c', reason: 'Malformed', message: 'duplicate field "spec.b[0].c"' },
    ])
  })

  it.each([undefined, '', 'not JSON', '[]', '{"message":3}'])('is the words of the problem with %j', (body) => {
    expect(refusalOf(failed(body))).toEqual({ message: 'words', reason: '', causes: [], conflicts: [] })
  })
})

describe('warnings', () => {
  it('are the texts of the header', () => {
    expect(warningsOf({})).toEqual([])
    expect(warningsOf({ warning: '299 - "a, b", 299 kube "c \\"d\\"", 199 - "other"' })).toEqual(['a, b', 'c "d"'])
  })
})
