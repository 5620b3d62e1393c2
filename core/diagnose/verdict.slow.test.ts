import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { FlowSchema, ObjectSet } from '../config/objects.ts'
import type { Finding } from '../contract/diagnosis.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { LevelFrame } from '../frame/frame.ts'
import { unixMsOf } from '../units.ts'
import { NEIGHBOURS, SPECIMENS } from './causes.fixture.ts'
import { clientsOf, complaint } from './complaint.ts'
import { diagnose } from './diagnose.ts'
import { type Evidence, serverFacts, type ServerEvidence } from './facts.ts'
import { remedyJudge } from './judgedRemedies.ts'
import { statusLines } from './text.ts'

const situation = (given: string, seed = 7): Evidence => {
  const found = SPECIMENS.find((one) => one.given === given)
  if (found === undefined) throw new Error(`no specimen of ${given}`)
  return found.evidence(seed)
}

const lastOf = ({ servers: [server] }: Evidence): number => unixMsOf(server?.frames.at(-1)?.at ?? '')

const cutAt = ({ frames, dumps, ...server }: ServerEvidence, until: number): ServerEvidence => {
  const isEarly = ({ at }: { readonly at: string }): boolean => unixMsOf(at) < until
  return { ...server, frames: frames.filter(isEarly), dumps: dumps.filter(isEarly) }
}

/** A level that hardly anybody uses, and in which nothing waits. */
const quiet = (level: LevelFrame): LevelFrame => ({
  ...level,
  seats: { ...level.seats, executing: level.name === 'workload-low' ? 2 : 0, queued: 0 },
  requests: { ...level.requests, queued: 0 },
})

/** The same level or schema as somebody wrote it at that time. */
const written = (by: string, at: number) => ({
  managedFields: [{ manager: by, time: new Date(at).toISOString() }],
})
const withShares = (objects: ObjectSet, name: string, shares: number, by: string, at: number): ObjectSet => ({
  ...objects,
  levels: objects.levels.map((level) =>
    level.metadata.name !== name || level.spec.limited === undefined
      ? level
      : {
          metadata: { ...level.metadata, ...written(by, at) },
          spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } },
        },
  ),
})

describe('who', () => {
  it('is the client out of proportion, with its share, its beginning and whom it harms', () => {
    const [first] = diagnose(situation('shared-queues')).findings
    expect(first).toMatchObject({ culprit: 'batch:hog', tier: 'dumps' })
    expect(first?.victims.map(({ name }) => name)).toContain('batch:tenant-1')
    expect(first?.victims.map(({ name }) => name)).not.toContain('batch:hog')
    const [flood] = diagnose(situation('one-flow')).findings
    expect(flood?.share?.low).toBeGreaterThan(0.8)
    expect(flood?.victims).toEqual([])
    const at = unixMsOf('2026-11-20T03:02:00Z')
    expect(Math.abs((flood?.since ?? 0) - at)).toBeLessThanOrEqual(6_000)
  })

  it('began with the trouble, where the dumps do not show that it was later', () => {
    const given = situation('one-flow')
    const isRare = ({ at }: { readonly at: string }): boolean => unixMsOf(at) % 40_000 === 20_000
    const servers = given.servers.map((server) => ({ ...server, dumps: server.dumps.filter(isRare) }))
    const { since, findings } = diagnose({ ...given, servers })
    expect(findings[0]).toMatchObject({ cause: 'one-flow', since })
  })

  it('is said in the first sentences', () => {
    const { now } = diagnose(situation('one-flow'))
    expect(now.details).toMatch(/^Most likely: one flow floods: batch:hog, since 03:02:/)
  })
})

describe('several users in one flow', () => {
  const found = (given: string) => diagnose(situation(given)).findings.find(({ cause }) => cause === 'shared-flow')
  it('harm those of the same flow who wait behind them', () => {
    const { culprit, victims = [], evidenceFor = [], evidenceAgainst = [] } = found('shared-flow') ?? {}
    expect(culprit).toBe('batch:hog')
    expect(victims.map(({ name }) => name.split(':')[0])).toEqual(victims.map(() => 'batch'))
    expect(victims.length).toBeGreaterThan(0)
    expect(evidenceFor.join(' ')).toMatch(/of the same flow wait as well\./)
    // What is not the case is evidence for nothing.
    expect([...evidenceFor, ...evidenceAgainst].join(' ')).not.toMatch(/concurrency-limit/)
  })
})

it('calls seats lent where a burst meets them, and the burst no cause beside them', () => {
  const { findings } = diagnose(situation('lender-squeezed'))
  expect(findings.map(({ cause }) => cause)).not.toContain('brief-burst')
  const text = findings[0]?.evidenceFor.join(' ')
  expect(text).not.toMatch(/executed for/)
})

it('says of a server that cannot be read what it last knew, and nothing of now', () => {
  const given = situation('one-flow')
  const asOf = lastOf(given) + 65_000
  const { now, summary, state } = diagnose({ ...given, asOf })
  expect([now.tone, state]).toEqual(['stale', 'unknown'])
  expect(now.title).toMatch(/^No sample from .+ for 65 s\.$/)
  expect(summary).toBe(`${now.title} At 03:03:00: ${diagnose(given).now.title}`)
})

describe('another server', () => {
  const beside = (ageMs: number): string => {
    const given = situation('one-flow')
    const calm = NEIGHBOURS[0]?.evidence(3).servers[0] ?? expect.fail('no calm server')
    const shift = lastOf(given) - ageMs - unixMsOf(calm.frames.at(-1)?.at ?? '')
    const frames = calm.frames.map((frame) => ({
      ...frame,
      id: 'other',
      at: new Date(unixMsOf(frame.at) + shift).toISOString(),
    }))
    return diagnose({ ...given, servers: [...given.servers, { frames, dumps: [] }] }).now.details ?? ''
  }
  it('has idle seats now only if it was read now', () => {
    expect(beside(5_000)).toMatch(/The other server has .* idle/)
    expect(beside(600_000)).not.toMatch(/other server/)
  })
})

describe('an object that several writers turn to and fro', () => {
  const after = (shares: readonly number[]): string => {
    const given = situation('one-flow')
    const objects = given.objects ?? expect.fail('the situation has objects')
    const to = lastOf(given)
    const history = shares.map((count, i) => {
      const at = to - (shares.length - i) * 20_000
      return { at, objects: withShares(objects, 'workload-high', count, i % 2 === 0 ? 'old' : 'new', at) }
    })
    const { changes } = diagnose({ ...given, objects: history.at(-1)?.objects, history })
    return changes.map(({ effect }) => effect).join(' ')
  }

  it('is said to be, once it has returned twice', () => {
    expect(after([40, 50, 40, 50])).toContain(
      'The object has returned to a former content 2 times: its writers disagree',
    )
    expect(after([40, 50, 40])).not.toContain('returned')
    expect(after([40, 50, 60, 70])).not.toContain('returned')
  })
})

it('does not take a few time-outs for those of clients with a short deadline', () => {
  const given = NEIGHBOURS.find(({ looksLike }) => looksLike === 'short-deadlines')?.evidence(7)
  const { servers } = given ?? expect.fail('no such situation')
  const timedOut = (times: number): Evidence => ({
    ...(given ?? expect.fail()),
    servers: servers.map((server) => ({
      ...server,
      frames: server.frames.map((frame) => ({
        ...frame,
        levels: frame.levels.map(({ rejected, ...level }) => ({
          ...level,
          ...(rejected && {
            rejected: { ...rejected, 'queue-full': 0, 'time-out': Math.min(times, rejected['time-out']) },
          }),
        })),
      })),
    })),
  })
  const causes = (times: number) => diagnose(timedOut(times)).findings.map(({ cause }) => cause)
  expect(causes(Infinity)).toContain('short-deadlines')
  expect(causes(1)).not.toContain('short-deadlines')
})

it('offers to undo an edit that harms others than the flood that it was for, and calls no server full by a flood', () => {
  const given = NEIGHBOURS.find(({ looksLike }) => looksLike === 'server-full')?.evidence(7) ?? expect.fail()
  const { findings } = diagnose(given)
  const edit = findings.find(({ place }) => place.level === 'workload-low')
  expect(edit).toMatchObject({ cause: 'recent-edit', culprit: 'PriorityLevelConfiguration global-default' })
  expect(edit?.remedy.text).toMatch(/^Undo this change of .+ Forecast of this edit: /)
  expect(findings.map(({ cause, culprit }) => `${cause} ${culprit}`)).toContain('one-flow export')
  expect(findings.map(({ cause }) => cause)).not.toContain('server-full')
  expect(findings.flatMap(({ victims }) => victims.map(({ name }) => name))).not.toContain('export')
})

describe('trouble that has just begun', () => {
  it.each([6, 8, 10, 14, 18, 24])('has the client as its first cause that floods, after %i s', (seconds) => {
    const { servers, ...given } =
      NEIGHBOURS.find(({ what }) => what.includes('60 threads to a small server'))?.evidence(7) ?? expect.fail()
    const until = unixMsOf('2026-11-20T03:02:00Z') + 1_000 * seconds
    const { findings } = diagnose({ ...given, servers: servers.map((server) => cutAt(server, until)) })
    expect(findings[0]).toMatchObject({ cause: 'one-flow', culprit: 'batch:hog' })
    for (const { cause, confidence } of findings.slice(1)) expect([cause, confidence]).toEqual([cause, 'possible'])
  })
})

describe('heartbeats in a level of others', () => {
  const there = (): Evidence =>
    NEIGHBOURS.find(({ what }) => what.startsWith('a flood in a level to which a schema'))?.evidence(7) ??
    expect.fail('no such situation')

  it('are victims although no dump shows them', () => {
    const [flood] = diagnose(there()).findings
    expect(flood?.victims.map(({ name }) => name)).toContain('flow schema edge-nodes')
    expect(JSON.stringify(flood)).not.toContain('twin-')
  })

  it('are said to wait on the first screen, with their own remedy', () => {
    const lines = statusLines(diagnose(there()))
    expect(lines.join('\n')).toMatch(
      /^Also \(strong\): Node heartbeats and Kubelets: the flow schema edge-nodes sends them to workload-low; .+\n(?:Suffering: .+\n)?Remedy: Let edge-nodes match after/m,
    )
  })

  it('are no cause of anything while nothing is wrong', () => {
    const calm = {
      ...there(),
      servers: there().servers.map((server) => cutAt(server, unixMsOf('2026-11-20T03:02:00Z'))),
    }
    const found = diagnose(calm)
    expect(found.findings[0]?.text).toContain('Nothing is wrong yet')
    expect(statusLines(found).join('\n')).toMatch(/^Found \(strong\), /m)
    expect(found.summary).toMatch(/Found: system requests in the wrong level\.$/)
  })
})

describe('a server that became slower', () => {
  it('is said to be so by the client that uses far more of it than before, which is no victim', () => {
    const evidence = NEIGHBOURS.find(({ what }) => what.startsWith('an account drops the limit'))?.evidence(7)
    const [first] = diagnose(evidence ?? expect.fail('no such situation')).findings
    expect(first).toMatchObject({ cause: 'slow-server', culprit: 'batch:scanner' })
    expect(first?.victims.map(({ name }) => name)).not.toContain('batch:scanner')
    expect(first?.remedy.text).toMatch(/^Let batch:scanner list with limit/)
    expect(JSON.stringify(first)).not.toMatch(/No client began|no client began|the server itself/)
  })

  it('is not blamed on the console’s own requests, which are exempt', () => {
    const { servers, ...given } = situation('slow-server')
    const asked = servers.map((server) => ({
      ...server,
      frames: server.frames.map((frame) => ({
        ...frame,
        levels: frame.levels.map((level) => {
          const executing = unixMsOf(frame.at) >= unixMsOf('2026-11-20T03:02:00Z') ? 1 : 0
          return level.name === 'exempt' ? { ...level, seats: { ...level.seats, executing } } : quiet(level)
        }),
      })),
    }))
    const [first] = diagnose({ ...given, servers: asked }).findings
    expect(first).toMatchObject({ cause: 'slow-server', culprit: 'server' })
  })

  it('is not blamed on clients whose requests only became longer', () => {
    const [first] = diagnose(situation('slow-server')).findings
    expect(first).toMatchObject({ cause: 'slow-server', culprit: 'server' })
  })
})

describe('several causes', () => {
  it('are all said, each with the part that it explains', () => {
    // Server a has a flood and a crowd beside it.
    const { findings } = diagnose(situation('one-server'))
    const [flood, crowd] = ['one-flow', 'more-requests'].map((cause) => findings.find((one) => one.cause === cause))
    expect(flood?.culprit).toBe('batch:hog')
    const [first, second] = [flood?.share?.part ?? 0, crowd?.share?.part ?? 0]
    expect(Math.min(first, second)).toBeGreaterThan(0.1)
    expect(first + second).toBeCloseTo(1)
  })

  it('are not those whose requests an edit sends to a small level, nor its few time-outs', () => {
    const evidence = NEIGHBOURS.find(({ what }) => what.startsWith('a schema sends three busy accounts'))?.evidence(7)
    const { findings } = diagnose(evidence ?? expect.fail('no such situation'))
    expect(findings.map(({ cause }) => cause)).toEqual(['recent-edit'])
  })

  it('leave shapes of the configuration possible, where a cause with more evidence acts', () => {
    const { findings } = diagnose(situation('short-deadlines'))
    expect(findings.map(({ cause, confidence }) => [cause, confidence])).toEqual([
      ['short-deadlines', 'likely'],
      ['nothing-to-borrow', 'possible'],
    ])
  })
})

describe('a remedy that is an edit', () => {
  const remedyIn = (given: string, cause: string) =>
    diagnose(situation(given)).findings.find((one) => one.cause === cause)?.remedy

  it('says whom it helps and what it costs the culprit, by the forecast of the console', () => {
    const remedy = remedyIn('shared-queues', 'shared-queues')
    expect(remedy?.text).toMatch(
      /Forecast of this edit: 20 clients of workload-low: .+ instead of .+ in the queue; batch:hog: .+ instead of/,
    )
    expect(remedy?.manifests).toHaveLength(1)
  })

  it('is not offered where the forecast refutes it, and what clients can do is left', () => {
    // The others do not wait: fair queuing serves them between the requests of the flood.
    expect(remedyIn('one-flow', 'one-flow')).toMatchObject({
      text: expect.stringMatching(/^Slow down batch:hog\. No edit is offered: .+ it would help nobody; batch:hog: /),
      manifests: [],
    })
    expect(remedyIn('nothing-to-borrow', 'nothing-to-borrow')).toMatchObject({
      text: expect.stringContaining('does not help (24 clients of workload-low: '),
      manifests: [],
    })
  })

  it('is judged again once somebody suffers: that nobody does is no longer true', () => {
    const given = { ...situation('one-flow'), forecasts: new Map() }
    const [finding] = diagnose(given).findings
    const [server] = given.servers.flatMap((one) => serverFacts(one, given) ?? [])
    if (finding === undefined || server === undefined) throw new Error('a flood is found')
    const text = stringify({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'workload-low' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 200 } },
    })
    const remedy = {
      text: 'More.',
      manifests: [{ kind: 'PriorityLevelConfiguration', name: 'workload-low', text }],
    } as const
    const judge = (victims: Finding['victims']): string =>
      remedyJudge(given, [server])(
        { ...finding, victims, remedy },
        { text: remedy.text, withoutEdit: '', manifests: () => remedy.manifests },
      ).remedy.text
    expect(judge([])).toContain('it would help nobody')
    expect(judge([{ name: 'flow schema service-accounts', text: '' }])).not.toContain('it would help nobody')
  })

  it('says why no forecast judges it, where a run is about somebody else', () => {
    // A twin does not reproduce reads that are longer than the window, nor users that share a flow.
    for (const [given, why] of [
      ['slow-reader', 'No forecast of this edit: simulated runs do not reproduce what '],
      ['shared-flow', 'No forecast of this edit: simulated runs do not tell batch:hog from others in its flow.'],
    ] as const) {
      const remedy = remedyIn(given, given)
      expect(remedy?.text).toContain(why)
      expect(remedy?.manifests).not.toEqual([])
    }
  })
})

describe('an edit since the trouble began', () => {
  /** The flood of the last minute, with an edit of another level so many seconds before the end. */
  const editedBefore = (seconds: number): Evidence => {
    const evidence = situation('shared-queues')
    const objects = evidence.objects ?? { levels: [], schemas: [] }
    const at = lastOf(evidence) - seconds * 1_000
    const was = withShares(objects, 'workload-high', 41, 'kubectl', at)
    return {
      ...evidence,
      history: [
        { at: at - 100_000, objects: was },
        { at, objects },
      ],
    }
  }

  it('begins a new window, in which what went before is no evidence', () => {
    const evidence = editedBefore(36)
    const { from, findings } = diagnose(evidence)
    expect(lastOf(evidence) - from).toBeLessThanOrEqual(36_000)
    expect(findings[0]).toMatchObject({ culprit: 'batch:hog' })
    expect(findings[0]?.remedy.manifests).toHaveLength(1)
  })

  it('is waited for before another is offered', () => {
    const { findings } = diagnose(editedBefore(12))
    expect(findings[0]?.remedy.manifests).toEqual([])
    expect(findings[0]?.remedy.text).toMatch(
      /^The objects were changed at 03:02:48: what that does shows from 03:03:18 on\./,
    )
  })
})

describe('a remedy that was applied', () => {
  it('is not offered again: a level that was made for a client holds it back', () => {
    const evidence = situation('one-flow')
    const { levels, schemas } = evidence.objects ?? { levels: [], schemas: [] }
    const own = schemas.map((schema): FlowSchema => {
      const { spec } = schema
      if (spec.priorityLevelConfiguration.name !== 'workload-low') return schema
      const subjects = [{ kind: 'ServiceAccount' as const, serviceAccount: { namespace: 'batch', name: 'hog' } }]
      return { ...schema, spec: { ...spec, rules: (spec.rules ?? []).map((rule) => ({ ...rule, subjects })) } }
    })
    const capped = levels.map((level) =>
      level.metadata.name !== 'workload-low' || level.spec.limited === undefined
        ? level
        : { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, borrowingLimitPercent: 0 } } },
    )
    const [first] = diagnose({ ...evidence, objects: { levels: capped, schemas: own } }).findings
    expect(first).toMatchObject({ cause: 'one-flow', remedy: { manifests: [] } })
    expect(first?.remedy.text).toContain('was made to hold its clients back, and does so')
  })
})

it('says that a server may be slow on its own where a flood begins as it becomes slow, and the others do not fit without it', () => {
  const found = NEIGHBOURS.find(({ what }) => what.startsWith('a flood that begins as every request'))?.evidence(7)
  const { findings } = diagnose(found ?? expect.fail('no such situation'))
  expect(findings.slice(0, 2)).toMatchObject([
    { cause: 'one-flow', culprit: 'batch:hog' },
    { cause: 'slow-server', confidence: 'possible' },
  ])
  expect(findings[1]?.text).toContain('because of the flood that began then, or because the server itself')
})

it('names who fills a level without queues, and requests that are slow beside a flood of another level', () => {
  const found = (what: string) =>
    diagnose(NEIGHBOURS.find((one) => one.what.startsWith(what))?.evidence(7) ?? expect.fail(what)).findings
  const [first] = found('a level of type Reject that one')
  expect(first?.text).toMatch(/batch:hog holds \d+ % of the seats that it uses in debug dumps\./)
  expect(first?.remedy.text).toContain('or slow down batch:hog.')
  const causes = found('requests of a level take 15 times as long, beside').map(({ cause, culprit }) => [
    cause,
    culprit,
  ])
  expect(causes).toContainEqual(['slow-requests', 'flow schema service-accounts'])
  expect(causes).toContainEqual(['one-flow', 'export'])
})

describe('changes', () => {
  it('are not called innocent where nothing shows what was before', () => {
    const found = NEIGHBOURS.find(({ what }) => what.startsWith('a new schema'))?.evidence(1)
    if (found === undefined) throw new Error('no specimen')
    const since = found.history?.at(-1)?.at ?? 0
    const servers = found.servers.map(({ frames, dumps }) => ({
      frames: frames.filter(({ at }) => unixMsOf(at) > since + 10_000),
      dumps,
    }))
    const { changes, innocent } = diagnose({ ...found, servers })
    const schema = changes.find(({ subject }) => subject === 'FlowSchema developers')
    expect(schema?.effect).toMatch(/^Whether it moved requests is unknown/)
    expect(schema).not.toHaveProperty('isToBlame')
    expect(innocent.map(({ name }) => name)).not.toContain('FlowSchema developers')
  })

  const edited = (seconds: number, level: string, shares: number): Evidence => {
    const evidence = situation('recent-edit')
    const at = lastOf(evidence) - seconds * 1_000
    const objects = evidence.objects ?? { levels: [], schemas: [] }
    const after = withShares(objects, level, shares, 'argocd', at)
    return {
      ...evidence,
      objects: after,
      history: [
        { at: at - 100_000, objects },
        { at: at + 900, objects: after },
      ],
    }
  }

  it('to blame are those that take seats from the level in trouble, and are undone', () => {
    const { findings, changes, innocent } = diagnose(edited(60, 'workload-low', 20))
    expect(findings[0]).toMatchObject({
      cause: 'recent-edit',
      culprit: 'PriorityLevelConfiguration workload-low, by argocd',
    })
    expect(findings[0]?.text).toContain('nominalConcurrencyShares 100 → 20, at 03:02:00')
    expect(findings[0]?.remedy.manifests[0]?.text).toContain('nominalConcurrencyShares: 100')
    expect(changes).toMatchObject([{ isToBlame: true }])
    expect(innocent.map(({ name }) => name)).not.toContain('PriorityLevelConfiguration workload-low')
  })

  it('are said to be taken back, and neither innocent nor a cause of what is now', () => {
    const evidence = edited(60, 'global-default', 21)
    const [first, second] = evidence.history ?? []
    if (first === undefined || second === undefined) throw new Error('no edit')
    const history = [first, second, { at: second.at + 20_000, objects: first.objects }]
    const { changes, innocent } = diagnose({ ...evidence, objects: first.objects, history })
    expect(changes.find(({ at }) => at < second.at + 1_000)).toMatchObject({ effect: 'It was taken back at 03:02:20.' })
    expect(innocent).toHaveLength(1)
  })

  it('are innocent where they take none from it, or came after the trouble', () => {
    for (const evidence of [edited(60, 'global-default', 21), edited(10, 'workload-low', 20)]) {
      const { findings, changes, innocent } = diagnose(evidence)
      expect(findings[0]?.culprit).not.toContain('by argocd')
      expect(changes).toMatchObject([{ isToBlame: false }])
      expect(innocent[0]?.name).toBe(changes[0]?.subject)
    }
  })

  it('to blame for a schema that dangles is the deletion of its level, which is undone', () => {
    const given = situation('dangling-schema')
    const { objects = expect.fail('the situation has objects') } = given
    const [dangling] = diagnose(given).findings
    const name = /names the priority level ([^,]+),/.exec(dangling?.text ?? '')?.[1] ?? ''
    const model = objects.levels.find(({ metadata }) => metadata.name === 'workload-low') ?? expect.fail('no level')
    const before = { ...objects, levels: [...objects.levels, { ...model, metadata: { name } }] }
    const at = unixMsOf('2026-11-20T03:01:00Z')
    const history = [
      { at: at - 30_000, objects: before },
      { at, objects },
    ]
    const { findings, innocent, changes } = diagnose({ ...given, history })
    const found = findings.find(({ cause }) => cause === 'dangling-schema')
    expect(found?.culprit).toBe(`PriorityLevelConfiguration ${name}`)
    expect(found?.remedy.manifests).toMatchObject([{ kind: 'PriorityLevelConfiguration', name }])
    expect(found?.evidenceFor.join(' ')).toMatch(/It would take requests of .*, seen in workload-low/)
    expect(findings.map(({ cause }) => cause)).not.toContain('recent-edit')
    expect(changes).toMatchObject([{ isToBlame: true }])
    expect(innocent.map((one) => one.name)).not.toContain(`PriorityLevelConfiguration ${name}`)
  })

  it('of a schema that catches requests of the system are undone, under each name that they have', () => {
    const given = situation('system-requests')
    const { objects = expect.fail('the situation has objects') } = given
    const schemas = objects.schemas.filter(({ metadata }) => metadata.name !== 'leases')
    const at = unixMsOf('2026-11-20T03:00:10Z')
    const history = [
      { at: at - 5_000, objects: { ...objects, schemas } },
      { at, objects },
    ]
    const texts = diagnose({ ...given, history }).findings.flatMap(({ cause, remedy }) =>
      cause === 'system-requests' ? [remedy.text] : [],
    )
    expect(texts).toEqual(['Delete FlowSchema leases: it did not exist before (kubectl delete flowschema leases).'])
  })

  it('of an object that was deleted and made anew are one, and undone by what it was', () => {
    const given = situation('recent-edit')
    const { objects = expect.fail('the situation has objects') } = given
    const at = unixMsOf('2026-11-20T03:02:00Z')
    const after = withShares(objects, 'workload-low', 20, 'flux', at)
    const without = { ...objects, levels: objects.levels.filter(({ metadata }) => metadata.name !== 'workload-low') }
    const anew = [
      { at: at - 60_000, objects },
      { at: at - 10_000, objects: without },
      { at, objects: after },
    ]
    const { findings, changes } = diagnose({ ...given, objects: after, history: anew })
    expect(findings[0]).toMatchObject({ cause: 'recent-edit', confidence: 'strong' })
    expect(findings[0]?.remedy.text).toMatch(/^Undo this change of /)
    expect(findings.filter(({ cause }) => cause === 'recent-edit')).toHaveLength(1)
    expect(changes.map(({ isToBlame, effect }) => [isToBlame, /It was created again at/.test(effect)])).toEqual([
      [true, false],
      [undefined, true],
    ])
  })

  it('are those of schemas that send requests elsewhere, by whom the audit log names', () => {
    const evidence = situation('catch-all-traffic')
    const { objects } = evidence
    const batch = objects?.schemas.find(({ metadata }) => metadata.name === 'batch')
    if (objects === undefined || batch === undefined) throw new Error('no schema')
    const at = unixMsOf('2026-11-20T03:00:00Z')
    const own: FlowSchema = { ...batch, metadata: { ...batch.metadata, ...written('kubectl', at) } }
    const before = { ...objects, schemas: objects.schemas.filter((schema) => schema !== batch) }
    const after = { ...objects, schemas: [...before.schemas, own] }
    const write: LiveRequest = {
      seq: 1,
      at,
      user: 'dora',
      groups: [],
      verb: 'create',
      url: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      resource: 'flowschemas.flowcontrol.apiserver.k8s.io',
      namespace: '',
      name: 'batch',
      state: 'served',
      level: 'exempt',
      schema: 'exempt',
      flow: '',
      seats: { initial: 1, final: 0 },
    }
    const { changes } = diagnose({
      ...evidence,
      objects: after,
      history: [
        { at: at - 1_000, objects: before },
        { at: at + 500, objects: after },
      ],
      requests: [write],
    })
    expect(changes[0]?.text).toContain('FlowSchema batch created by dora')
    expect(changes[0]?.effect).toMatch(/moved batch:steady-\d+ \(get pods\), .* from workload-low to catch-all/)
  })
})

describe('a client that complains', () => {
  it('is delayed behind another, causes it itself, or is not', () => {
    const evidence = situation('shared-queues')
    const said = (name: string): string => JSON.stringify(complaint(evidence, name)?.answer)
    expect(said('batch:tenant-1')).toMatch(/is delayed in workload-low.*batch:hog fills queues/)
    expect(said('batch:hog')).toContain('It causes this itself')
    expect(said('kube-system:controller-1')).toContain('is not delayed')
    expect(complaint(evidence, 'nobody')).toBeUndefined()
  })

  it('is not delayed by the short deadlines of another', () => {
    const evidence = situation('short-deadlines')
    const hasty = diagnose(evidence).findings.find(({ cause }) => cause === 'short-deadlines')?.culprit
    const other = clientsOf(evidence).find((name) => name !== hasty && complaint(evidence, name)?.isDelayed === true)
    const said = JSON.stringify(complaint(evidence, other ?? '')?.answer)
    expect(said).toContain('is delayed')
    expect(said).not.toContain('time out')
  })
})

it('says of a server that is calm that nothing is wrong, and of too few samples only that', () => {
  const calm = diagnose(situation('nothing-waits'))
  expect(calm).toMatchObject({ state: 'flowing', innocent: [], changes: [] })
  expect(calm.since).toBeUndefined()
  expect(diagnose(situation('no-data')).summary).toMatch(/^The samples span less than 20 s/)
  expect(diagnose(situation('no-data')).summary).not.toContain('Most likely')
})
