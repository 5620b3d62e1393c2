import type { ObjectSet } from '../config/objects.ts'
import type { RequestSample, RequestTest } from '../contract/objects.ts'
import type { Unclassifiable } from './classification.ts'
import { classifyingConfiguration } from './configuration.ts'
import { digestRequest } from './readRequest.ts'

/** Where a request goes. */
export interface Landing {
  readonly flowSchema: string
  readonly priorityLevel: string
}
export type Landed = ({ readonly ok: true } & Landing) | ({ readonly ok: false } & Unclassifiable)

/** One row of the test table after a run. */
export type RequestTestResult = { readonly test: RequestTest } & (
  | { readonly outcome: 'passed' | 'failed' | 'no-expectation'; readonly actual: Landing }
  /** The server would refuse the request before it classifies it; `problem` is a sentence. */
  | { readonly outcome: 'unclassifiable'; readonly problem: string }
)

/** Where requests go, for many of them on one configuration. The objects are taken as stored, with their defaults. */
export function landings(objects: ObjectSet): (request: RequestSample) => Landed {
  const { schemaOf } = classifyingConfiguration(objects)
  return (request) => {
    const read = digestRequest(request)
    if (!read.ok) return read
    const { metadata, spec } = schemaOf(read.digest)
    return { ok: true, flowSchema: metadata.name, priorityLevel: spec.priorityLevelConfiguration.name }
  }
}

/** Runs saved requests on a configuration. Results are in the order of the tests. */
export function runRequestTests(objects: ObjectSet, tests: readonly RequestTest[]): readonly RequestTestResult[] {
  const land = landings(objects)
  return tests.map((test): RequestTestResult => {
    const landed = land(test.request)
    if (!landed.ok) return { test, outcome: 'unclassifiable', problem: landed.problem }
    const { flowSchema, priorityLevel } = landed
    const { expect } = test
    const same = expect?.flowSchema === flowSchema && expect.priorityLevel === priorityLevel
    return {
      test,
      outcome: expect === undefined ? 'no-expectation' : same ? 'passed' : 'failed',
      actual: { flowSchema, priorityLevel },
    }
  })
}
