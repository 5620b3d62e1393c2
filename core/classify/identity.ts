import { serviceAccounts } from '../config/builtIn.ts'
import type { Subject } from '../config/objects.ts'
import { isLabel, isSubdomain } from '../config/validateMetadata.ts'

const ANONYMOUS = 'system:anonymous'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Groups that a server gives a user because of its name, and why, in a sentence. */
export interface Identity {
  readonly groups: readonly string[]
  readonly reason: string
}

/** Namespace and name of a service account, from its user name. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

export const accountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

/** The subject of a flow schema that matches exactly one user. */
export function subjectOf(user: string): Subject {
  const account = serviceAccountOf(user)
  return account === undefined
    ? { kind: 'User', user: { name: user } }
    : serviceAccounts(account.namespace, account.name)
}

const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
]

/** What can be derived from the name; never the groups that an organisation assigns to its people. */
export function identityOf(user: string): Identity {
  if (user === ANONYMOUS) {
    return { groups: [UNAUTHENTICATED], reason: 'Filled in: requests without credentials have this group.' }
  }
  const account = serviceAccountOf(user)
  if (account !== undefined) {
    return {
      groups: [...serviceAccountGroups(account.namespace), AUTHENTICATED],
      reason: 'Filled in from the service account name.',
    }
  }
  if (user.startsWith('system:node:')) {
    return { groups: ['system:nodes', AUTHENTICATED], reason: 'Filled in from the node name.' }
  }
  if (user === 'system:apiserver') {
    return {
      groups: ['system:masters', AUTHENTICATED],
      reason: 'Filled in: an API server that calls itself has these groups.',
    }
  }
  return {
    groups: [AUTHENTICATED],
    reason: 'Every authenticated user is in system:authenticated; other groups are unknown.',
  }
}

/** Groups of an impersonated user, as the server completes the requested ones. */
export function impersonatedGroups(user: string, asked: readonly string[]): readonly string[] {
  const account = serviceAccountOf(user)
  // A name that cannot be that of a service account is treated as an ordinary user's.
  const isAccount = account !== undefined && isLabel(account.namespace) && isSubdomain(account.name)
  const given = asked.length === 0 && isAccount ? serviceAccountGroups(account.namespace) : asked
  if (given.includes(UNAUTHENTICATED)) return given
  if (user === ANONYMOUS) return [...given, UNAUTHENTICATED]
  return given.includes(AUTHENTICATED) ? given : [...given, AUTHENTICATED]
}
