import type { ServerContext } from '../../core/classify/classification.ts'
import type { RequestInfo } from '../../core/classify/requestInfo.ts'
import type { ReportedFacts } from '../../core/contract/source.ts'
import { statisticsKey } from '../../core/engine/workEstimator.ts'

/** What the reader supposes of the cluster where the console does not know it, as texts of a form. */
export interface Supposed {
  /** Objects of the requested resource in the whole cluster. */
  readonly count: string
  /** Bytes of one of them. */
  readonly averageSize: string
  /** Watches that hear of a change. */
  readonly watchers: string
}

const wholeNumber = (text: string): number | undefined => (/^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined)

/** What can be read of it; anything else is as if it were not there. */
export function contextOf({ count, averageSize, watchers }: Supposed): Pick<ServerContext, 'objects' | 'watchers'> {
  const [objects, size, heard] = [wholeNumber(count), wholeNumber(averageSize), wholeNumber(watchers)]
  return {
    ...(objects !== undefined && { objects: { count: objects, ...(size !== undefined && { averageSize: size }) } }),
    ...(heard !== undefined && { watchers: heard }),
  }
}

/** What the source reports of the resource that is asked for; nothing where it reports nothing. */
export function contextOfFacts(
  facts: ReportedFacts | undefined,
  info: Pick<RequestInfo, 'resource' | 'apiGroup' | 'isResource'> | undefined,
): Pick<ServerContext, 'objects' | 'watchers'> {
  if (facts === undefined || info?.isResource !== true) return {}
  const key = statisticsKey(info)
  return { objects: facts.objects[key] ?? 'none', watchers: facts.watches[key] ?? 0 }
}

/** Whether a text is neither empty nor a number. */
export const isUnreadable = (text: string): boolean => text.trim() !== '' && wholeNumber(text) === undefined
