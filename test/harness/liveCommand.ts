import { expect, vi } from 'vitest'
import { z } from 'zod'
import { FeedWaitsSchema, LiveRequestSchema, type FeedWaits, type LiveRequest } from '../../core/contract/live.ts'

const WaitsLineSchema = z.strictObject({ waits: FeedWaitsSchema })

/** The requests that `--json` printed. */
export const rowsOf = (output: string): LiveRequest[] =>
  output
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"waits":'))
    .map((line) => LiveRequestSchema.parse(JSON.parse(line)))

/** What `feed --json` printed last. */
export const waitsOf = (output: string): FeedWaits =>
  WaitsLineSchema.parse(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')).waits

/** Waits until the text matches the pattern; returns its first group. */
export async function found(text: () => string, pattern: RegExp): Promise<string> {
  await vi.waitFor(() => expect(text()).toMatch(pattern), 10_000)
  return pattern.exec(text())?.[1] ?? ''
}

export const levelManifest = (name: string, shares: number, limitResponse = '{ type: Reject }'): string => `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: ${name} }
spec:
  type: Limited
  limited: { nominalConcurrencyShares: ${shares}, borrowingLimitPercent: 0, limitResponse: ${limitResponse} }
`

/** Sends all requests for resources to a level. */
export const everybodyTo = (level: string): string => `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: everybody }
spec:
  priorityLevelConfiguration: { name: ${level} }
  matchingPrecedence: 10
  rules:
    - subjects: [{ kind: Group, group: { name: 'system:authenticated' } }]
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }]
`

/** A level without queues for all users: of few seats it has one. */
export const narrowFor = (shares: number): string => `${levelManifest('narrow', shares)}---${everybodyTo('narrow')}`

interface Said {
  /** Unix milliseconds. */
  readonly atMs: number
  readonly lastedMs?: number
  readonly stage?: string
}

/** An audit event: alice gets `pod-N`. */
export const auditEvent = (n: number, { atMs, lastedMs = 5, stage = 'ResponseComplete' }: Said) => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: `id-${n}`,
  stage,
  requestURI: `/api/v1/namespaces/default/pods/pod-${n}`,
  verb: 'get',
  user: { username: 'alice', groups: ['system:authenticated'] },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: new Date(atMs).toISOString(),
  stageTimestamp: new Date(atMs + lastedMs).toISOString(),
})
