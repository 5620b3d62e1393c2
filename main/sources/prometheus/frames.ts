import { createFrameBuilder } from '../../../core/metrics/buildFrame.ts'
import type { Acquisition, ServerFrame } from '../../../core/frame/frame.ts'
import { NEEDED_FAMILIES } from '../../../core/metrics/catalogue.ts'
import type { TimedPage } from '../../../core/prom/pages.ts'

const NOT_EXPOSED =
  'Prometheus, whose configuration may drop it (metric_relabel_configs), has no sample of it at that time'

/**
 * Builds frames from the pages of one server, with the builder that reads the server's own pages. `notExposed` states
 * why a family that the version has may be absent.
 */
export function frameMaker(
  id: string,
  notExposed = NOT_EXPOSED,
): (timed: TimedPage, cost?: Pick<Acquisition, 'fetchMs' | 'bytes'>) => ServerFrame {
  const build = createFrameBuilder({ id, notExposed })
  return ({ at, page }, cost) =>
    build(page, {
      at: new Date(at).toISOString(),
      ...(cost && {
        acquisition: {
          ...cost,
          families: [...page.families.keys()].filter((name) => NEEDED_FAMILIES.has(name)).length,
        },
      }),
    })
}
