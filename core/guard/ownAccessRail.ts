import { digestRequest } from '../classify/readRequest.ts'
import { type GuardFinding, levelRef, schemaRef } from './finding.ts'
import { fullLevels, landingOf } from './landing.ts'
import type { Rail } from './rail.ts'

/** What the console asks for: without the first two an edit cannot be taken back. */
const REQUESTS = [
  { what: 'its edits', method: 'PATCH', url: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/any' },
  { what: 'reading the objects', method: 'GET', url: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas' },
  { what: 'the metrics', method: 'GET', url: '/metrics' },
] as const

/** Requests of the console's own user that the edit sends to a place where they may not be served. */
export const ownAccessRail: Rail = ({ before, after, context }) => {
  const { user } = context
  if (user === undefined) return []
  const full = fullLevels(context.servers)
  const hit = REQUESTS.flatMap(({ what, method, url }) => {
    const read = digestRequest({ user: user.name, groups: [...user.groups], method, url })
    if (!read.ok) return []
    const [was, is] = [landingOf(before, read.digest, full), landingOf(after, read.digest, full)]
    const { problem } = is
    return problem === undefined || (was.level === is.level && was.problem === problem)
      ? []
      : [{ what, was, is, problem }]
  })
  const [first] = hit
  if (first === undefined) return []
  const { is, was, problem } = first
  const finding: GuardFinding = {
    code: 'own-access/locked-out',
    severity: is.nominal === 0 ? 'blocks' : 'warns',
    objects: [schemaRef(is.schema.metadata.name), levelRef(is.level)],
    message: `This console’s own requests (${hit.map(({ what }) => what).join(', ')}) would go to ${is.level}, which ${problem}: you may not be able to undo the edit.`,
    remedy: {
      sentence: `Keep ${user.name} out of ${is.schema.metadata.name}, or give the console a level of its own first.`,
    },
    evidence: [
      `user ${user.name}, groups ${user.groups.join(', ')}`,
      `before the edit: ${was.schema.metadata.name} in ${was.level}`,
    ],
  }
  return [finding]
}
