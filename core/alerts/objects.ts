import { driftFromBuiltIn } from '../drift/drift.ts'
import type { ObjectSet } from '../config/objects.ts'
import { orderFlowSchemas } from '../request/match.ts'
import type { Observation } from './observe.ts'

/**
 * Flow schemas whose level does not exist, and built-in objects that the API server is going to restore: it does so within
 * a minute, so that one which stays as it is points to a server that does not reconcile. `version` is a gitVersion.
 */
export function observeObjects(objects: ObjectSet, version: string): readonly Observation[] {
  const { dangling } = orderFlowSchemas(objects.schemas, new Set(objects.levels.map(({ metadata }) => metadata.name)))
  const broken = new Set([
    ...dangling.map(({ metadata }) => `FlowSchema ${metadata.name}`),
    ...driftFromBuiltIn(objects, version)
      .rows.filter(({ server: { verdict } }) => verdict === 'put-back' || verdict === 'recreated')
      .map(({ kind, name }) => `${kind} ${name}`),
  ])
  return [...broken].map((subject) => ({ rule: 'R8', place: { subject }, holds: true, evidence: [] }))
}
