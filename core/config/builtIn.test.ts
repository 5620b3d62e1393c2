import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from './builtIn.ts'

test("the built-in objects are upstream's, in its order", () => {
  const [vector] = readVectors<null, unknown>('bootstrap')
  const withStatus = (objects: readonly object[]) => objects.map((object) => ({ ...object, status: {} }))
  expect({
    mandatoryPriorityLevelConfigurations: withStatus(mandatoryLevels),
    mandatoryFlowSchemas: withStatus(mandatorySchemas),
    suggestedPriorityLevelConfigurations: withStatus(suggestedLevels),
    suggestedFlowSchemas: withStatus(suggestedSchemas),
  }).toEqual(vector?.out)
})
