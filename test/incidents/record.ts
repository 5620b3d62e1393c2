import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_VERSION } from '../cluster/binaries.ts'
import { startCluster, type Cluster } from '../cluster/cluster.ts'
import { flowControl, type FlowControl } from '../cluster/flowControl.ts'
import { ADMIN } from '../cluster/identities.ts'
import { runLoad, type Answered } from '../cluster/load.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { QUESTIONS, type Incident, type Limits, type Measured, type Service } from './incident.ts'
import { NAMESPACES } from './senders.ts'

/** A level needs two recomputations of ten seconds until its limit is that of the objects. */
const SETTLED_MS = 12_000
const STORED_BYTES = 3_000
const AT_ONCE = 20

export const recordingIn = (folder: string): string => join(folder, 'recording.apfrec')

/** Stages an incident on a server of its own while the console records it; writes recording, truth and measurements. */
export async function record(incident: Incident, folder: string): Promise<void> {
  let limits = incident.limits
  const cluster = await startCluster({
    version: process.env['APF_INCIDENTS_VERSION'] ?? DEFAULT_VERSION,
    maxInflight: 0,
    maxMutatingInflight: 0,
    // The last of two flags of one name is the one that the server takes.
    apiserverArguments: () =>
      Promise.resolve([`--max-requests-inflight=${limits[0]}`, `--max-mutating-requests-inflight=${limits[1]}`]),
  })
  try {
    await mkdir(folder, { recursive: true })
    await rm(recordingIn(folder), { force: true })
    const control = flowControl(() => cluster)
    await makeObjects(cluster, incident.stored ?? 0)
    for (const object of incident.objects ?? []) await control.applyAs('platform', object)
    await sleep(SETTLED_MS)
    const watching = startCommand('record', recordingIn(folder), '--kubeconfig', cluster.kubeconfig)
    watching.input.end()
    // `close` of the command ends its recording; until it has begun there is no baseline.
    while (!watching.told().includes('Recording ')) {
      if ((await Promise.race([watching.ended, sleep(200, 'runs' as const)])) !== 'runs')
        throw new Error(watching.told())
    }
    const answers: Answered[] = []
    const end = new AbortController()
    const running = runLoad(cluster, incident.clients, incident.asked + 180, end.signal, (answer) =>
      answers.push(answer),
    )
    const restart = async (next: Limits): Promise<void> => {
      limits = next
      await cluster.stopApiserver()
      await cluster.startApiserver()
    }
    const began = Date.now()
    for (const { at, run } of incident.events ?? []) {
      await sleep(began + at * 1_000 - Date.now())
      await run({ control, cluster, restart })
    }
    await sleep(began + incident.asked * 1_000 - Date.now())
    watching.interrupt()
    const code = await watching.ended
    const curedAt = await applyRemedy({ cluster, control, recording: recordingIn(folder), began })
    if (curedAt !== undefined) await sleep(CURED_SECONDS * 1_000)
    end.abort()
    await running
    if (code !== 0) throw new Error(`record ended with ${code}: ${watching.told()}`)
    const measured = measure(answers, incident, curedAt)
    await writeFile(join(folder, 'measured.json'), `${JSON.stringify(measured, undefined, 1)}\n`)
    await writeFile(join(folder, 'truth.md'), truthText(incident, measured, new Date(began)))
  } finally {
    await cluster.stop()
  }
}

/**
 * Applies the objects that the console proposes with its first finding that has some, or deletes what its first remedy
 * says to delete. Seconds after the start of the load at which that took effect; `undefined` without either.
 */
async function applyRemedy(of: {
  readonly cluster: Cluster
  readonly control: FlowControl
  readonly recording: string
  readonly began: number
}): Promise<number | undefined> {
  const { cluster, control, recording, began } = of
  const said = await runCommand('status', '--recording', recording)
  const [, deleted] = /^Remedy: .*kubectl delete flowschema ([^)\s]+)/m.exec(said.output) ?? []
  if (deleted === undefined) {
    const { code, output } = await runCommand('diagnose', '--recording', recording, '--draft')
    if (code !== 0) return undefined
    const file = `${recording}.draft.yaml`
    await writeFile(file, output)
    await cluster.apply(file, ADMIN)
  } else await control.remove('FlowSchema', deleted)
  return (Date.now() - began + SETTLED_MS) / 1_000
}

async function makeObjects(cluster: Cluster, stored: number): Promise<void> {
  for (const name of NAMESPACES) {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    await cluster.call('/api/v1/namespaces', ADMIN, { method: 'POST', body })
  }
  const data = { payload: 'x'.repeat(STORED_BYTES) }
  for (let first = 0; first < stored; first += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const metadata = { name: `entry-${first + index}` }
        const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
        return cluster.call('/api/v1/namespaces/catalog/configmaps', ADMIN, { method: 'POST', body })
      }),
    )
  }
}

/** Seconds after the onset that belong neither to before nor to the incident. */
const CHANGING = 8
/** Of a remedy, the time in which it takes effect included. */
const CURED_SECONDS = 45
/** Seconds at the start of the load in which clients connect. */
const CONNECTING = 10

function measure(
  answers: readonly Answered[],
  { onset, asked }: Incident,
  curedAt: number | undefined,
): readonly Measured[] {
  const last = Math.max(...answers.map(({ sentAt }) => sentAt))
  return [...Map.groupBy(answers, ({ user }) => user)]
    .map(([user, own]) => ({
      user,
      before: serviceOf(own, CONNECTING, onset),
      during: serviceOf(own, onset + CHANGING, asked),
      after: curedAt === undefined ? undefined : serviceOf(own, curedAt, last),
    }))
    .toSorted((a, b) => (b.during.median ?? 0) - (a.during.median ?? 0))
}

function serviceOf(answers: readonly Answered[], from: number, to: number): Service {
  const own = answers.filter(({ sentAt }) => sentAt >= from && sentAt < to)
  const served = own
    .flatMap(({ status, tookMs }) => (status >= 200 && status < 300 ? [tookMs] : []))
    .toSorted((a, b) => a - b)
  const at = (part: number): number | undefined => {
    const value = served[Math.floor(part * served.length)]
    return value === undefined ? undefined : Math.round(value)
  }
  return {
    perSecond: Number((own.length / (to - from)).toFixed(2)),
    rejected: own.filter(({ status }) => status === 429).length,
    broken: own.filter(({ status }) => status === 0 || status >= 500).length,
    median: at(0.5),
    p95: at(0.95),
  }
}

function truthText(incident: Incident, measured: readonly Measured[], began: Date): string {
  const { name, kind, truth, limits, onset, asked } = incident
  const cell = ({ perSecond, rejected, broken, median, p95 }: Service): string =>
    `${perSecond}/s, ${median ?? '–'} / ${p95 ?? '–'} ms, ${rejected} × 429, ${broken} broken`
  return [
    `# ${name} (${kind})`,
    '',
    truth.story,
    '',
    `Server: ${limits[0]} + ${limits[1]} seats. Load from ${began.toISOString()}; onset at second ${onset}, asked at second ${asked}.`,
    '',
    ...QUESTIONS.map((question) => `- **${question}**: ${truth[question].given}`),
    ...truth.forbidden.map(({ why }) => `- not to be said, because ${why}`),
    '',
    '| user | before: requests, median / p95, 429 | during | with the console’s remedy |',
    '| --- | --- | --- | --- |',
    ...measured.map(
      ({ user, before, during, after }) =>
        `| ${user} | ${cell(before)} | ${cell(during)} | ${after === undefined ? 'no edit' : cell(after)} |`,
    ),
    '',
  ].join('\n')
}
