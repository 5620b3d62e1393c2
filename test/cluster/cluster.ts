import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApi, type Answer, type Api, type Call } from './api.ts'
import { DEFAULT_VERSION, ensureBinaries, type Binaries } from './binaries.ts'
import { ADMIN, NOBODY, VIEWER, makeIdentities, tokenFile, type Identity } from './identities.ts'
import { makePki, type Pki } from './pki.ts'
import { freePort, logOf, startServer, type Server } from './process.ts'

const MANIFESTS = join(dirname(fileURLToPath(import.meta.url)), 'manifests')

export interface ClusterOptions {
  readonly version?: string
  /** Both add up to the seats of the server. */
  readonly maxInflight?: number
  readonly maxMutatingInflight?: number
  /** Names of files in manifests/ to apply besides the roles. */
  readonly manifests?: readonly string[]
  /** Further arguments of the API server, computed at each start; files that they name may be put into `folder`. */
  readonly apiserverArguments?: (folder: string) => Promise<readonly string[]>
  /** What the API server reaches etcd through, given the port of etcd: its own port, and what stops it. */
  readonly beforeEtcd?: (etcdPort: number) => Promise<{ readonly port: number; readonly close: () => Promise<void> }>
  readonly log?: (line: string) => void
}

/** One kube-apiserver and its etcd on loopback: no kubelets, no controllers. */
export interface Cluster {
  readonly version: string
  /** https://127.0.0.1:port, the same after a restart of the API server. */
  readonly url: string
  readonly ca: Buffer
  /** Context `admin` (token), `admin-cert` (client certificate) and one for every identity; `admin` is current. */
  readonly kubeconfig: string
  /** Kubeconfigs with one user each: the least-privilege viewer, and a user who may do nothing. */
  readonly viewerKubeconfig: string
  readonly nobodyKubeconfig: string
  /** What the API server writes to its standard output and error; goes on after a restart. */
  readonly apiserverLog: string
  identity(user: string): Identity
  call(path: string, as: string, call?: Call): Promise<Answer>
  /** Server-side apply of a manifest file. */
  apply(manifest: string, as: string): Promise<void>
  stopApiserver(): Promise<void>
  /** kill -9. */
  killApiserver(): Promise<void>
  startApiserver(): Promise<void>
  /** Stops both processes and deletes everything that was written. */
  stop(): Promise<void>
}

const READY_MS = 120_000
const APISERVER = 'kube-apiserver'

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const log = options.log ?? ((line: string) => console.error(line))
  const binaries = await ensureBinaries(options.version ?? DEFAULT_VERSION, log)
  const folder = await mkdtemp(join(tmpdir(), 'apf-kube-'))
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    return await start(options, binaries, folder, undo, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  options: ClusterOptions,
  binaries: Binaries,
  folder: string,
  undo: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Cluster> {
  const pki = await makePki(join(folder, 'pki'))
  const ca = await readFile(pki.ca)
  const identities = makeIdentities()
  await writeFile(join(folder, 'tokens.csv'), tokenFile(identities.values()), { mode: 0o600 })

  const etcdPort = await freePort()
  const etcd = startServer('etcd', binaries.etcd, etcdArguments(folder, etcdPort, await freePort()), folder)
  undo.push(() => etcd.stop())
  const before = await options.beforeEtcd?.(etcdPort)
  if (before !== undefined) undo.push(() => before.close())

  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const api = createApi(url, ca)
  undo.push(() => Promise.resolve(api.close()))
  const identity = (user: string): Identity => {
    const found = identities.get(user)
    if (found === undefined) throw new Error(`no identity ${user}`)
    return found
  }
  const admin = identity(ADMIN).token
  let apiserver: Server | undefined
  const stopApiserver = async (): Promise<void> => {
    await apiserver?.stop()
    apiserver = undefined
  }
  const killApiserver = async (): Promise<void> => {
    await apiserver?.kill()
    apiserver = undefined
  }
  const startApiserver = async (): Promise<void> => {
    const more = (await options.apiserverArguments?.(folder)) ?? []
    const started = startServer(
      APISERVER,
      binaries.apiserver,
      [...apiserverArguments(folder, pki, before?.port ?? etcdPort, port, options), ...more],
      folder,
    )
    apiserver = started
    await untilReady(api, admin, [etcd, started])
  }
  undo.push(stopApiserver)
  await startApiserver()
  for (const name of ['namespaces', 'console-viewer', 'load', ...(options.manifests ?? [])]) {
    await api.apply(join(MANIFESTS, `${name}.yaml`), admin)
  }

  const kubeconfig = (name: string, users: readonly Identity[], current: string): Promise<string> =>
    writeKubeconfig(join(folder, name), url, pki, users, current)
  return {
    version: binaries.version,
    url,
    ca,
    kubeconfig: await kubeconfig('kubeconfig', [...identities.values()], ADMIN),
    viewerKubeconfig: await kubeconfig('viewer.kubeconfig', [identity(VIEWER)], VIEWER),
    nobodyKubeconfig: await kubeconfig('nobody.kubeconfig', [identity(NOBODY)], NOBODY),
    apiserverLog: logOf(APISERVER, folder),
    identity,
    call: (path, as, call) => api.call(path, identity(as).token, call),
    apply: (manifest, as) => api.apply(manifest, identity(as).token),
    stopApiserver,
    killApiserver,
    startApiserver,
    stop,
  }
}

export function etcdArguments(folder: string, clientPort: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${clientPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  return [
    '--name=e0',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=e0=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

function apiserverArguments(
  folder: string,
  pki: Pki,
  etcdPort: number,
  port: number,
  options: ClusterOptions,
): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${pki.serverCert}`,
    `--tls-private-key-file=${pki.serverKey}`,
    `--client-ca-file=${pki.ca}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--anonymous-auth=false',
    '--authorization-mode=Node,RBAC',
    '--service-cluster-ip-range=10.96.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pki.serviceAccountKey}`,
    `--service-account-signing-key-file=${pki.serviceAccountKey}`,
    '--disable-admission-plugins=ServiceAccount',
    `--max-requests-inflight=${options.maxInflight ?? 20}`,
    `--max-mutating-requests-inflight=${options.maxMutatingInflight ?? 10}`,
    '--v=1',
  ]
}

async function untilReady(api: Api, token: string, servers: readonly Server[]): Promise<void> {
  const deadline = Date.now() + READY_MS
  while (Date.now() < deadline) {
    for (const server of servers) {
      const ended = await server.ended()
      if (ended !== undefined) throw new Error(ended)
    }
    const ready = await api.call('/readyz', token).catch(() => undefined)
    if (ready?.status === 200) return
    await sleep(100)
  }
  throw new Error(`the API server was not ready within ${READY_MS / 1000} s`)
}

/** JSON is YAML: the file is an ordinary kubeconfig. */
async function writeKubeconfig(
  path: string,
  server: string,
  pki: Pki,
  users: readonly Identity[],
  current: string,
): Promise<string> {
  const entries = [
    ...users.map(({ user, token }) => ({ name: user, user: { token } })),
    ...(users.length > 1
      ? [{ name: 'admin-cert', user: { 'client-certificate': pki.adminCert, 'client-key': pki.adminKey } }]
      : []),
  ]
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'apf-kube', cluster: { server, 'certificate-authority': pki.ca } }],
    users: entries,
    contexts: entries.map(({ name }) => ({ name, context: { cluster: 'apf-kube', user: name } })),
    'current-context': current,
  }
  await writeFile(path, JSON.stringify(config, undefined, 1), { mode: 0o600 })
  return path
}
