import { stringify } from 'yaml'

/** A kubeconfig with one cluster, one user and one context, all of one name. */
export const kubeconfigText = (name: string, cluster: Readonly<Record<string, string>>, user: { token?: string }) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
