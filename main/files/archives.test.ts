import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ProblemError } from '../../core/errors.ts'
import { textsOf, unpack } from './archives.ts'
import { MOST_FRAMES } from './zstd.ts'

const LIMIT = 1024 * 1024

type Member = readonly [name: string, text: string]

/** A ustar header with its content; names that do not fit are written as GNU tar or as pax does. */
function tarMember([name, text]: Member, long: 'gnu' | 'pax', kind = '0'): Buffer {
  const content = Buffer.from(text)
  if (Buffer.byteLength(name) > 100 && kind === '0') {
    const record = ` path=${name}\n`
    let length = Buffer.byteLength(record) + 2
    while (Buffer.byteLength(`${length}${record}`) !== length) length++
    const before: Member = long === 'gnu' ? ['././@LongLink', `${name}\0`] : ['pax', `${length}${record}`]
    return Buffer.concat([
      tarMember(before, long, long === 'gnu' ? 'L' : 'x'),
      tarMember([name.slice(0, 30), text], long),
    ])
  }
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(content.length.toString(8).padStart(11, '0'), 124)
  header.write(kind, 156)
  header.write('ustar\u000000', 257)
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
  return Buffer.concat([header, content, padding])
}

const tarOf = (members: readonly Member[], long: 'gnu' | 'pax' = 'gnu'): Buffer =>
  Buffer.concat([...members.map((member) => tarMember(member, long)), Buffer.alloc(1024)])

function zipOf(members: readonly Member[], method: 0 | 8 = 8): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, text] of members) {
    const plain = Buffer.from(text)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const title = Buffer.from(name)
    const local = Buffer.alloc(30)
    local.write('PK\u0003\u0004', 'latin1')
    local.writeUInt16LE(title.length, 26)
    const entry = Buffer.alloc(46)
    entry.write('PK\u0001\u0002', 'latin1')
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(plain.length, 24)
    entry.writeUInt16LE(title.length, 28)
    entry.writeUInt32LE(at, 42)
    directory.push(entry, title)
    parts.push(local, title, packed)
    at += 30 + title.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const PACKERS: Readonly<Record<string, (members: readonly Member[]) => Buffer>> = {
  'a.tar': (members) => tarOf(members),
  'pax.tar': (members) => tarOf(members, 'pax'),
  'a.tar.gz': (members) => gzipSync(tarOf(members)),
  'a.tgz': (members) => gzipSync(tarOf(members)),
  'a.tar.zst': (members) => zstdCompressSync(tarOf(members)),
  'a.zip': (members) => zipOf(members),
  'stored.zip': (members) => zipOf(members, 0),
}

const textsIn = async (name: string, bytes: Buffer, limit = LIMIT) =>
  (await unpack({ name, bytes }, limit)).map((file): Member => [file.name, file.bytes.toString('utf8')])

describe('archives', () => {
  test.each(Object.entries(PACKERS))('%s has its files by their paths', async (name, pack) => {
    const long = `${'folder/'.repeat(20)}metrics.txt`
    const members: readonly Member[] = [
      ['must-gather/audit.log', 'x\n'],
      ['./page.txt', ''],
      [long, 'long'],
      ['.hidden/a', 'no'],
    ]
    const title = name.replace(/\.(?:gz|zst)$/, '')
    expect(await textsIn(name, pack(members))).toEqual([
      [`${title}/must-gather/audit.log`, 'x\n'],
      [`${title}/page.txt`, ''],
      [`${title}/${long}`, 'long'],
    ])
  })

  it('inside each other are opened too, whatever they contain', async () => {
    const path = fc.stringMatching(/^[a-z]{1,8}(?:\/[a-z]{1,60}){0,3}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.tuple(
            path,
            fc.string({ unit: 'grapheme' }).map((text) => ` ${text}`),
          ),
          { selector: ([name]) => name, minLength: 1 },
        ),
        fc.constantFrom(...Object.keys(PACKERS)),
        fc.constantFrom(...Object.keys(PACKERS)),
        async (members, inner, outer) => {
          const packed = PACKERS[inner]?.(members) ?? Buffer.alloc(0)
          const plain = await textsIn(inner, packed)
          expect(plain.map(([, text]) => text)).toEqual(members.map(([, text]) => text))
          const twice = gzipSync(packed)
          expect((await textsIn(outer, twice)).map(([, text]) => text)).toEqual(members.map(([, text]) => text))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('are read within limits', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * LIMIT))
    for (const bytes of [
      bomb,
      zipOf([['a', 'a'.repeat(2 * LIMIT)]]),
      tarOf([
        ['a', 'a'.repeat(LIMIT)],
        ['b', 'b'.repeat(LIMIT)],
      ]),
    ]) {
      await expect(unpack({ name: 'a', bytes }, LIMIT)).rejects.toThrow(/^a.*is larger than 1 MB unpacked/)
    }
    let nested = Buffer.from('x')
    for (let n = 0; n < 8; n++) nested = gzipSync(nested)
    await expect(unpack({ name: 'a', bytes: nested }, LIMIT)).rejects.toThrow(/nested more than 6 deep/)
  })

  test.each(Object.entries(PACKERS))(
    '%s that contains what cannot be opened is read without it',
    async (name, pack) => {
      const bytes = pack([
        ['journal.bz2', 'BZh91AY'],
        ['page.txt', 'a 1\n'],
      ])
      const damaged = { name: 'cut.gz', bytes: gzipSync('abc').subarray(0, 12) }
      const found = await textsOf([damaged, { name, bytes }])
      expect(found.map(({ text, problem = text }) => problem)).toEqual([
        expect.stringContaining('cut.gz is cut short'),
        'a',
        expect.stringContaining('journal.bz2 is a bzip2 file'),
        'a 1\n',
      ])
      await expect(textsOf([{ name: 'cut.gz', bytes: damaged.bytes.subarray(0, 10) }])).rejects.toThrow('cut short')
    },
  )

  it('that hold much more than pages and logs do are refused before they are unpacked', async () => {
    const million = 'a'.repeat(1_000_000)
    const many = Array.from({ length: 40 }, (_, index): Member => [`${index}.txt`, million])
    const bombs = {
      'one.zip': zipOf([['one.txt', million.repeat(40)]]),
      'many.zip': zipOf(many),
      'a.gz': gzipSync(million.repeat(40)),
    }
    for (const [name, bytes] of Object.entries(bombs))
      await expect(unpack({ name, bytes }, 512 * LIMIT)).rejects.toThrow(
        `${name} holds more than 200 times its size, as no page or log does. Unpack it yourself`,
      )
    const log = Array.from({ length: 100_000 }, (_, index) => `${index} a line of a log that says ${index * 7}\n`).join(
      '',
    )
    expect(await unpack({ name: 'a.gz', bytes: gzipSync(log) }, 512 * LIMIT)).toHaveLength(1)
    const same = zstdCompressSync(million.repeat(40))
    expect((await unpack({ name: 'a.zst', bytes: same }, 512 * LIMIT))[0]?.bytes).toHaveLength(40_000_000)
  })

  it('that is cut has the files before the cut, and says so', async () => {
    const bytes = tarOf([
      ['page.txt', 'a 1\n'],
      ['b', 'b'.repeat(2_000)],
    ]).subarray(0, 2_500)
    expect(await textsOf([{ name: 'a.tar', bytes }])).toEqual([
      { name: 'a.tar', text: '', problem: expect.stringContaining('damaged or cut tar') },
      { name: 'a.tar/page.txt', text: 'a 1\n' },
    ])
  })

  const numbers = Array.from({ length: 40_000 }, (_, n) => `${(n * 2_654_435_761) % 4_294_967_296}\n`).join('')
  test.each([
    ['a.gz', gzipSync(numbers)],
    ['a.zst', zstdCompressSync(numbers)],
  ])('a stream that is cut or damaged has what comes before: %s', async (name, whole) => {
    const half = whole.length / 2
    for (const bytes of [whole.subarray(0, half), Buffer.concat([whole.subarray(0, half), Buffer.alloc(99, 0xff)])]) {
      const found = await textsOf([{ name, bytes }])
      expect(found.map(({ problem }) => problem)).toEqual([
        expect.stringMatching(/^a\.\w+ is (?:cut|damaged)/),
        undefined,
      ])
      expect(found[1]?.text.slice(0, 9_999)).toBe(numbers.slice(0, 9_999))
      await expect(unpack({ name, bytes }, LIMIT)).rejects.toThrow(/^a\.\w+ is (?:cut short|damaged)/)
    }
  })

  test.each([
    ['a cut tar', tarOf([['a', 'a'.repeat(2_000)]]).subarray(0, 1_500), /damaged or cut tar/],
    ['a cut zip', zipOf([['a', 'a']]).subarray(0, 40), /damaged or cut zip/],
    ['a cut gzip', gzipSync('abc').subarray(0, 12), /is cut short/],
    ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), /is an xz file, which is not read\. Unpack it yourself/],
    ['bzip2', Buffer.from('BZh91AY'), /bzip2/],
  ])('%s is one sentence', async (_name, bytes, sentence) => {
    await expect(unpack({ name: 'a', bytes }, LIMIT)).rejects.toThrow(sentence)
  })

  it('of random bytes never crash', async () => {
    const start = fc.constantFrom(
      ...['PK\u0003\u0004', '\u001F\u008B', `${'a'.repeat(257)}ustar`].map((text) => Buffer.from(text, 'latin1')),
    )
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 2_000 }), async (magic, rest) => {
        const bytes = Buffer.concat([magic, rest, Buffer.from('PK\u0005\u0006')])
        const found = await unpack({ name: 'a', bytes }, LIMIT).catch((error: unknown) => error)
        expect(Array.isArray(found) || found instanceof ProblemError).toBe(true)
      }),
    )
  })
})

describe('frames of zstd', () => {
  it('are read up to a number that real compressors do not reach', async () => {
    const frame = zstdCompressSync('a')
    const frames = (count: number) => ({
      name: 'a.zst',
      bytes: Buffer.concat(Array.from({ length: count }, () => frame)),
    })
    expect((await unpack(frames(300), LIMIT))[0]?.bytes.toString()).toBe('a'.repeat(300))
    await expect(unpack(frames(MOST_FRAMES + 1), LIMIT)).rejects.toThrow(/more than 10000 zstd frames/)
  })

  it('and archives that are cut anywhere before their end are said to be', async () => {
    const whole = tarOf([
      ['a', 'x'.repeat(700)],
      ['b', 'y'],
    ])
    // Its last two blocks are the end; without them it is complete.
    const end = whole.length - 1024
    for (const length of [600, 1_300, 1_600, 2_000, end - 1]) {
      await expect(unpack({ name: 'a.tar', bytes: whole.subarray(0, length) }, LIMIT)).rejects.toThrow(/cut/)
    }
    expect(await unpack({ name: 'a.tar', bytes: whole.subarray(0, end) }, LIMIT)).toHaveLength(2)
  })

  it('that are cut short are said to be', async () => {
    const packed = gzipSync('a'.repeat(9_999))
    await expect(unpack({ name: 'a.gz', bytes: packed.subarray(0, -9) }, LIMIT)).rejects.toThrow(
      'a.gz is cut short, and only what comes before can be read: copy it again.',
    )
  })
})
