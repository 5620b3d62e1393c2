import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestSample, rules } from '../../test/harness/classify/arbitraries.ts'
import { classify } from '../request/match.ts'
import { digestRequest } from '../classify/classification.ts'
import { mandatorySchemas } from '../config/builtIn.ts'
import type { FlowSchema } from '../config/objects.ts'
import { CompiledSchemas } from './compiledSchemas.ts'

// Enough rules for several words of the index, and for more namespaces than are compared one by one.
const schemas: fc.Arbitrary<readonly FlowSchema[]> = fc
  .array(fc.array(rules, { maxLength: 3 }), { maxLength: 60 })
  .map((all) =>
    all.map((some, i) => ({
      metadata: { name: `schema-${i}` },
      spec: { priorityLevelConfiguration: { name: 'level' }, matchingPrecedence: 1 + i, rules: some },
    })),
  )
const digest = requestSample.map((request) => {
  const read = digestRequest(request)
  if (!read.ok) throw new Error(read.problem)
  return read.digest
})

test('compiled schemas classify like the plain ones', () => {
  fc.assert(
    fc.property(schemas, fc.array(digest, { minLength: 1, maxLength: 20 }), (given, digests) => {
      const order = [...given, ...mandatorySchemas]
      const compiled = new CompiledSchemas(order, ({ metadata }) => metadata.name)
      for (const each of digests) expect(compiled.classify(each)).toBe(classify(order, each).metadata.name)
    }),
    { numRuns: 500 },
  )
})
