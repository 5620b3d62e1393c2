import type { Page } from '../../../core/metrics/page.ts'
import type { ServerAddress } from '../../cluster/connection.ts'
import type { RequestSettings } from '../../cluster/http.ts'
import { getJson, gitVersion } from '../../cluster/json.ts'

const START_FAMILY = 'process_start_time_seconds'
const BUILD_FAMILY = 'kubernetes_build_info'

/** The gitVersion that the page itself names. */
export function pageVersion(page: Page): string | undefined {
  return page.families.get(BUILD_FAMILY)?.series[0]?.labels['git_version']
}

/**
 * The gitVersion of the server behind a page: from the page, or else from /version, which is asked once for each start
 * of the process. `undefined` when neither tells.
 */
export function createVersionReader(server: ServerAddress) {
  let asked: { readonly startedAt: number | undefined; readonly version: string | undefined } | undefined

  return async (page: Page, settings: RequestSettings, signal: AbortSignal): Promise<string | undefined> => {
    const own = pageVersion(page)
    if (own !== undefined) return own
    if (server.base === undefined) return undefined
    const startedAt = page.families.get(START_FAMILY)?.values[0]
    if (asked !== undefined && asked.startedAt === startedAt) return asked.version
    const answer = await getJson({ url: new URL(`${server.base}/version`), settings, signal })
    asked = { startedAt, version: answer.ok ? gitVersion(answer.value) : undefined }
    return asked.version
  }
}
