import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'

const withStatus = (objects: readonly object[]) => objects.map((object) => ({ ...object, status: {} }))

/** The built-in objects (specification 10), in upstream's order. */
export const answerBootstrap = () => ({
  mandatoryPriorityLevelConfigurations: withStatus(mandatoryLevels),
  mandatoryFlowSchemas: withStatus(mandatorySchemas),
  suggestedPriorityLevelConfigurations: withStatus(suggestedLevels),
  suggestedFlowSchemas: withStatus(suggestedSchemas),
})
