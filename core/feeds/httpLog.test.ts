import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHttpLogLine } from './httpLog.ts'
import { readLog } from './logReader.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const line =
  'I1121 07:26:45.082871   16426 httplog.go:134] "HTTP" verb="DELETE" URI="/api/v1/namespaces/web/configmaps/one" ' +
  'latency="587.589828ms" userAgent="apf-load/delete (linux)" audit-ID="94ca4480" srcIP="127.0.0.1:42816" ' +
  'apf_pl="workload-low" apf_fs="service-accounts" apf_iseats=1 apf_fseats=2 apf_additionalLatency="50ms" ' +
  'fl_priorityandfairness="583.706724ms" apf_execution_time="3.738826ms" resp=200'
const read = (text: string, at = nowMs) => readHttpLogLine(text, at)

describe('a line about flow control', () => {
  const text = 'Unable to list FlowSchema objects: the cache is not synced'
  it.each([
    `E1121 07:26:45.082871       1 apf_controller.go:461] ${text}`,
    `2026-11-21T07:26:45.083112345Z stderr F E1121 07:26:45.082871       1 apf_controller.go:461] ${text}`,
    JSON.stringify({ ts: 1_795_266_639_400.188, msg: text }),
  ])('is found in %s', (logged) => {
    expect(readLog('httplog', logged, nowMs)).toEqual([{ kind: 'unlisted', objects: 'FlowSchema' }])
  })
  it('is not one that a client wrote into its own request', () => {
    expect(read(line.replace('agent="', `agent="] ${text} `))).toMatchObject({ kind: 'arrival' })
    expect(read(`I1121 07:26:45.082871 1 x.go:1] "Other" err="] ${text}"`)).toEqual({ kind: 'other' })
  })
})

describe('a request line of the log', () => {
  it('contains everything but the user', () => {
    const found = read(line)
    expect(found).toMatchObject({
      kind: 'arrival',
      auditId: '94ca4480',
      stage: 'complete',
      user: undefined,
      client: 'apf-load/delete at 127.0.0.1',
      status: 200,
      executionMs: 3.738826,
      refused: false,
      line: { ok: true, info: { verb: 'delete', resource: 'configmaps', namespace: 'web', name: 'one' } },
      server: { level: 'workload-low', schema: 'service-accounts', initialSeats: 1, finalSeats: 2, waitMs: 583.706724 },
    })
    if (found.kind !== 'arrival') throw new Error('no arrival')
    expect(found.endedMs).toBeCloseTo(Date.parse('2026-11-21T07:26:45.082Z') + 0.871, 2)
    expect(found.endedMs - found.receivedMs).toBeCloseTo(587.589828, 2)
  })

  it('has the latest year that puts it before the present', () => {
    const year = (at: number): number | undefined => {
      const found = read(line, at)
      return found.kind === 'arrival' ? new Date(found.endedMs).getUTCFullYear() : undefined
    }
    expect(year(Date.UTC(2026, 10, 22))).toBe(2026)
    expect(year(Date.UTC(2027, 0, 1))).toBe(2026)
    expect(year(Date.UTC(2026, 10, 1))).toBe(2025)
  })

  it('may have the prefix of a container runtime, or be JSON', () => {
    const whole = read(line)
    expect(read(`2026-11-21T07:26:45.083112345Z stderr F ${line}`)).toEqual(whole)
    const cri = (mark: string, part: string) => `2026-11-21T07:26:45.083112345Z stderr ${mark} ${part}\n`
    const split = cri('P', line.slice(0, 90)) + cri('P', line.slice(90, 120)) + cri('F', line.slice(120))
    expect(readLog('httplog', split, nowMs)).toEqual([whole])
    expect(readLog('httplog', cri('P', line.slice(0, 90)), nowMs)).toMatchObject([{ kind: 'unreadable' }])
    const json =
      '{"ts":1795266639400.188,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"GET","URI":"/openapi/v3",' +
      '"latency":"3.839572ms","userAgent":"kube-apiserver/v0","audit-ID":"46d9","srcIP":"[::1]:49062","apf_pl":"exempt",' +
      '"apf_fs":"exempt","apf_iseats":1,"apf_fseats":0,"apf_additionalLatency":"0s","apf_execution_time":"3.701927ms","resp":200}'
    expect(readLog('httplog', json, nowMs)[0]).toMatchObject({
      auditId: '46d9',
      endedMs: 1795266639400.188,
      client: 'kube-apiserver/v0 at [::1]',
      server: { level: 'exempt', initialSeats: 1, finalSeats: 0 },
    })
    expect(readLog('httplog', '{"ts":1,"msg":"Starting"}', nowMs)).toEqual([{ kind: 'other' }])
  })

  it('shows that the server rejected it, and how long it had waited', () => {
    const refused = line.replace(/latency="[^"]*"/, 'latency="15.004s"').replace(/ fl_.*/, ' resp=429')
    expect(read(refused)).toMatchObject({ refused: true, executionMs: undefined, server: { waitMs: 15_004 } })
    expect(read(line.replace('resp=200', 'resp=429'))).toMatchObject({ refused: false, executionMs: 3.738826 })
  })

  it('shows that it did not reach flow control', () => {
    const plain = line.replace(/apf_pl.*/, 'resp=401')
    expect(read(plain)).toMatchObject({ outside: expect.any(String), server: undefined, status: 401 })
    const exec = plain
      .replace('"DELETE"', '"CONNECT"')
      .replace('/one"', '/one/exec?command=sh"')
      .replace('resp=401', 'hijacked=true')
    expect(read(exec.replace('configmaps', 'pods'))).toMatchObject({ longRunning: true, status: undefined })
  })

  it('understands quoted values and texts of several lines', () => {
    const quoted = line.replace('apf-load/delete', String.raw`odd\"agent\t\u00e9\x41`)
    expect(read(quoted)).toMatchObject({ client: 'odd"agent\té\u0041 at 127.0.0.1' })
    expect(read(line.replace('resp=200', 'resp=500 statusStack=<'))).toMatchObject({ status: 500 })
  })

  it('is unreadable with a reason when it is damaged', () => {
    const damaged = [
      line.slice(0, 60),
      line.slice(0, 100),
      line.replace('1121', '1341'),
      line.replace('587.589828ms', 'long'),
      line.replace(' audit-ID="94ca4480"', ''),
      line.replace('"DELETE"', '"LIST"'),
    ]
    for (const text of damaged) expect(read(text), text).toMatchObject({ kind: 'unreadable' })
  })

  it('skips lines that are not requests', () => {
    for (const text of ['', 'I1121 07:26:45.082871 1 trace.go:236] Trace[1]: "List"', '\tgoroutine 1', '{}', '[1]']) {
      expect(read(text)).toEqual({ kind: 'other' })
    }
  })

  it('never throws, however it is cut and whatever it contains', () => {
    fc.assert(
      fc.property(fc.nat(line.length), fc.nat(line.length), fc.string(), (from, to, text) => {
        read(line.slice(0, from) + text + line.slice(to))
        expect(read(text).kind).not.toBe('arrival')
      }),
    )
  })
})
