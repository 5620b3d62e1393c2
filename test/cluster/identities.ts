import { randomBytes } from 'node:crypto'

/** A user of the API server, with a random token that is generated on every start. */
export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
  readonly token: string
}

const MICE = 20

/** Users of the load generator with many small requests: `mouse-01` … `mouse-20`. */
export const mouse = (index: number): string => `mouse-${String((index % MICE) + 1).padStart(2, '0')}`

/** Service accounts as the server names them. */
export const CRAWLER = 'system:serviceaccount:batch:crawler'
export const WRITER = 'system:serviceaccount:batch:writer'
export const RUNNER = 'system:serviceaccount:ci:runner'
export const EXPORTER = 'system:serviceaccount:monitoring:exporter'
export const OPERATOR = 'system:serviceaccount:kube-system:operator'
export const SCHEDULER = 'system:kube-scheduler'
export const CONTROLLER_MANAGER = 'system:kube-controller-manager'
export const NODE = 'system:node:n1'
/** Sent to catch-all by manifests/demo-levels.yaml. */
export const LEGACY_SCANNER = 'legacy-scanner'
/** The console with the least it needs, and a user who may read nothing at all. */
export const VIEWER = 'apf-viewer'
export const NOBODY = 'nobody-in-particular'
export const ADMIN = 'admin'

/** User name → groups besides system:authenticated. With the built-in objects the groups decide the level. */
const users: ReadonlyMap<string, readonly string[]> = new Map([
  [ADMIN, ['system:masters']],
  [VIEWER, []],
  [NOBODY, []],
  ['alice', ['devs']],
  [LEGACY_SCANNER, []],
  [CRAWLER, ['system:serviceaccounts', 'system:serviceaccounts:batch']],
  [WRITER, ['system:serviceaccounts', 'system:serviceaccounts:batch']],
  [RUNNER, ['system:serviceaccounts', 'system:serviceaccounts:ci']],
  [EXPORTER, ['system:serviceaccounts', 'system:serviceaccounts:monitoring']],
  [OPERATOR, ['system:serviceaccounts', 'system:serviceaccounts:kube-system']],
  [SCHEDULER, []],
  [CONTROLLER_MANAGER, []],
  [NODE, ['system:nodes']],
  ...Array.from({ length: MICE }, (_, index): [string, string[]] => [mouse(index), ['devs']]),
])

export function makeIdentities(): ReadonlyMap<string, Identity> {
  return new Map([...users].map(([user, groups]) => [user, { user, groups, token: randomBytes(16).toString('hex') }]))
}

/** The server's static token file: token, user, uid and the groups in quotation marks. */
export function tokenFile(identities: Iterable<Identity>): string {
  const lines = Array.from(identities, ({ token, user, groups }, index) =>
    [token, user, `uid-${index}`, ...(groups.length > 0 ? [`"${groups.join(',')}"`] : [])].join(','),
  )
  return lines.join('\n') + '\n'
}
