import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from './configuration.ts'
import { type ReadRules, readRules } from './read.ts'

const read = (text: string, file = 'rules.yaml'): ReadRules => readRules([{ file, text }])

/** `line:column reason: message` of each finding. */
const told = (text: string, file?: string): readonly string[] =>
  read(text, file).findings.map(
    ({ line, column, severity, message }) => `${line}:${column} ${severity === 'warning' ? 'warning: ' : ''}${message}`,
  )

const CLASS = 'classes: [{ name: c, qdisc: lbf, qps: 2 }]\n'
/** A class and one rule, whose members are on separate lines from line 6 on. */
const rule = (...members: readonly string[]): string =>
  `${CLASS}rules:\n  - name: r\n    qClassName: c\n    priority: 10\n${members.map((one) => `    ${one}\n`).join('')}`
const oneClass = (members: string): string => `classes:\n  - { name: c, ${members} }\n`

describe('reading rules', () => {
  it('gives everything its default, aliases their names and methods their short form', () => {
    const text = `
classes:
  - { name: event, qdisc: lbf, qps: 2 }
  - { name: scans, qdisc: window, limit: 10000, windowMs: 60000, cost: scannedKeys, groupBy: user }
  - { name: keys, qdisc: tbf, qps: 0.5, burst: 1.5, groupBy: 'prefix:2', action: delay, maxDelayMs: 500, maxWaiting: 50 }
rules:
  - name: rule-event
    qClassName: event
    priority: 9
    ops: [RequestPut, PutRequest]
    prefixPaths: [/registry/events/]
    conditions: [{ kind: ConditionKindPercentDBQuotaUsed, threshold: 0.9 }]
  - name: lists
    qClassName: scans
    priority: 3
    enabled: false
    methods: [/etcdserverpb.KV/Range]
    ranges: [{ key: a, rangeEnd: \\x00 }]
    subjects: [{ user: alice, clientIP: 10.0.0.0/8 }]
    keyMatch: within
    minRetry: 2
    scope: rule
tracker: { capacity: 5000, estimator: lru+stats }
validation: { composite: reject }
message: named
`
    const { configuration, findings, classes, rules } = read(text)
    expect({ findings, classes, rules }).toEqual({ findings: [], classes: 3, rules: 2 })
    expect(configuration?.classes).toMatchObject([
      {
        name: 'event',
        limiter: { qdisc: 'lbf', qps: 2 },
        overflow: { action: 'reject' },
        cost: 'requests',
        groupBy: { by: 'none' },
        maxGroups: 1_000,
      },
      { limiter: { qdisc: 'window', limit: 10_000, windowMs: 60_000 }, cost: 'scannedKeys', groupBy: { by: 'user' } },
      { overflow: { action: 'delay', maxDelayMs: 500, maxWaiting: 50 }, groupBy: { by: 'prefix', segments: 2 } },
    ])
    expect(configuration?.rules[0]).toEqual({
      name: 'rule-event',
      qClassName: 'event',
      priority: 9,
      enabled: true,
      subjects: [],
      prefixPaths: ['/registry/events/'],
      ranges: [],
      keyMatch: 'overlap',
      ops: ['Put'],
      methods: [],
      minRetry: 0,
      conditions: [{ kind: 'PercentOfStorageQuotaUsed', threshold: 0.9 }],
      scope: 'class',
    })
    expect(configuration?.rules[1]).toMatchObject({
      enabled: false,
      methods: ['KV/Range'],
      keyMatch: 'within',
      minRetry: 2,
      scope: 'rule',
    })
    expect(configuration?.settings).toEqual({
      composite: 'reject',
      trackerCapacity: 5_000,
      estimator: 'lru+stats',
      message: 'named',
    })
    expect(read('').configuration).toEqual({ classes: [], rules: [], settings: DEFAULT_SETTINGS })
  })

  it('reads JSON, several documents and several files as one configuration', () => {
    const json = JSON.stringify({ rules: [{ name: 'r', qClassName: 'c', priority: 1, ops: ['Put'] }] })
    const both = readRules([
      { file: 'a.json', text: json },
      { file: 'b.yaml', text: `${CLASS}---\n# nothing\n---\nmessage: named\n` },
    ])
    expect(both.findings).toEqual([])
    expect(both.configuration).toMatchObject({
      classes: [{ name: 'c' }],
      rules: [{ name: 'r' }],
      settings: { message: 'named' },
    })
    const twice = readRules([
      { file: 'a.yaml', text: CLASS },
      { file: 'b.yaml', text: `message: named\n---\n${CLASS}message: etcd\n` },
    ])
    expect(twice.findings.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)).toEqual([
      'b.yaml:3:19 There is another class “c”: rename one.',
      'b.yaml:4:10 message is also set in another document: keep one of them.',
    ])
  })

  it('names the class or rule of a finding and its path', () => {
    expect(read(rule('ops: [Put]', 'colour: red')).findings).toMatchObject([
      {
        file: 'rules.yaml',
        kind: 'Rule',
        name: 'r',
        field: 'rules[0].colour',
        reason: 'FieldUnknown',
        severity: 'error',
      },
    ])
    expect(read(oneClass('qdisc: lbf, qps: no')).findings).toMatchObject([
      { kind: 'Class', name: 'c', field: 'classes[0].qps', reason: 'Malformed' },
    ])
  })

  it('reads all or nothing, and finds everything in one go', () => {
    const { configuration, findings } = read(
      `classes: [{ name: c, qdisc: lbf, qps: 0 }, { name: d, qdisc: tbff }]\nrules: [{ name: R, qClassName: x }]`,
    )
    expect(configuration).toBeUndefined()
    expect(findings.map(({ field }) => field)).toEqual([
      'classes[0].qps',
      'classes[1].qdisc',
      'rules[0].priority',
      'rules[0].name',
      'rules[0].qClassName',
    ])
  })

  it('does not miss a class that is there and cannot be read', () => {
    expect(
      told(
        `classes: [{ name: c, qdisc: lbf, qps: many }]\nrules: [{ name: r, qClassName: c, priority: 1, ops: [Put] }]`,
      ),
    ).toEqual(['1:39 classes[0].qps must be a number, not the text “many”.'])
  })

  it('never throws, whatever the text', () => {
    const words = fc.constantFrom(
      'classes',
      'rules',
      ':',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      'name',
      'qdisc',
      'lbf',
      ',',
      '"',
      '&a',
      '*a',
      '1',
      'priority',
      '\0',
      '!!int x',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 40 }).map((all) => all.join('')),
        ),
        fc.constantFrom('a.yaml', 'a.json'),
        (text, file) => {
          const { configuration, findings } = read(text, file)
          expect(configuration === undefined).toBe(findings.some(({ severity }) => severity === 'error'))
        },
      ),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (classes, rules) => {
        const { findings } = read(JSON.stringify({ classes, rules }), 'a.json')
        for (const { line, column, message } of findings) {
          expect(line).toBe(1)
          expect(column).toBeGreaterThan(0)
          expect(message).toMatch(/[.?]$/)
        }
      }),
    )
  })
})

describe('findings about classes (QoS specification 2, 4)', () => {
  it.each<[string, readonly string[]]>([
    ['qdisc: tbf, qps: 10, burst: 12', []],
    ['qdisc: tbf, qps: 10', ['2:7 burst is missing: set it to a number of at least 1.']],
    ['qdisc: lbf, qps: 0', ['2:33 qps must be a number above 0, not 0.']],
    ['qdisc: lbf, qps: 2, burst: 3', ['2:43 lbf has no burst: remove it, or choose another qdisc.']],
    ['qdisc: maxinflight, num: 1.5', ['2:41 num must be a whole number of at least 1, not 1.5.']],
    ['qdisc: window, limit: 5, windowMs: 50', ['2:51 windowMs must be a whole number of at least 100, not 50.']],
    ['qdisc: tbff', ['2:23 qdisc cannot be “tbff”: did you mean “tbf”?']],
    ['qdisc: htb', ['2:23 qdisc cannot be “htb”: write “tbf”, “lbf”, “maxinflight” or “window”.']],
    ['cost: requests', ['2:7 qdisc is missing: write “tbf”, “lbf”, “maxinflight” or “window”.']],
    [
      'qdisc: lbf, qps: 2, cost: bytes',
      [
        '2:42 cost cannot be “bytes”: write “requests”, “failedRequests”, “requestBytes”, “totalBytes”, “scannedKeys”, “wallTimeMs” or “cpuTimeMs”.',
      ],
    ],
    [
      'qdisc: maxinflight, num: 1, cost: failedRequests',
      ['2:50 A maxinflight class cannot count failedRequests, which have ended: use tbf, lbf or window.'],
    ],
    [
      'qdisc: lbf, qps: 2, action: delay',
      [
        '2:7 maxDelayMs is missing: set it to a number above 0.',
        '2:7 maxWaiting is missing: set it to a whole number from 1 to 1000.',
      ],
    ],
    [
      'qdisc: lbf, qps: 2, maxWaiting: 5',
      ['2:48 maxWaiting belongs to action: delay, and this class rejects: remove it, or set the action.'],
    ],
    ['qdisc: lbf, qps: 2, maxDelayMs: 0, maxWaiting: 0', []],
    [
      'qdisc: lbf, qps: 2, groupBy: prefix',
      ['2:45 groupBy must be none, user, clientIP or prefix:N with N from 1 to 16, not “prefix”.'],
    ],
    ['qdisc: lbf, qps: 2, maxGroups: 0', ['2:47 maxGroups must be a whole number from 1 to 100000, not 0.']],
    [
      'qdisc: lbf, qps: 2, weight: 1',
      ['2:36 There is no field “weight” in classes[0]: remove it or correct its name.'],
    ],
    [
      'qdisc: lbf, QPS: 2',
      [
        '2:28 There is no field “QPS” in classes[0]: write “qps”.',
        '2:7 qps is missing: set it to a number above 0.',
      ].toReversed(),
    ],
  ])('%s', (members, expected) => expect(told(oneClass(members))).toEqual(expected))

  it.each(['C', '-c', 'c-', 'a b', 'x'.repeat(64)])('the name %j is refused', (name) => {
    expect(told(`classes: [{ name: ${JSON.stringify(name)}, qdisc: lbf, qps: 2 }]`)).toEqual([
      expect.stringContaining('name must be 1 to 63 of a–z, 0–9, “-” and “.”'),
    ])
  })

  it('are at most a hundred', () => {
    const classes = Array.from({ length: 101 }, (_, index) => ({ name: `c${index}`, qdisc: 'lbf', qps: 1 }))
    expect(told(JSON.stringify({ classes }))).toEqual([
      expect.stringContaining('There are 101 classes, and at most 100 are allowed: remove some.'),
    ])
  })
})

describe('findings about rules (QoS specification 4)', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['ops: [Put]'], []],
    [
      [],
      ['3:5 The rule matches every request: add ops, methods, keys, subjects or conditions, or set allowAll: true.'],
    ],
    [['allowAll: true'], []],
    [['ops: [Puts]'], ['6:11 An operation cannot be “Puts”: did you mean “Put”?']],
    [['methods: [KV/Rnge]'], ['6:15 A method cannot be “KV/Rnge”: did you mean “KV/Range”?']],
    [['methods: [nothing]'], ['6:15 A method cannot be “nothing”.']],
    [['ops: [Watch]'], ['6:11 Watches are never limited: remove Watch, or set enabled: false.']],
    [['ops: [Watch]', 'enabled: false'], []],
    [
      ['methods: [Lease/LeaseKeepAlive]'],
      ['6:15 Lease/LeaseKeepAlive is a stream and never limited: remove it, or set enabled: false.'],
    ],
    [
      ['ops: [Put, Range]', 'methods: [KV/Put, KV/Compact]'],
      [
        '6:16 No method of the rule carries Range: add one that does to methods, or remove Range.',
        '7:23 KV/Compact carries no operation of the rule: add one to ops, or remove the method.',
      ],
    ],
    [['ops: [Put, Range]', 'methods: [KV/Txn]'], []],
    [['subjects: [{}]'], ['6:16 A subject needs a user or a clientIP. To match all callers, omit subjects.']],
    [['subjects: [{ user: "" }]'], ['6:24 user is empty: name one, or write “*” for all of them.']],
    [
      ['subjects: [{ clientIP: 10.0.0.0/33 }]'],
      ['6:28 clientIP must be an address or a network such as 10.0.0.0/8, not “10.0.0.0/33”.'],
    ],
    [['subjects: [{ user: a*b }]'], ['6:24 warning: “a*b” has a * before its end, where it is literal.']],
    [
      ['prefixPaths: [registry/events]'],
      [
        '6:19 warning: “registry/events” also selects keys such as “registry/eventsX”: end it with a slash if it is meant as a folder.',
      ],
    ],
    [['ranges: [{ key: b, rangeEnd: a }]'], ['6:34 No key lies from “b” to “a”: rangeEnd must come after key.']],
    [
      ['ops: [Compact]', 'prefixPaths: [/a/]'],
      ['7:5 warning: The rule never matches: it selects keys, and none of its operations names any.'],
    ],
    [
      ['conditions: [{ kind: Scan, threshold: 1 }]'],
      [
        '6:26 The kind of a condition cannot be “Scan”: write “PercentOfStorageQuotaUsed”, “ScanKeyNum”, “RequestSize”, “ResponseSize”, “TotalTraffic” or “RequestLatency”.',
      ],
    ],
    [
      ['conditions: [{ kind: ScanKeyNum }]'],
      ['6:20 conditions[0].threshold is missing: set it to a number of at least 0.'],
    ],
    [
      ['conditions: [{ kind: RequestSize, threshold: -1 }]'],
      ['6:50 conditions[0].threshold must be a number of at least 0, not -1.'],
    ],
    [
      ['conditions: [{ kind: PercentOfStorageQuotaUsed, threshold: 90 }]'],
      ['6:64 The threshold of PercentOfStorageQuotaUsed is a fraction below 1, not 90: for 90 % write 0.9.'],
    ],
    [
      ['ops: [Put]', 'conditions: [{ kind: ScanKeyNum, threshold: 1 }]'],
      [
        '7:20 warning: ScanKeyNum is predicted only for Range, Txn of reads and Authenticate, so this condition never holds.',
      ],
    ],
    [['ops: [Put]', 'minRetry: -1'], ['7:15 minRetry must be a whole number from 0 to 100, not -1.']],
    [['ops: [Put]', 'keyMatch: inside'], ['7:15 keyMatch cannot be “inside”: write “overlap” or “within”.']],
    [['ops: Put'], ['6:10 rules[0].ops must be a list, not the text “Put”.']],
    [
      ['enabled: "no"'],
      [
        '6:14 rules[0].enabled must be true or false, not the text “no”. In quotes it is text; without them it is false.',
      ],
    ],
  ])('%j', (members, expected) => expect(told(rule(...members))).toEqual(expected))

  it.each([
    ['priority: 0', '3:41 priority must be a whole number from 1 to 100, not 0.'],
    ['priority: 101', '3:41 priority must be a whole number from 1 to 100, not 101.'],
    ['priority: 9.5', '3:41 priority must be a whole number from 1 to 100, not 9.5.'],
    ['enabled: true', '3:7 priority is missing: set it to a whole number from 1 to 100.'],
  ])('%s', (member, expected) =>
    expect(told(`${CLASS}rules:\n  - { name: r, qClassName: c, ${member}, ops: [Put] }`)).toEqual([expected]),
  )

  it('are about lists that have an end, and found in time', () => {
    const prefixPaths = Array.from({ length: 1_001 }, (_, index) => `/${index}/`)
    const named = (name: string, paths: readonly string[], priority = 1): object => ({
      name,
      qClassName: 'c',
      priority,
      prefixPaths: paths,
    })
    const classes = [{ name: 'c', qdisc: 'lbf', qps: 1 }]
    expect(told(JSON.stringify({ classes, rules: [named('r', prefixPaths)] }), 'a.json')).toEqual([
      expect.stringContaining('prefixPaths has 1001 entries, and at most 1000 are allowed: remove some.'),
    ])
    const many = Array.from({ length: 40 }, (_, index) =>
      named(
        `r${index}`,
        prefixPaths.slice(1).map((path) => `/${index}${path}`),
      ),
    )
    const { findings } = read(JSON.stringify({ classes, rules: many }), 'a.json')
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(findings).toHaveLength(20 * 39)
    expect(told(`classes: [{ name: c, qdisc: ${'x'.repeat(2_000_000)} }]`)).toHaveLength(1)
    expect(told(`rules: [${'{ name: r },'.repeat(4_000)}]`).length).toBeGreaterThan(4_000)
  })

  it('name the class that was probably meant', () => {
    const text = `classes: [{ name: slow-query, qdisc: lbf, qps: 1 }]\nrules: [{ name: r, priority: 1, ops: [Put], qClassName: slow-qeury }]`
    expect(told(text)).toEqual(['2:57 There is no class “slow-qeury”: did you mean “slow-query”?'])
  })
})

describe('findings about two rules of one priority (QoS specification 4)', () => {
  const two = (a: string, b: string, more = ''): string =>
    `${CLASS}rules:\n  - { name: a, qClassName: c, priority: 10, ${a} }\n  - { name: b, qClassName: c, priority: 10, ${b} }\n${more}`

  it('name both, the operation and a key that both match', () => {
    expect(
      told(two('ops: [Range], prefixPaths: [/a/]', 'ops: [Range], prefixPaths: [/a/b/], subjects: [{ user: al* }]')),
    ).toEqual([
      '4:41 “a” and “b” have the same priority 10 and both match Range of the key “/a/b/” by “al”. Give one of them another priority.',
    ])
    expect(told(two('methods: [Cluster/MemberList]', 'subjects: [{ clientIP: 10.0.0.0/8 }]'))).toEqual([
      '4:41 “a” and “b” have the same priority 10 and both match Cluster/MemberList from 10.0.0.0. Give one of them another priority.',
    ])
  })

  it('warn of what only a larger request matches, unless that is to be refused', () => {
    const composite = two('ops: [Range], prefixPaths: [/a/]', 'ops: [Range], prefixPaths: [/b/]')
    const message =
      '“a” and “b” have the same priority 10 and both match a range that spans the keys of both; the name that sorts first decides. Give one of them another priority.'
    expect(told(composite)).toEqual([`4:41 warning: ${message}`])
    expect(read(composite).configuration).toBeDefined()
    expect(told(`${composite}validation: { composite: reject }\n`)).toEqual([`4:41 ${message}`])
    expect(told(two('ops: [Put], prefixPaths: [/a/]', 'ops: [Range], prefixPaths: [/a/]'))).toEqual([
      expect.stringContaining(
        'warning: “a” and “b” have the same priority 10 and both match a Txn with an operation of each',
      ),
    ])
  })

  it('are not about rules that are disabled, or of other priorities', () => {
    expect(told(two('ops: [Put]', 'ops: [Put], enabled: false'))).toEqual([])
    expect(told(two('ops: [Put]', 'ops: [Put]').replace('priority: 10', 'priority: 11'))).toEqual([])
  })
})

describe('findings about settings', () => {
  it.each([
    ['tracker: { capacity: 5 }', '1:22 tracker.capacity must be a whole number from 16 to 100000, not 5.'],
    ['tracker: { estimator: mean }', '1:23 tracker.estimator cannot be “mean”: write “lru” or “lru+stats”.'],
    ['message: short', '1:10 message cannot be “short”: write “etcd” or “named”.'],
    ['validation: { composite: ignore }', '1:26 validation.composite cannot be “ignore”: write “warn” or “reject”.'],
    ['message: etcd\nmessage: named', '2:1 Duplicate key: remove one.'],
    [
      'message: [',
      '1:11 This is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
    ['rule: []', '1:1 There is no field “rule” at the top of the object: remove it or correct its name.'],
    ['- a', '1:1 Rules must be a map with the lists classes and rules.'],
  ])('%s', (text, expected) => expect(told(text)).toEqual([expected]))
})
