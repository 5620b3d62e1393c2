import { type Sent, type KubectlWords, kubectlWords, builtIn, selectors, send, targetOf } from './kubectlTarget.ts'
import type { Unreadable, QueryOption } from './requestFields.ts'
import { knownResource } from './builtInResources.ts'

/** The main request of a kubectl command. */
export interface KubectlRequest extends Sent {
  /** From `--as` and `--as-group`. */
  readonly impersonate: { readonly user: string; readonly groups: readonly string[] } | undefined
}

/** Parses a kubectl command, given as words without the program's name. */
export function readKubectl(given: readonly string[]): KubectlRequest | Unreadable {
  const words = kubectlWords(given)
  const user = words.value('as')
  const groups = words.values('as-group')
  if (user === undefined && groups.length > 0)
    return { problem: '--as-group needs --as: groups alone cannot be impersonated.' }
  const command = COMMANDS.get(words.command)
  if (command === undefined) {
    return {
      problem:
        words.command === ''
          ? 'The kubectl command is missing: get, list, delete, …'
          : `kubectl ${words.command} is not supported; try get, describe, create, delete, patch, logs, exec or --raw.`,
    }
  }
  const sent = raw(words) ?? command(words)
  return 'problem' in sent ? sent : { ...sent, impersonate: user === undefined ? undefined : { user, groups } }
}

const RAW_METHODS: Readonly<Record<string, string>> = { get: 'GET', create: 'POST', replace: 'PUT', delete: 'DELETE' }

function raw({ command, value }: KubectlWords): Sent | Unreadable | undefined {
  const url = value('raw')
  const method = RAW_METHODS[command]
  if (url === undefined || method === undefined) return undefined
  if (!url.startsWith('/'))
    return { problem: `--raw takes a path that begins with a slash, not ${JSON.stringify(url)}.` }
  return { method, url, guessed: false, notes: [] }
}

/** Whether a word begins a kubectl command that can be parsed. */
export const isKubectlCommand = (word: string): boolean => COMMANDS.has(word)

type Command = (words: KubectlWords) => Sent | Unreadable

/** kubectl lists in pages of this many objects. */
const CHUNK_SIZE = '500'
/** Placeholder for a name or a version that only the cluster can provide. */
const SOME_NAME = 'some-name'
const SOME_VERSION = '1'

const get: Command = (words) => {
  const target = targetOf(words.args)
  if ('problem' in target) return target
  const { named, names, notes } = target
  const [name] = names
  const watches = words.given('watch') || words.given('watch-only')
  if (watches) {
    const ofName: QueryOption[] = name === undefined ? [] : [['fieldSelector', `metadata.name=${name}`]]
    const options: QueryOption[] = [...selectors(words), ...ofName, ['resourceVersion', SOME_VERSION]]
    const note = `kubectl watches from the version that it has read before; resourceVersion ${SOME_VERSION} is a placeholder.`
    return send(words, { verb: 'watch', named, options, notes: [...notes, note], guessed: true })
  }
  if (name !== undefined)
    return send(words, { verb: 'get', named, name, subresource: words.value('subresource') ?? '', notes })
  const chunk = words.value('chunk-size') ?? CHUNK_SIZE
  // To sort, kubectl requests all objects at once; beside a table, which the server prints, whole ones.
  const isTable = ['', 'wide'].includes(words.value('output') ?? '')
  const paging: QueryOption[] = words.given('sort-by')
    ? isTable
      ? [['includeObject', 'Object']]
      : []
    : chunk === '0'
      ? []
      : [['limit', chunk]]
  return send(words, { verb: 'list', named, options: [...selectors(words), ...paging], notes })
}

const events: Command = (words) => {
  const [type = '', name] = (words.value('for') ?? '').split('/', 2)
  const about = type === '' ? undefined : targetOf([type])
  if (about !== undefined && 'problem' in about) return about
  const options: QueryOption[] = [['limit', words.value('chunk-size') ?? CHUNK_SIZE]]
  if (about !== undefined) options.unshift(['fieldSelector', `involvedObject.name=${name ?? ''}`])
  return send(words, { verb: 'list', named: builtIn('events'), options })
}

/** Changes of a named object, or of all that a selector matches. */
const change =
  (verb: string, subresource = '', skip = 0): Command =>
  (words) => {
    if (words.given('filename') || words.given('kustomize')) return FILES
    const target = targetOf(words.args.slice(skip))
    if ('problem' in target) return target
    const { named, names, notes } = target
    const [name] = names
    if (name !== undefined)
      return send(words, { verb, named, name, subresource: words.value('subresource') ?? subresource, notes })
    const note = `kubectl lists the objects and sends a request for each; ${SOME_NAME} is a placeholder for one of them.`
    return send(words, { verb, named, name: SOME_NAME, subresource, notes: [...notes, note], guessed: true })
  }

const FILES: Unreadable = {
  problem:
    'The files that a command names are not read; name their objects instead: kubectl create deployment NAME, kubectl patch deployment NAME.',
}

const create: Command = (words) => {
  if (words.given('filename') || words.given('kustomize')) return FILES
  const [type = '', first = ''] = words.args
  if (type === 'token') {
    const named = builtIn('serviceaccounts')
    return first === ''
      ? { problem: 'create token needs the name of a service account.' }
      : send(words, { verb: 'create', named, name: first, subresource: 'token' })
  }
  // `create secret generic NAME`, `create service clusterip NAME`
  const target = targetOf([type])
  return 'problem' in target ? target : send(words, { verb: 'create', named: target.named })
}

const post =
  (resource: string): Command =>
  (words) =>
    send(words, { verb: 'create', named: builtIn(resource) })

/** Subresources of a pod, which may be addressed through the pod's owner. */
const ofPod =
  (subresource: string, options: (words: KubectlWords) => QueryOption[], notes: readonly string[] = []): Command =>
  (words) => {
    const [first = ''] = words.args
    if (first === '' && words.command === 'logs' && words.given('selector')) {
      return send(words, {
        verb: 'get',
        named: builtIn('pods'),
        name: SOME_NAME,
        subresource,
        options: options(words),
        notes: [`kubectl lists the pods and requests the log of each; ${SOME_NAME} is a placeholder for one of them.`],
        guessed: true,
      })
    }
    if (first === '') return { problem: `kubectl ${words.command} needs the name of a pod.` }
    const [type = '', name] = first.includes('/') ? first.split('/', 2) : ['pods', first]
    const target = targetOf([type])
    if ('problem' in target) return target
    const owner = target.named.resource !== 'pods'
    const note = `kubectl first looks up a pod of ${first}; ${SOME_NAME} is a placeholder for it.`
    return send(words, {
      verb: 'get',
      named: builtIn('pods'),
      name: owner ? SOME_NAME : (name ?? ''),
      subresource,
      options: options(words),
      notes: owner ? [note, ...notes] : notes,
      guessed: owner,
    })
  }

/** One of the two paths is `POD:PATH` or `NAMESPACE/POD:PATH`. */
const copy: Command = (words) => {
  const [found] = words.args.flatMap((arg) =>
    [/^(?:([^/:]+)\/)?([^/:]+):/.exec(arg) ?? []].filter(({ length }) => length > 0),
  )
  const [, namespace, pod] = found ?? []
  if (pod === undefined) return { problem: 'kubectl cp needs the path in a pod, as POD:PATH or NAMESPACE/POD:PATH.' }
  const value = (option: string): string | undefined =>
    option === 'namespace' ? (namespace ?? words.value(option)) : words.value(option)
  return ofPod('exec', logOptions, [WEB_SOCKET])({ ...words, value, args: [pod] })
}

const debug: Command = (words) => {
  const [first = ''] = words.args
  const target = targetOf(first.includes('/') ? [first] : ['pods', first])
  if ('problem' in target) return target
  const [name] = target.names
  if (name === undefined) return { problem: 'kubectl debug needs the name of a pod or of a node.' }
  const pods = builtIn('pods')
  if (target.named.resource === 'nodes' || words.given('copy-to'))
    return send(words, { verb: 'create', named: pods, notes: ['kubectl debug reads the object and creates a pod.'] })
  const notes = ['kubectl debug reads the pod and adds a container to it.']
  return send(words, { verb: 'patch', named: pods, name, subresource: 'ephemeralcontainers', notes })
}

const logOptions = ({ value, given }: KubectlWords): QueryOption[] => {
  const [container, tail] = [value('container'), value('tail')]
  return [
    ...(container === undefined ? [] : [['container', container] as const]),
    ...(given('follow') ? [['follow', 'true'] as const] : []),
    ...(tail === undefined ? [] : [['tailLines', tail] as const]),
  ]
}
const WEB_SOCKET = 'kubectl opens the connection with GET since 1.31, with POST before.'

const onNode: Command = (words) => {
  const [name] = words.args
  const named = builtIn('nodes')
  return name === undefined
    ? { problem: `kubectl ${words.command} needs the name of a node.` }
    : send(words, { verb: 'patch', named, name })
}

const certificate: Command = (words) => {
  const [, name] = words.args
  return name === undefined
    ? { problem: 'kubectl certificate needs approve or deny and the name of a request.' }
    : send(words, { verb: 'update', named: builtIn('certificatesigningrequests'), name, subresource: 'approval' })
}

const rollout: Command = (words) => {
  const [action = ''] = words.args
  const reads = action === 'status' || action === 'history'
  return change(reads ? 'get' : 'patch', '', 1)(words)
}

const top: Command = (words) => {
  const [type = '', name] = words.args
  const target = targetOf([type])
  if ('problem' in target) return target
  const named = knownResource(target.named.resource, 'metrics.k8s.io')
  if (named === undefined) return { problem: 'kubectl top supports pods and nodes.' }
  const wish = { named: { ...named, notes: [], guessed: false }, options: selectors(words) }
  return name === undefined ? send(words, { ...wish, verb: 'list' }) : send(words, { ...wish, verb: 'get', name })
}

const auth: Command = (words) => {
  const [action = ''] = words.args
  if (action === 'can-i')
    return post(words.given('list') ? 'selfsubjectrulesreviews' : 'selfsubjectaccessreviews')(words)
  return action === 'whoami'
    ? post('selfsubjectreviews')(words)
    : { problem: 'Of kubectl auth, only can-i and whoami are supported.' }
}

const path =
  (url: string): Command =>
  () => ({ method: 'GET', url, guessed: false, notes: [] })

const watch: Command = (words) => get({ ...words, given: (option) => option === 'watch' || words.given(option) })

/** The first or most frequent request of each command. */
const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    get,
    list: get,
    describe: get,
    watch,
    wait: watch,
    delete: change('delete'),
    patch: change('patch'),
    edit: change('patch'),
    apply: change('patch'),
    label: change('patch'),
    annotate: change('patch'),
    replace: change('update'),
    set: change('patch', '', 1),
    scale: change('patch', 'scale'),
    taint: change('patch'),
    rollout,
    certificate,
    diff: () => FILES,
    cordon: onNode,
    uncordon: onNode,
    drain: onNode,
    create,
    run: post('pods'),
    expose: post('services'),
    autoscale: post('horizontalpodautoscalers'),
    logs: ofPod('log', logOptions),
    exec: ofPod('exec', logOptions, [WEB_SOCKET]),
    // Of oc.
    rsh: ofPod('exec', logOptions, [WEB_SOCKET]),
    cp: copy,
    debug,
    events,
    attach: ofPod('attach', logOptions, [WEB_SOCKET]),
    'port-forward': ofPod('portforward', () => [], [WEB_SOCKET]),
    top,
    auth,
    version: path('/version'),
    'api-resources': path('/apis'),
    'api-versions': path('/apis'),
    explain: path('/openapi/v3'),
    'cluster-info': (words) =>
      send(
        { ...words, value: (option) => (option === 'namespace' ? 'kube-system' : words.value(option)) },
        { verb: 'list', named: builtIn('services') },
      ),
  }),
)
