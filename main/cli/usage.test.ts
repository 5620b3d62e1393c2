import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChoice, readNumber, readOptions, readOutput } from './usage.ts'

const OPTIONS = {
  file: { type: 'string', multiple: true },
  context: { type: 'string' },
  demo: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  config: { type: 'string', multiple: true, list: true },
} as const

describe('readOptions', () => {
  it('reads values, repeated values and flags', () => {
    const given = readOptions(['--file', 'a', '--file=b', '--demo', '-h'], OPTIONS)
    expect(given.values('file')).toEqual(['a', 'b'])
    expect(given.flag('demo')).toBe(true)
    expect(given.flag('help')).toBe(true)
    expect(given.value('context')).toBeUndefined()
  })
  it('takes a single dash as a value', () => {
    expect(readOptions(['--file', '-'], OPTIONS).values('file')).toEqual(['-'])
  })
  it('takes several values of an option that is a list', () => {
    const given = readOptions(['--config', 'a', 'b', '-', '--demo', '--config=c', 'd', '--file', 'e'], OPTIONS)
    expect([given.values('config'), given.values('file')]).toEqual([['a', 'b', '-', 'c', 'd'], ['e']])
    expect(() => readOptions(['--config', 'a', '--demo', 'b'], OPTIONS)).toThrow('"b" is not expected here')
    // If a command takes files as operands, the further values are operands.
    expect(readOptions(['--config', 'a', 'b'], OPTIONS, 'files').operands).toEqual(['b'])
  })
  it('takes files beside the options where a command has them', () => {
    const given = readOptions(['a.yaml', '--demo', '-', '--', '--b.yaml'], OPTIONS, 'files')
    expect(given.operands).toEqual(['a.yaml', '-', '--b.yaml'])
    expect(given.flag('demo')).toBe(true)
  })
  it('takes every word after -- as a file: of the last option if that is a list, or else as an operand', () => {
    const names = fc.array(
      fc.oneof(fc.constantFrom('--', '--context=x', '--demo', '-h', '--config'), fc.string({ minLength: 1 })),
    )
    fc.assert(
      fc.property(names, fc.boolean(), (files, first) => {
        const options = ['--demo', '--config', ...(first ? ['a'] : [])]
        fc.pre(first || files.length > 0)
        const given = readOptions([...options, '--', ...files], OPTIONS)
        expect(given.values('config')).toEqual([...(first ? ['a'] : []), ...files])
        expect([given.flag('context'), given.flag('help')]).toEqual([false, false])
        const operands = readOptions(['--demo', '--', ...files], OPTIONS, 'files')
        expect(operands.operands).toEqual(files)
        expect(operands.flag('context')).toBe(false)
      }),
    )
    expect(() => readOptions(['--config', 'a', '--demo', '--', 'b'], OPTIONS)).toThrow('"b" is not expected here')
    expect(() => readOptions(['--config', '--'], OPTIONS)).toThrow('--config needs a value.')
    expect(() => readOptions(['--file', '--', 'b'], OPTIONS)).toThrow('--file needs a value.')
  })
  it.each([
    [['--contxt', 'x'], 'There is no option --contxt; did you mean --context?'],
    [['--constructor'], 'There is no option --constructor; --help lists them'],
    [['--context'], '--context needs a value.'],
    [['--context', '--demo'], '--context needs a value.'],
    [['--context', 'a', '--context', 'b'], '--context was given twice.'],
    [['--demo=yes'], '--demo takes no value.'],
    [['new.yaml'], '"new.yaml" is not expected here; a file is given as --config new.yaml.'],
  ])('refuses %j', (args, sentence) => {
    expect(() => readOptions(args, OPTIONS)).toThrow(sentence)
  })
  it('names --file where a command has no --config', () => {
    expect(() => readOptions(['metrics.txt'], { file: OPTIONS.file })).toThrow('a file is given as --file metrics.txt.')
  })
})

describe('readNumber', () => {
  const read = (text: string, whole = false): number | undefined =>
    readNumber(readOptions([`--n=${text}`], { n: { type: 'string' } }), 'n', { min: 0.5, max: 60, whole })
  it('keeps within its bounds', () => {
    expect(read('0.5')).toBe(0.5)
    expect(read('60')).toBe(60)
    expect(() => read('0.4')).toThrow('--n takes a number from 0.5 to 60, not "0.4".')
    expect(() => read('61')).toThrow('not "61"')
    expect(() => read('1s')).toThrow('not "1s"')
    expect(() => read(' ')).toThrow('not " "')
    expect(() => read('NaN')).toThrow('not "NaN"')
    expect(() => read('1.5', true)).toThrow('whole number')
  })
})

const OUTPUT = { output: { type: 'string' }, json: { type: 'boolean' } } as const

describe('readChoice', () => {
  it('takes one of the words, and lists them otherwise', () => {
    const read = (...args: string[]) => readChoice(readOptions(args, OUTPUT), 'output', ['a', 'b', 'c'])
    expect(read('--output', 'b')).toBe('b')
    expect(read()).toBeUndefined()
    expect(() => read('--output', 'd')).toThrow('--output takes a, b or c, not "d".')
  })
})

describe('readOutput', () => {
  const read = (...args: string[]) => readOutput(readOptions(args, OUTPUT), ['patch'])
  it('is text, or what either option says', () => {
    expect(read()).toBe('text')
    expect(read('--output', 'patch')).toBe('patch')
    expect(read('--json')).toBe('json')
    expect(read('--json', '--output', 'json')).toBe('json')
  })
  it('does not choose between two that contradict each other', () => {
    expect(() => read('--json', '--output', 'patch')).toThrow('--json and --output patch contradict each other.')
  })
})
