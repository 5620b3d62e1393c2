import { ProblemError } from '../../core/errors.ts'
import type { ElsewhereObjects } from '../../core/contract/objects.ts'
import type { Target } from '../../core/contract/source.ts'
import { askWhoAmI, exemptNote } from './accessReview.ts'
import { askAny, createClusterApi } from './clusterApi.ts'
import { NO_API, readVersion } from './clusterObjects.ts'
import { openConnection } from './connection.ts'
import type { Consent } from './consent.ts'
import type { Failed } from './http.ts'
import { listObjects } from './listObjects.ts'

/**
 * The flow-control objects of a cluster, read once, with the version of its server if it reports one. `name` is the
 * operator's name for it; `notes` list the objects that cannot be parsed. Rejects with `ProblemError`.
 */
export async function readClusterObjects(
  target: Target,
  consent: Consent,
  now: () => number = Date.now,
): Promise<ElsewhereObjects> {
  const connection = await openConnection(target, now, { consent })
  try {
    const api = createClusterApi(connection)
    if (api === undefined) throw new ProblemError('unsupported', NO_API)
    const [identity, levels, schemas, version] = await Promise.all([
      askAny(api, askWhoAmI),
      askAny(api, (context) => listObjects('PriorityLevelConfiguration', context)).then(orThrow),
      askAny(api, (context) => listObjects('FlowSchema', context)).then(orThrow),
      readVersion(api),
    ])
    const exempt = identity.ok ? exemptNote(identity.identity) : undefined
    const strange = [...levels.strange, ...schemas.strange]
    return {
      name: connection.name,
      ...(version !== undefined && { version }),
      objects: { levels: [...levels.items], schemas: [...schemas.items] },
      notes: [
        ...(exempt === undefined ? [] : [exempt]),
        ...strange.map((name) => `Left out the object ${name}, which cannot be parsed.`),
      ],
    }
  } finally {
    connection.close()
  }
}

function orThrow<T extends { readonly ok: true }>(answer: T | Failed): T {
  if (answer.ok) return answer
  throw ProblemError.of(answer.problem)
}
