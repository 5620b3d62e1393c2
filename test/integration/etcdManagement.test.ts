import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openRulesStore } from '../../main/etcd/rulesStore.ts'
import { startCommand, type Running } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { clientOf, serverTls, tlsFiles, WAYS } from '../harness/etcdProxies.ts'
import { found } from '../harness/liveCommand.ts'
import { putKey, smallEtcd, type SmallEtcd } from '../harness/smallEtcd.ts'

let folder = ''
let etcd: SmallEtcd
let flags: readonly string[] = []
let running: Running[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-etcd-'))
  vi.stubEnv('XDG_STATE_HOME', folder)
})
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.interrupt()
    await command.ended
  }
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

interface Proxy extends Running {
  readonly url: string
}

async function proxy(...more: readonly string[]): Promise<Proxy> {
  const command = startCommand('etcd-proxy', '--upstream', etcd.url, ...flags, ...more)
  running = [...running, command]
  const url = await found(command.output, /Proxy: (https?:\/\/127\.0\.0\.1:\d+) → /)
  await found(command.output, /Management: (http:\/\/127\.0\.0\.1:\d+), as /)
  return { ...command, url }
}

const qos = (words: string) => runHere('qos', ...words.split(' '))
const addressFile = (name = 'default'): string => join(folder, 'apf-console/etcd', `${name}.json`)
const AddressSchema = z.object({ url: z.string(), token: z.string(), pid: z.number() })
const address = async () => AddressSchema.parse(JSON.parse(await readFile(addressFile(), 'utf8')))
/** SIGKILL: neither a signal handler nor a shutdown runs. */
async function kill(command: Running): Promise<void> {
  process.kill((await address()).pid, 'SIGKILL')
  await command.ended
}
async function statuses(url: string, key: string, times: number): Promise<string> {
  const session = clientOf(url)
  try {
    return (await Promise.all(Array.from({ length: times }, () => putKey(session, key)))).toSorted().join(' ')
  } finally {
    session.destroy()
  }
}

const EVENT_CLASS = 'class add event --qdisc-kind lbf --qps 0.001'
const EVENT_RULE =
  'rule add rule-event --qclassName event --priority 9 --ops RequestPut --prefixPaths /registry/events/'

describe.each(WAYS)('apf-console qos on a running proxy, %s', (way) => {
  beforeEach(async () => {
    etcd = await smallEtcd(2, serverTls(way))
    const files = await tlsFiles(folder, way)
    flags =
      files === undefined
        ? []
        : ['--certificate-authority', files.caFile, '--tls-cert', files.tls.certFile, '--tls-key', files.tls.keyFile]
  })
  afterEach(() => etcd.close())

  test('the commands of the proposal add, list, change and remove classes and rules', async () => {
    await proxy()
    expect(await qos('class add slow-query --qdisc-kind tbf --qps 10 --burst 12')).toMatchObject({
      code: 0,
      output: 'Revision 1.\n',
    })
    expect((await qos('class add high-traffic --qdisc-kind maxinflight --num 5')).output).toBe('Revision 2.\n')
    expect(
      (await qos('class add tenant --qdisc-kind window --limit 10000 --window 100s --cost scannedKeys --group-by user'))
        .code,
    ).toBe(0)
    const rule =
      'rule add rule-slowlog --qclassName slow-query --priority 10 --ops RequestRange --prefixPaths registry/pods/ --condition-kind NumberOfScanKeyNum --condition-threshold 1000.0'
    expect((await qos(rule)).output).toBe('Revision 4.\n')
    expect((await qos('rule get rule-slowlog --json')).output).toContain('"threshold": 1000')
    expect((await qos('rule list')).output).toContain('- name: rule-slowlog')
    expect((await qos('rule update rule-slowlog --priority 11')).output).toBe('Revision 5.\n')
    expect((await qos('rule disable rule-slowlog')).code).toBe(0)
    expect((await qos('rule get rule-slowlog')).output).toContain('enabled: false')
    expect((await qos('rule enable rule-slowlog')).code).toBe(0)
    expect((await qos('rule update rule-slowlog --clear prefixPaths')).code).toBe(0)
    expect((await qos('rule get rule-slowlog')).output).not.toContain('prefixPaths')
    expect(await qos('class del slow-query')).toMatchObject({ code: 2, told: expect.stringContaining('is in use by') })
    expect((await qos('rule add twin --qclassName slow-query --priority 11 --ops Range')).told).toContain(
      'have the same priority 11 and both match Range',
    )
    expect((await qos('rule del rule-slowlog')).code).toBe(0)
    expect((await qos('class del slow-query')).code).toBe(0)
    const exported = (await qos('export')).output
    expect(exported).toContain('name: high-traffic')
    const history = (await qos('history')).output
    expect(history.split('\n')[1]).toMatch(/10 .* remove .* class slow-query/)
    await writeFile(join(folder, 'before.yaml'), (await qos('export --revision 4')).output)
    expect((await qos(`import ${join(folder, 'before.yaml')}`)).output).toBe('Revision 11: 1 rules in effect.\n')
    expect((await qos('rule get rule-slowlog')).output).toContain('priority: 10')
  })

  test('rules act at once, on requests under way too, and none is dropped', async () => {
    const { url } = await proxy()
    const session = clientOf(url)
    const answers: Promise<string>[] = []
    const load = setInterval(() => answers.push(putKey(session, '/registry/pods/a')), 2)
    expect((await qos(EVENT_CLASS)).code).toBe(0)
    expect((await qos(EVENT_RULE)).code).toBe(0)
    expect(await statuses(url, '/registry/events/e', 3)).toBe('0 8 8')
    expect((await qos('mode observe')).code).toBe(0)
    expect(await statuses(url, '/registry/events/e', 3)).toBe('0 0 0')
    expect((await qos('mode enforce')).code).toBe(0)
    const tested = await qos('rule test --op Put --key /registry/events/e')
    expect(tested.output).toMatch(/limited\nrule-event applies; class event: free in /)
    expect(tested.output).toMatch(/→ {2}9 {2}rule-event {2}event {2}applies/)
    expect((await qos('rule del rule-event')).code).toBe(0)
    expect(await statuses(url, '/registry/events/e', 3)).toBe('0 0 0')
    clearInterval(load)
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['0']))
    session.destroy()
    const status = (await qos('status')).output
    expect(status).toContain('enforce, revision 5')
    expect((await qos('tracker list --by traffic')).output).toContain('/registry/pods/a')
    expect((await qos('advise')).output).toContain('Events cannot fill the store')
  })

  test('the monitor prints what is above the threshold, and ends after its limit', async () => {
    const { url } = await proxy()
    const monitor = startCommand('qos', 'monitor', '--type', 'latency', '--threshold', '1', '--limit', '2', '--json')
    running = [...running, monitor]
    const answers: Promise<string>[] = []
    const load = setInterval(() => answers.push(statuses(url, '/a', 1)), 20)
    expect(await monitor.ended).toBe(0)
    clearInterval(load)
    // A connection that is still open when the proxy ends is reset.
    await Promise.all(answers)
    const records = monitor.output().trim().split('\n')
    expect(records).toHaveLength(2)
    expect(JSON.parse(records[0] ?? '')).toMatchObject({ method: 'KV/Put', request: 'KV/Put /a', verdict: 'passed' })
    expect((await qos('monitor --type latency --threshold 1 --limit 100')).told).toContain('from 1 to 99')
  })

  test('kill -9 at any moment keeps every change that was confirmed', async () => {
    const first = await proxy()
    expect((await stat(addressFile())).mode & 0o777).toBe(0o600)
    await qos(EVENT_CLASS)
    await qos(EVENT_RULE)
    await kill(first)
    expect((await qos('rule list')).told).toContain('No etcd proxy of this user runs.')
    const second = await proxy()
    expect(await statuses(second.url, '/registry/events/e', 3)).toBe('0 8 8')
    let confirmed = 0
    const changes = (async (): Promise<void> => {
      for (let i = 0; i < 1_000; i++) {
        const { code } = await qos(`class add c${i} --qdisc-kind lbf --qps 1`)
        if (code !== 0) return
        confirmed = i + 1
      }
    })()
    await vi.waitFor(() => expect(confirmed).toBeGreaterThan(5), 20_000)
    await kill(second)
    await changes
    await proxy()
    const classes = z
      .array(z.object({ name: z.string() }))
      .parse(JSON.parse((await qos('class list --json')).output))
      .map(({ name }) => name)
    // The last one may have been written and not confirmed.
    expect(classes.length - 1 - confirmed).toBeGreaterThanOrEqual(0)
    expect(classes.length - 1 - confirmed).toBeLessThanOrEqual(1)
  })

  test('a second proxy of one name is refused, and several are told apart', async () => {
    await proxy()
    const twin = await runHere('etcd-proxy', '--upstream', etcd.url, ...flags)
    expect(twin).toMatchObject({ code: 2, told: expect.stringContaining('named default runs already') })
    await proxy('--name', 'other')
    expect((await qos('class list')).told).toContain('Several etcd proxies run: default, other.')
    expect((await qos('class list --proxy other')).output).toBe('No classes.\n')
    expect((await qos('class list --proxy none')).told).toContain('No etcd proxy named none runs.')
  })

  test('rules from files are changed in their files only', async () => {
    const file = join(folder, 'rules.yaml')
    await writeFile(file, 'classes: [{ name: event, qdisc: lbf, qps: 1 }]\n')
    await proxy('--rules', file)
    expect((await qos('class del event')).told).toContain('The rules of this proxy come from files.')
    expect((await qos('history')).told).toContain('no history of them is kept')
    expect((await qos('mode observe')).code).toBe(0)
    expect((await qos('status --json')).output).toContain('"mode": "observe"')
  })

  test('only holders of the token are answered, and broken requests harm nobody', async () => {
    await proxy()
    const { url, token } = await address()
    const post = async (method: string, body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/etcdqospb.QoS/${method}`, { method: 'POST', body, headers })).status
    const own = { authorization: `Bearer ${token}` }
    expect(await post('ClassList', '{}', {})).toBe(401)
    expect(await post('ClassList', '{}', { authorization: 'Bearer wrong' })).toBe(401)
    expect(await post('ClassList', '{}', { ...own, origin: 'http://evil.example' })).toBe(401)
    expect(await post('ClassList', '{}', own)).toBe(200)
    expect(await post('ClassList', '{', own)).toBe(400)
    expect(await post('NoSuchMethod', '{}', own)).toBe(404)
    expect(await post('toString', '{}', own)).toBe(404)
    expect(await post('ClassAdd', '{"name":3}', own)).toBe(400)
    expect(await post('Monitor', '{"type":"latency","threshold":1,"limit":100}', own)).toBe(400)
    expect(await post('RuleTest', '{"method":"KV/Nothing"}', own)).toBe(400)
    expect(await post('Import', `{"document":{"classes":[${'['.repeat(1_000)}${']'.repeat(1_000)}]}}`, own)).toBe(400)
    expect((await qos('class list')).output).toBe('No classes.\n')
  })
})

test('two writers of one store lose no change of each other', async () => {
  const path = join(folder, 'rules.db')
  const stores = [await openRulesStore(path), await openRulesStore(path)]
  const add = (store: (typeof stores)[number], name: string) =>
    store.change(0, (kept) => {
      const names = z.object({ names: z.array(z.string()) }).safeParse(kept?.document).data?.names ?? []
      const base = { action: 'add', kind: 'class', name, before: null, after: name, mode: 'enforce' } as const
      return { ...base, document: { names: [...names, name] } }
    })
  const names = Array.from({ length: 40 }, (_, index) => `c${index}`)
  await Promise.all(names.map((name, index) => add(stores[index % 2] ?? stores[0]!, name)))
  const kept = await stores[0]?.read()
  expect(kept?.revision).toBe(40)
  expect(
    z
      .object({ names: z.array(z.string()) })
      .parse(kept?.document)
      .names.toSorted(),
  ).toEqual(names.toSorted())
  expect((await stores[1]?.history(3))?.map(({ revision }) => revision)).toEqual([40, 39, 38])
  await expect(stores[0]?.at(41)).rejects.toThrow('There is no revision 41')
  for (const store of stores) store.close()
})
