import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editManifest, valueOf, type Edited } from '../../../core/manifest/edit.ts'
import { getIn, isMap, sameJson, setIn, type FieldPath, type Json, type JsonMap } from '../../../core/manifest/json.ts'
import { readAnyScenario, readScenario } from '../../../core/scenario/read.ts'
import { scenarioTexts } from '../../../test/harness/scenarioTexts.ts'
import {
  CALL_FIELDS,
  CHANGE_NAMES,
  entriesAt,
  findingsByPlace,
  isWithin,
  placesOf,
  requestFieldsOf,
  requestLineOf,
  SENDINGS,
  sendingFields,
  sendingOf,
  shownValue,
  spanOf,
  textAt,
  typedValue,
  understandScenario,
  WHO,
  widthOf,
  withChange,
  withClientsCopy,
  withClientsName,
  withNewCall,
  withNewClients,
  withNewPhase,
  withoutEntry,
  withPhaseCopy,
  withSending,
  type ScenarioText,
} from './scenarioForm.logic.ts'

const libraryText = (name: string): string =>
  scenarioTexts.find(({ file }) => file === `${name}.yaml`)?.text ?? expect.fail(`${name} is not in the library`)

const read = (text: string): ScenarioText => understandScenario(text, 'mine.yaml')
const textOf = (edited: Edited): string => (edited.ok ? edited.text : expect.fail(edited.why))
const meant = (text: string): Json => {
  const value = valueOf(text)
  return value.ok ? value.value : expect.fail(value.why)
}
const scenarioOf = (text: string): unknown => {
  const { found, findings } = readAnyScenario(text, 'mine.yaml')
  return JSON.stringify(found ?? expect.fail(findings.map(({ message }) => message).join(' ')))
}

const TEXT = `# The flood of last May.
name: flood # as in the report
title: A flood
teaches: Nothing.
seconds: 60
clients:
  # Tenants write.
  - name: flood # all of them
    count: 50
    user: system:serviceaccount:tenant-{i}:app # by namespace
    threads: 20 # measured
    calls: # one kind
      - { request: 'POST /api/v1/namespaces/tenant-{i}/configmaps', executionMs: 500 } # slow
  # Nodes renew.
  - name: leases # kubelets
    count: 100
    user: system:node:n{i}
    perSecond: 0.1 # ten seconds
    calls:
      - request: PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n{i} # one each
        executionMs: 10
phases:
  # The network breaks.
  - at: 20 # in May it was later
    pause: { clients: flood, seconds: 5 } # until the switch was back
variants:
  - { name: now } # today
criteria:
  - { clients: flood, measure: failedPercent, most: 50 } # of the flood
  - { clients: leases, measure: failedPercent, most: 0.1 } # of the leases
# the end
`

describe('the text of a scenario', () => {
  test('is read with what the clients do and stand before', () => {
    expect(read(TEXT)).toMatchObject({
      of: 'server',
      findings: [],
      does: ['50 clients with 20 threads each', '100 clients, 0.1 requests per second each'],
    })
    expect(read(libraryText('Q3'))).toMatchObject({ of: 'etcd', findings: [] })
    const broken = read('name: [\n')
    expect(broken.value).toBeUndefined()
    expect(broken.why).toContain('line')
    expect(broken.findings).not.toEqual([])
  })

  test('of every scenario of the library has no finding, and a way to send for each group', () => {
    for (const { file, text } of scenarioTexts) {
      const scenario = read(text)
      expect(scenario.findings, file).toEqual([])
      for (const group of entriesAt(scenario.value ?? null, ['clients'])) expect(sendingOf(group), file).toBeDefined()
    }
  })
})

describe('a change of one field', () => {
  test('changes its value and nothing else', () => {
    expect(textOf(editManifest(TEXT, ['clients', 1, 'perSecond'], 5))).toBe(
      TEXT.replace('perSecond: 0.1', 'perSecond: 5'),
    )
    expect(textOf(editManifest(TEXT, ['phases', 0, 'pause', 'seconds'], 7))).toBe(
      TEXT.replace('seconds: 5 }', 'seconds: 7 }'),
    )
  })

  /** Numbers and texts that each field accepts, by its path below a group. */
  const typed = fc.oneof(
    fc.double({ min: 0.001, max: 100, noNaN: true }).map((number): [string, Json] => ['perSecond', number]),
    fc.integer({ min: 1, max: 500 }).map((number): [string, Json] => ['count', number]),
    fc.stringMatching(/^[a-z#:'"{}-]{1,12}$/).map((text): [string, Json] => ['user', text]),
    fc
      .array(fc.stringMatching(/^[a-z:#-]{1,8}$/), { minLength: 1, maxLength: 3 })
      .map((words): [string, Json] => ['groups', words]),
    fc.boolean().map((flag): [string, Json] => ['retries', flag]),
  )

  test('leaves the comments and the order of all else, and reads as what was typed', () => {
    fc.assert(
      fc.property(fc.array(typed, { minLength: 1, maxLength: 6 }), (changes) => {
        let text = TEXT
        let wanted: Json = meant(TEXT)
        for (const [key, value] of changes) {
          const at = ['clients', 1, key]
          text = textOf(editManifest(text, at, value))
          const set = setIn(wanted, at, value)
          wanted = set.ok ? set.value : expect.fail(set.why)
        }
        expect(sameJson(meant(text), wanted)).toBe(true)
        expect(commentsOf(text)).toEqual(commentsOf(TEXT))
        expect(scenarioOf(text)).toBe(scenarioOf(JSON.stringify(wanted)))
      }),
      { numRuns: 40 },
    )
  })

  test('is shown as it was typed', () => {
    for (const [kind, shown, value] of [
      ['number', '0.5', 0.5],
      ['number', '1e-3', 0.001],
      ['number', '12x', '12x'],
      ['number', '', undefined],
      ['words', 'a, b:c', ['a', 'b:c']],
      ['words', ' , ', undefined],
      ['text', ' a', ' a'],
    ] as const) {
      expect(typedValue({ kind, usual: '0' }, shown)).toEqual(value)
    }
    expect(typedValue({ kind: 'number' }, '')).toBeNull()
    expect(typedValue({ kind: 'text' }, '')).toBe('')
    expect(shownValue(['a', 'b:c'])).toBe('a, b:c')
    expect(shownValue(null)).toBe('')
  })
})

/** In order, without the text around them. */
const commentsOf = (text: string): readonly string[] => text.match(/(?<=^|\s)# .*$/gm) ?? []

describe('a form filled in from nothing', () => {
  const sent = fc.oneof(
    fc.record({ perSecond: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ threads: fc.integer({ min: 1, max: 50 }), thinkMs: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ burst: fc.record({ at: fc.integer({ min: 0, max: 9 }), requests: fc.integer({ min: 1, max: 9 }) }) }),
  )
  const group = fc.tuple(
    sent,
    fc.record(
      {
        count: fc.integer({ min: 1, max: 20 }),
        user: fc.constantFrom('alice', 'system:node:n{i}', "o'neil #1"),
        groups: fc.constantFrom<string[]>(['devs'], ['a b', 'system:masters']),
        retries: fc.boolean(),
      },
      { requiredKeys: ['user'] },
    ),
    fc.array(
      fc.record(
        {
          request: fc.constantFrom('GET /api/v1/pods', 'POST /api/v1/namespaces/n{i}/configmaps', 'GET /healthz'),
          executionMs: fc.integer({ min: 0, max: 1_000 }),
          weight: fc.integer({ min: 1, max: 9 }),
          distribution: fc.constantFrom('constant', 'exponential'),
        },
        { requiredKeys: ['request', 'executionMs'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )

  test('reads as the same scenario as the values themselves', () => {
    const empty = 'name: mine # mine\nseconds: 30\nvariants: [{ name: now }]\n'
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 3 }), (groups) => {
        let text = empty
        const wanted: JsonMap[] = []
        for (const [index, [sends, who, calls]] of groups.entries()) {
          const name = `group ${index}`
          text = textOf(withNewClients(read(text)))
          text = textOf(withClientsName(read(text), index, name))
          const way = SENDINGS.find(([key]) => Object.hasOwn(sends, key))?.[0] ?? 'perSecond'
          text = textOf(withSending(read(text), index, way))
          for (let more = 1; more < calls.length; more += 1) text = textOf(withNewCall(read(text), index))
          const value: JsonMap = { name, ...who, ...sends, calls }
          for (const spec of [...WHO.server, ...sendingFields('server', way)]) {
            text = textOf(editManifest(text, ['clients', index, ...spec.path], getIn(value, spec.path)))
          }
          for (const [at, call] of calls.entries()) {
            for (const key of ['request', 'distribution'] as const) {
              text = textOf(editManifest(text, ['clients', index, 'calls', at, key], call[key]))
            }
            for (const spec of CALL_FIELDS) {
              const field: FieldPath = ['clients', index, 'calls', at, ...spec.path]
              text = textOf(editManifest(text, field, getIn(call, spec.path)))
            }
          }
          wanted.push(value)
        }
        const whole = { name: 'mine', seconds: 30, variants: [{ name: 'now' }], clients: wanted }
        expect(scenarioOf(text)).toBe(scenarioOf(JSON.stringify(whole)))
        expect(text).toContain('name: mine # mine\n')
      }),
      { numRuns: 15 },
    )
  })
})

describe('groups of clients', () => {
  test('are added, copied and removed beside the others', () => {
    const added = textOf(withNewClients(read(TEXT)))
    expect(read(added)).toMatchObject({ findings: [], does: { length: 3 } })
    const again = textOf(withNewClients(read(added)))
    expect(entriesAt(meant(again), ['clients']).map(({ name }) => name)).toEqual([
      'flood',
      'leases',
      'clients',
      'clients-2',
    ])
    const copied = textOf(withClientsCopy(read(TEXT), 0))
    expect(entriesAt(meant(copied), ['clients']).map(({ name }) => name)).toEqual(['flood', 'flood-2', 'leases'])
    expect(read(copied).findings).toEqual([])
    expect(commentsOf(copied)).toEqual(commentsOf(TEXT))
    expect(textOf(withoutEntry(read(copied), ['clients'], 1))).toBe(TEXT)
    const without = textOf(withoutEntry(read(TEXT), ['clients'], 1))
    expect(without).not.toMatch(/Nodes renew|ten seconds/)
    expect(commentsOf(without)).toEqual(commentsOf(TEXT).filter((one) => !/Nodes|kubelets|ten sec|one each/.test(one)))
  })

  test('can be added and removed again in every scenario of the library', () => {
    for (const { file, text } of scenarioTexts) {
      const added = textOf(withNewClients(understandScenario(text, file)))
      const scenario = understandScenario(added, file)
      expect(scenario.findings, file).toEqual([])
      const last = entriesAt(scenario.value ?? null, ['clients']).length - 1
      expect(sameJson(meant(textOf(withoutEntry(scenario, ['clients'], last))), meant(text)), file).toBe(true)
    }
  })

  test('keep what refers to them when they are renamed', () => {
    const renamed = textOf(withClientsName(read(TEXT), 0, 'storm'))
    expect(renamed).toBe(TEXT.replace('- name: flood', '- name: storm').replaceAll('clients: flood', 'clients: storm'))
    const jobs = textOf(withClientsName(read(libraryText('S2')), nameIndex('S2', 'reviews'), 'checks'))
    expect(read(jobs).findings).toEqual([])
    expect(jobs).toContain('needs: checks')
  })

  test('do not take over what refers to another group of the name', () => {
    const twice = read(textOf(withClientsName(read(TEXT), 0, 'leases')))
    expect(twice.text).toContain('pause: { clients: flood')
    expect(twice.findings.map(({ field }) => field)).toContain('clients[1].name')
    expect(textOf(withClientsName(twice, 0, 'flood'))).toBe(TEXT)
  })

  test('send in another way, with the fields of that one', () => {
    for (const [sending] of SENDINGS) {
      for (const index of [0, 1]) {
        const changed = read(textOf(withSending(read(TEXT), index, sending)))
        expect(sendingOf(entriesAt(changed.value ?? null, ['clients'])[index] ?? {})).toBe(sending)
        expect(changed.findings, `${sending} ${index}`).toEqual([])
      }
    }
    const closed = textOf(withSending(read(TEXT), 0, 'onDemand'))
    expect(closed).toContain('threads: 20 # measured')
    expect(sendingOf({ threads: 1, perSecond: 1 })).toBeUndefined()
    expect(sendingOf({})).toBeUndefined()
    expect(sendingOf({ perSecond: null })).toBe('perSecond')
    expect(sendingOf({ perSecond: null, threads: 1 })).toBe('threads')
  })
})

const nameIndex = (scenario: string, name: string): number =>
  entriesAt(meant(libraryText(scenario)), ['clients']).findIndex((group) => textAt(group, 'name') === name)

describe('phases', () => {
  test('are begun, copied and removed; the last one takes the list with it', () => {
    const none = textOf(withoutEntry(read(TEXT), ['phases'], 0))
    expect(meant(none)).not.toHaveProperty('phases')
    const begun = read(textOf(withNewPhase(read(none))))
    expect(begun.findings).toEqual([])
    expect(entriesAt(begun.value ?? null, ['phases'])).toEqual([{ at: 10, executionFactor: 2 }])
    const copied = read(textOf(withPhaseCopy(begun, 0)))
    expect(copied.findings).toEqual([])
    expect(entriesAt(copied.value ?? null, ['phases'])).toHaveLength(2)
  })

  test('get every change with values that the reader takes', () => {
    let text = TEXT
    for (const change of CHANGE_NAMES) text = textOf(withChange(read(text), 0, change))
    expect(read(text).findings).toEqual([])
    expect(spanOf(entriesAt(meant(text), ['phases'])[0] ?? {})).toBe(
      'execution factor from 20 s on, network pause 20–25 s, client bug from 20 s on, server restart 20–22 s, storage unreachable 20–30 s',
    )
  })

  test('say from when to when they last', () => {
    expect(spanOf({ at: 5 })).toBe('5 s: changes nothing')
    expect(spanOf({ at: 5, executionFactor: null })).toBe('5 s: changes nothing')
    expect(spanOf({ at: 5, configuration: [{}, {}] })).toBe('2 objects applied at 5 s')
  })
})

describe('the request of a call', () => {
  test('is the same line again', () => {
    for (const { file, text } of scenarioTexts) {
      const value = meant(text)
      for (const [index] of entriesAt(value, ['clients']).entries()) {
        for (const call of entriesAt(value, ['clients', index, 'calls'])) {
          const request = textAt(call, 'request')
          const fields = requestFieldsOf(request)
          if (fields === undefined) continue
          const made = requestLineOf(fields)
          const again = 'line' in made ? requestFieldsOf(made.line) : undefined
          expect(again, `${file} ${request}`).toEqual(fields)
        }
      }
    }
  })

  test('keeps numbers of clients and drawn numbers', () => {
    const line = 'PUT /apis/apps/v1/namespaces/tenant-{i}/deployments/d-{n:12}/status'
    const fields = requestFieldsOf(line) ?? expect.fail('it has fields')
    expect(fields).toMatchObject({ verb: 'update', api: 'apps/v1', resource: 'deployments/status', name: 'd-{n:12}' })
    expect(requestLineOf(fields)).toEqual({ line })
  })

  test('says what is missing', () => {
    const fields = requestFieldsOf('GET /api/v1/pods?limit=500') ?? expect.fail('it has fields')
    expect(fields).toMatchObject({ verb: 'list', parameters: 'limit=500' })
    expect(requestLineOf({ ...fields, verb: 'get' })).toEqual({ problem: 'get needs the name of an object.' })
    expect(requestLineOf({ ...fields, verb: 'watch' })).toEqual({ line: 'GET /api/v1/pods?watch=true&limit=500' })
    expect(requestFieldsOf('GET /healthz')).toBeUndefined()
    expect(requestFieldsOf('nonsense')).toBeUndefined()
  })

  test('is as wide as what is stored makes it', () => {
    const stored = { stored: [{ resource: 'pods', count: 100_000, averageSize: 2_000 }] }
    const list = 'GET /api/v1/pods'
    expect(widthOf(list, {})).toBe(1)
    expect(widthOf(list, stored)).toBeGreaterThan(1)
    expect(widthOf('POST /api/v1/namespaces/a/pods', stored)).toBe(1)
    expect(widthOf('nonsense', stored)).toBeUndefined()
  })
})

describe('findings', () => {
  test('stand at the field that they are about', () => {
    const text = TEXT.replace('perSecond: 0.1', 'perSecond: fast')
      .replace('seconds: 5 }', 'seconds: -5 }')
      .replace('clients: leases', 'clients: lease')
      .replace('    count: 50\n', '    counts: 50\n')
    const scenario = read(text)
    const places = findingsByPlace(scenario.findings, placesOf(scenario))
    expect([...places].map(([place, found]) => [place, found.map(({ line }) => line)])).toEqual(
      expect.arrayContaining([
        ['clients[0]', [9]],
        ['clients[1].perSecond', expect.arrayContaining([18])],
        ['phases[0].pause.seconds', [25]],
      ]),
    )
    const whole = read(TEXT.replace('clients: leases', 'clients: lease'))
    expect(findingsByPlace(whole.findings, placesOf(whole)).get('')).toHaveLength(1)
  })

  test('are about a place when its steps are theirs', () => {
    expect(isWithin('clients[1].calls[0].request', 'clients[1]')).toBe(true)
    expect(isWithin('clients[10].name', 'clients[1]')).toBe(false)
    expect(isWithin('clients', 'clients[1]')).toBe(false)
  })

  test('each have one place, whatever is wrong', () => {
    const value = meant(TEXT)
    const paths = isMap(value)
      ? [['clients', 0, 'threads'], ['clients', 1, 'calls', 0], ['phases', 0, 'at'], ['clients', 0], ['phases']]
      : []
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.constantFrom<Json>(null, -1, 'x', [], {}, [[]]), (at, wrong) => {
        const scenario = read(textOf(editManifest(TEXT, at, wrong)))
        const places = findingsByPlace(scenario.findings, placesOf(scenario))
        expect([...places.values()].flat()).toHaveLength(scenario.findings.length)
        for (const place of places.keys()) if (place !== '') expect(placesOf(scenario)).toContain(place)
      }),
      { numRuns: 40 },
    )
  })
})

test('the scenario of a form is the one that simulate reads', () => {
  const { findings } = read(TEXT)
  expect(findings).toEqual(readScenario(TEXT, 'mine.yaml').findings)
})
