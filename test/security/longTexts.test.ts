import { describe, expect, it } from 'vitest'
import { parseListOptions } from '../../core/request/requestTarget.ts'
import { readRequestText } from '../../core/classify/requestText.ts'
import { readHttpLogLine } from '../../core/feeds/httpLog.ts'
import { shownTarget } from '../../core/live/shownTarget.ts'
import { editManifest } from '../../core/manifest/edit.ts'
import { parseField } from '../../core/manifest/json.ts'
import { readManifests } from '../../core/manifest/read.ts'
import { parseRequestsDump } from '../../core/metrics/dumps.ts'
import { parseGoDuration } from '../../core/text/text.ts'
import { redactCredentials } from '../../main/cluster/redact.ts'
import { assemble } from '../../main/sources/files/assemble.ts'
import { recognise } from '../../main/sources/files/recognise.ts'
import { placeAt } from '../../renderer/screens/editor/draft/complete.logic.ts'
import { textToWindow } from '../../renderer/state/time.logic.ts'
import { readRange } from '../../renderer/state/typedRange.logic.ts'

// A reader that costs the square of its text takes hours for these, and the test ends at its time limit.
const LONG = 1_000_000
const row = (text: string): string => text.repeat(LONG / text.length)

describe('a long text costs its length', () => {
  const texts = [
    row('/'),
    row('0'),
    row('['),
    row(' '),
    row('\n'),
    row('\r\n'),
    row('%'),
    row('eyJ-'),
    row('"'),
    row('-'),
  ]
  const readers: readonly (readonly [string, (text: string) => unknown])[] = [
    ['list options', (text) => parseListOptions(new Map([['limit', `${text}x`]]))],
    ['a request', (text) => readRequestText(`GET /api/v1/pods?limit=${text}x`)],
    ['a path', (text) => readRequestText(`GET ${text}x`)],
    ['a target with escapes', (text) => shownTarget(`/x?${text}%41`)],
    ['a field path', (text) => parseField(`${text}x`)],
    ['a line of a server log', (text) => readHttpLogLine(`I0101 00:00:00.000000 1 a.go:1] "HTTP" verb="${text}`, 0)],
    ['a dump', (text) => parseRequestsDump(`PriorityLevelName, ${text}x\n${text}x,`)],
    ['a duration', (text) => parseGoDuration(`${text}1x`)],
    ['a message', (text) => redactCredentials(`bearer ${text}x`)],
    ['a file', (text) => recognise('file', `a{${text}x\n`)],
    ['a log', (text) => recognise('file', `"eyJ${'A'.repeat(40)}${text.repeat(20)}"\n`)],
    ['a line of the editor', (text) => placeAt(`a${text}x`, LONG)],
    ['a range', (text) => textToWindow(`1${text}x`)],
    ['a typed range', (text) => readRange(`yesterday ${text} to 1${text}x`, { now: 0, zone: 'utc' })],
  ]
  it.each(readers)('%s', (_, read) => {
    for (const text of texts) expect(() => read(text)).not.toThrow()
  })

  it.each(['# \n', '//\n'])('a manifest after many remarks like %j', (remark) => {
    expect(() => readManifests(remark.repeat(5 * LONG), { file: 'a.yaml', version: 'v1.37' })).not.toThrow()
  })

  it.each([
    ['headers', `HTTP/1.1 200\n${'a: b\n'.repeat(LONG)}`],
    ['a name before each line', `${'a'.repeat(3 * LONG)}:apiserver_flowcontrol_x 1\n`],
    ['labels', `apiserver_flowcontrol_x{${Array.from({ length: LONG / 10 }, (_, n) => `a${n}="x"`).join()}} 1\n`],
  ])('a file with long %s', (_name, text) => {
    expect(() => recognise('file', text)).not.toThrow()
  })

  it('a dump of many levels', () => {
    const header = 'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests,\n'
    const rows = Array.from({ length: LONG / 5 }, (_, n) => `b${n}, 1, false, false, 3, 4,\n`).join('')
    const { servers, sentences } = assemble(recognise('file', header + rows), 0)
    expect(servers[0]?.frames[0]?.levels).toHaveLength(128)
    expect(sentences).toEqual([expect.stringMatching(/more than 128 priority levels/)])
  })

  it.each([
    ['servers', (n: number) => `apiserver_flowcontrol_nominal_limit_seats{instance="${n}"} 1\n`],
    ['times', (n: number) => `apiserver_flowcontrol_nominal_limit_seats 1 ${1_795_246_000_000 + n}\n`],
    ['pages', () => 'apiserver_flowcontrol_nominal_limit_seats 1\n'],
  ])('a file of too many %s is refused', (_name, line) => {
    const text = Array.from({ length: 50_000 }, (_one, n) => line(n)).join('')
    expect(recognise('file', text)).toEqual([
      { kind: 'unreadable', sentence: expect.stringMatching(/^file holds more pages or servers than are read/) },
    ])
  })

  it.each(['\n', '\r\n', ' '])('a manifest with a long row of %j', (blank) => {
    const text = `kind: FlowSchema\nmetadata:\n  name: a\n  annotations:\n    a: |\n      x${row(blank)}\n      y\n`
    const edited = editManifest(text, ['metadata', 'name'], 'b')
    expect(edited.ok).toBe(true)
  })
})

describe('a deeply nested text is refused in a sentence', () => {
  const deep = 100_000
  it.each([
    ['JSON lists', 'a.json', '['.repeat(deep)],
    ['complete JSON lists', 'a.json', `${'['.repeat(deep)}${']'.repeat(deep)}`],
    ['JSON maps', 'a.json', '{"a":'.repeat(deep)],
    ['YAML lists in brackets', 'a.yaml', `a: ${'['.repeat(deep)}`],
    ['YAML lists of dashes', 'a.yaml', '- '.repeat(deep)],
    ['YAML maps', 'a.yaml', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('%s', (_, file, text) => {
    const { findings } = readManifests(text, { file, version: 'v1.37' })
    expect(findings.map(({ message }) => message).join(' ')).not.toMatch(/call stack/i)
    expect(findings).not.toEqual([])
    const edited = editManifest(text, ['metadata', 'name'], 'b')
    expect(edited).toMatchObject({ ok: false, why: expect.not.stringMatching(/call stack/i) })
  })
})
