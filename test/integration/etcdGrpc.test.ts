import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { JsonMap } from '../../core/manifest/json.ts'
import { AdmissionGate } from '../../main/etcd/admissionGate.ts'
import { type ControlServer, startControl } from '../../main/etcd/control.ts'
import { PROTO } from '../../main/etcd/etcdqospb.ts'
import { Management } from '../../main/etcd/management.ts'
import { NO_RULES } from '../../core/qos/configuration.ts'
import { FirstMessage, framed } from '../../main/etcd/messages.ts'
import { METHODS } from '../../main/etcd/methods.ts'
import { ProtoFile } from '../../main/etcd/protobuf.ts'
import { openRulesStore } from '../../main/etcd/rulesStore.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { runHere } from '../harness/commandHere.ts'

const proto = new ProtoFile(PROTO)
const OBSERVED = { ok: true, scannedKeys: 5_000, responseBytes: 2_000, latencyMs: 3 }
const LIST = {
  method: 'KV/Range',
  body: { op: 'Range', key: '/registry/pods/', rangeEnd: '/registry/pods0' },
  user: 'u',
  clientIP: '10.0.0.1',
} as const

let folder = ''
let control: ControlServer
let gate: AdmissionGate
let management: Management
let token = ''
let session: ClientHttp2Session
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-grpc-'))
  const now = (): number => performance.now()
  gate = new AdmissionGate(NO_RULES, 'enforce', { now, after: systemEnvironment.after })
  const store = await openRulesStore(undefined)
  management = new Management(
    { gate, store, url: () => '', upstream: '', storage: () => undefined, now, time: () => Date.now() },
    0,
  )
  control = await startControl({ port: 0, grpcPort: 0, management, folder, name: 'p' })
  token = z.object({ token: z.string() }).parse(JSON.parse(await readFile(join(folder, 'p.json'), 'utf8'))).token
  session = connect(`http://${control.grpc}`)
  session.on('error', () => undefined)
})
afterEach(async () => {
  session.destroy()
  gate.close()
  await control.close()
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  /** Of gRPC. */
  readonly status: string
  readonly text: string
  readonly messages: readonly JsonMap[]
}

interface Sent {
  readonly path?: string
  readonly body?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** One call from its first byte to its end; `reset` where there was no status. */
function call(method: string, input: JsonMap = {}, { path, body, headers }: Sent = {}): Promise<Answer> {
  const rpc = proto.rpcs.get(method) ?? { input: 'Nothing', output: 'Nothing' }
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path ?? `/etcdqospb.QoS/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${token}`,
      ...headers,
    })
    let [status, text] = ['reset', '']
    const read = (fields: Readonly<Record<string, unknown>>): void => {
      if (typeof fields['grpc-status'] === 'string') status = fields['grpc-status']
      if (typeof fields['grpc-message'] === 'string') text = decodeURIComponent(fields['grpc-message'])
    }
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('response', read)
    stream.on('trailers', read)
    stream.on('error', () => undefined)
    stream.on('close', () =>
      resolve({
        status,
        text,
        messages: messagesOf(Buffer.concat(chunks)).map((one) => proto.decode(rpc.output, one)),
      }),
    )
    stream.end(body ?? framed(proto.encode(rpc.input, input)))
  })
}

function messagesOf(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  for (let rest = bytes; rest.length > 0;) {
    const first = new FirstMessage(1024 * 1024)
    first.push(rest)
    const message = first.read()
    if (message === undefined) break
    found.push(message.payload)
    rest = rest.subarray(5 + message.payload.length)
  }
  return found
}

const CLASS = { name: 'slow-query', qdisc: 'tbf', qps: 10, burst: 12 }
const RULE = {
  name: 'rule-slowlog',
  qClassName: 'slow-query',
  priority: 10,
  ops: ['Range'],
  prefixPaths: ['/registry/pods/'],
  conditions: [{ kind: 'ScanKeyNum', threshold: 0 }],
}

describe('the management over gRPC', () => {
  test('every method of the specification has a handler of the HTTP form', () => {
    const specified =
      'ClassAdd ClassUpdate ClassDelete ClassGet ClassList RuleAdd RuleUpdate RuleDelete RuleGet RuleList RuleTest TrackerList Monitor Advise'
    expect([...proto.rpcs.keys()].join(' ')).toBe(specified)
    for (const name of proto.rpcs.keys()) if (name !== 'Monitor') expect(Object.keys(METHODS)).toContain(name)
  })

  test('classes and rules are added, changed, listed and removed', async () => {
    expect((await call('ClassAdd', { class: CLASS })).messages).toEqual([{ revision: 1 }])
    expect((await call('RuleAdd', { rule: RULE })).messages).toEqual([{ revision: 2 }])
    expect((await call('ClassList')).messages).toEqual([{ classes: [CLASS] }])
    expect((await call('RuleGet', { name: 'rule-slowlog' })).messages).toEqual([RULE])
    expect((await call('RuleUpdate', { rule: { name: RULE.name, priority: 11 }, clear: ['conditions'] })).status).toBe(
      '0',
    )
    const { conditions: _, ...rest } = RULE
    expect((await call('RuleList')).messages).toEqual([{ rules: [{ ...rest, priority: 11 }] }])
    expect(await call('ClassDelete', { name: 'slow-query' })).toMatchObject({
      status: '9',
      text: expect.stringContaining('is in use by'),
    })
    expect(await call('RuleAdd', { rule: { ...RULE, name: 'x', priority: 101 } })).toMatchObject({
      status: '3',
      text: expect.stringContaining('priority must be'),
    })
    expect((await call('RuleGet', { name: 'none' })).status).toBe('5')
    expect((await call('RuleDelete', { name: 'rule-slowlog' })).status).toBe('0')
    expect((await call('ClassDelete', { name: 'slow-query' })).status).toBe('0')
    expect(gate.configuration.classes).toEqual([])
  })

  test('tests, tracker, monitor and advice', async () => {
    await call('ClassAdd', { class: CLASS })
    await call('RuleAdd', { rule: { ...RULE, conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }] } })
    const monitored = call('Monitor', { type: 'scanKeyNum', threshold: 100, limit: 2 })
    const stop = setInterval(() => gate.arrive(LIST, () => undefined).end(OBSERVED), 20)
    const { status, messages } = await monitored
    clearInterval(stop)
    expect(status).toBe('0')
    expect(messages).toHaveLength(2)
    expect(messages[0]).toMatchObject({
      method: 'KV/Range',
      scannedKeys: 5_000,
      clientIP: '10.0.0.1',
      verdict: 'passed',
    })
    const tested = await call('RuleTest', {
      method: 'KV/Range',
      key: '/registry/pods/',
      prefix: true,
      scannedKeys: 5_000,
    })
    expect(tested.messages[0]).toMatchObject({
      verdict: 'passed',
      rules: [{ rule: 'rule-slowlog', outcome: 'applies' }],
    })
    const [tracked] = (await call('TrackerList', { by: 'scan', top: 1 })).messages
    expect(tracked).toMatchObject({ tracker: { entries: 1, capacity: 1_000 }, top: [{ op: 'Range' }] })
    expect((await call('Advise')).messages[0]?.['advice']).not.toHaveLength(0)
    expect((await call('Monitor', { type: 'latency', threshold: 1, limit: 100 })).status).toBe('3')
  })

  test('strangers, unknown services and broken messages get a status, and harm nobody', async () => {
    expect((await call('ClassList', {}, { headers: { authorization: 'Bearer wrong' } })).status).toBe('16')
    for (const path of ['/etcdqospb.QoS/Nothing', '/no.such.Service/ClassList', '/etcdqospb.QoS/State', '/'])
      expect((await call('ClassList', {}, { path })).status, path).toBe('12')
    expect((await call('ClassAdd', {}, { body: framed(Buffer.from([0x0a, 0x7f])) })).status).toBe('3')
    expect((await call('ClassAdd', {}, { body: framed(Buffer.from([0x08, 0x01])) })).status).toBe('3')
    expect((await call('ClassAdd', {}, { body: Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]) })).status).toBe('3')
    expect((await call('ClassAdd', {}, { body: Buffer.from([1, 0, 0, 0, 0]) })).status).toBe('12')
    expect((await call('ClassAdd', {}, { body: Buffer.alloc(0) })).status).toBe('3')
    expect((await call('ClassList', {}, { headers: { 'content-type': 'text/plain' } })).status).toBe('reset')
    expect((await call('ClassList')).status).toBe('0')
  })

  test('no address is written into a folder of another user', async () => {
    const stranger = vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1)
    try {
      await expect(startControl({ port: 0, grpcPort: 0, management, folder, name: 'q' })).rejects.toThrow(
        `Cannot use ${folder}: it belongs to another user`,
      )
    } finally {
      stranger.mockRestore()
    }
    expect(await readdir(folder)).toEqual(['p.json'])
  })

  test('qos proto prints the service', async () => {
    const { code, output } = await runHere('qos', 'proto')
    expect(code).toBe(0)
    expect(output).toBe(PROTO)
  })
})
