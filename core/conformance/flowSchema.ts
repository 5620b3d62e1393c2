import type { z } from 'zod'
import type { FlowSchema } from '../config/objects.ts'
import { flag, int, list, optionalText, record, text } from './question.ts'

const named = record({ name: text })

/** A FlowSchema as the API gives it. It may break the API's own rules, and what is missing is empty. */
export const flowSchema = record({
  metadata: named,
  spec: record({
    priorityLevelConfiguration: named.default({ name: '' }),
    matchingPrecedence: int,
    distinguisherMethod: record({ type: text }).exactOptional(),
    rules: list(
      record({
        subjects: list(
          record({
            kind: text,
            user: named.exactOptional(),
            group: named.exactOptional(),
            serviceAccount: record({ namespace: text, name: text }).exactOptional(),
          }),
        ),
        resourceRules: list(
          record({
            verbs: list(text),
            apiGroups: list(text),
            resources: list(text),
            clusterScope: flag,
            namespaces: list(text),
          }),
        ),
        nonResourceRules: list(record({ verbs: list(text), nonResourceURLs: list(text) })),
      }),
    ),
  }).default({ priorityLevelConfiguration: { name: '' }, matchingPrecedence: 0, rules: [] }),
  status: record({
    conditions: list(
      record({
        type: text,
        status: text,
        reason: optionalText,
        message: optionalText,
        lastTransitionTime: optionalText,
      }),
    ),
  }).exactOptional(),
}) satisfies z.ZodType<FlowSchema>
