import type { CauseGroup, CauseId } from '../contract/causes.ts'

export interface CauseInfo {
  readonly group: CauseGroup
  /** A label. */
  readonly title: string
  /** One sentence. */
  readonly refutedBy: string
}

const info = (group: CauseGroup, title: string, refutedBy: string): CauseInfo => ({ group, title, refutedBy })

/** The properties of a cause that do not depend on its place. */
export const CAUSE_INFO: Readonly<Record<CauseId, CauseInfo>> = {
  'no-data': info('own side', 'Too few samples', 'Samples that span at least 20 s since the server last started.'),
  'stale-source': info('own side', 'Stale samples', 'A newer sample of the same server.'),
  'clock-skew': info(
    'own side',
    'Clocks differ',
    'A Date header of the server that agrees with the clock of this machine.',
  ),
  'missing-metrics': info('own side', 'Metrics missing', 'A metrics page that has the missing families.'),
  'server-restarted': info('server', 'Server restarted', 'Waits that go on for minutes after the start.'),
  'recent-edit': info('configuration', 'Recent edit', 'The same waits after the edit is undone.'),
  'fewer-seats': info('configuration', 'Fewer seats than before', 'The same waits after the flags are set back.'),
  'system-requests': info(
    'configuration',
    'System requests in the wrong level',
    'The requests of nodes and controllers in the levels of the built-in objects, without waits.',
  ),
  'catch-all-traffic': info('configuration', 'Traffic in catch-all', 'A dispatch rate of 0 in catch-all.'),
  'dangling-schema': info(
    'configuration',
    'Dangling flow schema',
    'A priority level of that name, and the same waits.',
  ),
  'reject-level': info(
    'configuration',
    'Level without queues',
    'Rejections for another reason than concurrency-limit.',
  ),
  'one-server': info('server', 'One server has the load', 'The same level in trouble on the other servers.'),
  'short-deadlines': info('client', 'Short client deadlines', 'Time-outs of requests that waited for 15 s.'),
  'slow-reader': info('client', 'Slow reader', 'Short execution times of the requests of this flow.'),
  'watch-storm': info('traffic', 'Watches being initialised', 'Seats that stay in use while no watch begins.'),
  'write-fan-out': info('traffic', 'Writes with many watchers', 'As many executing requests as executing seats.'),
  'wide-requests': info('traffic', 'Wide requests', 'Requests of one seat each that use the same seats.'),
  'slow-server': info('server', 'Server slower', 'Execution times of other levels that did not change.'),
  'slow-requests': info('traffic', 'Requests slower', 'Execution times as before the trouble.'),
  'shared-flow': info('configuration', 'Several users in one flow', 'A single user in this flow.'),
  'shared-queues': info('configuration', 'Queues shared by flows', 'Short waits of flows that send little.'),
  'short-queues': info('configuration', 'Queues too short', 'Rejections after waits of many seconds.'),
  'one-flow': info('traffic', 'One flow floods', 'Another flow with as many requests.'),
  'server-full': info('server', 'Server full', 'Free seats in other levels while requests wait.'),
  'lender-squeezed': info('configuration', 'Lender squeezed', 'Waits while the level has its nominal limit.'),
  'borrowing-capped': info(
    'configuration',
    'Borrowing limit reached',
    'A current limit below the upper limit while requests wait.',
  ),
  'lingering-demand': info(
    'server',
    'Past demand holds seats',
    'Other levels that use the seats of their current limits.',
  ),
  'nothing-to-borrow': info('configuration', 'Nothing to borrow', 'Other levels without idle seats.'),
  'brief-burst': info('traffic', 'Brief burst', 'Requests that still wait, or rejections.'),
  'more-requests': info('traffic', 'More requests', 'A request rate as before the trouble.'),
  'exempt-traffic': info('traffic', 'Exempt traffic', 'Few executing seats of the exempt level.'),
  overload: info('traffic', 'Demand exceeds the limit', 'Free seats in this level while requests wait.'),
  'client-throttling': info('client', 'Client-side throttling', 'A request rate that varies from second to second.'),
  'nothing-waits': info('none', 'Flow control delays nothing', 'A request that waits or is rejected.'),
}
