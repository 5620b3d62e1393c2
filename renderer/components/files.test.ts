import { describe, expect, it } from 'vitest'
import { blobOf, droppedFiles, readFiles, type Readable } from './files.ts'

function file(name: string, content: string | Uint8Array<ArrayBuffer>, path?: string): Readable {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return {
    name,
    size: bytes.length,
    ...(path === undefined ? {} : { webkitRelativePath: path }),
    stream: () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(bytes)
          controller.close()
        },
      }),
  }
}

describe('files to open', () => {
  it.each([
    ['gzip', Uint8Array.of(0x1f, 0x8b, 8, 0)],
    ['zstd', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd)],
    ['zip', Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0)],
    ['tar', new Uint8Array(1_024).fill(0x61, 0, 9)],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0)],
  ])('are sent as bytes where they are no UTF-8 text: %s', async (name, bytes) => {
    const [sent] = await readFiles([file(name, bytes, `capture/${name}`)])
    if (sent === undefined || !('base64' in sent)) throw new Error('sent as text')
    expect(sent.name).toBe(`capture/${name}`)
    expect(new Uint8Array(await blobOf(sent).arrayBuffer())).toEqual(bytes)
  })

  it('are sent as text with their path otherwise, without hidden ones', async () => {
    const read = await readFiles([
      file('metrics.txt', '\ufeffa 1\n'),
      file('dump.txt', 'é\n', 'capture/dump.txt'),
      file('.DS_Store', 'x'),
    ])
    expect(read).toEqual([
      { name: 'metrics.txt', text: 'a 1\n' },
      { name: 'capture/dump.txt', text: 'é\n' },
    ])
  })

  it('are refused when they are larger than the limit together, or too many', async () => {
    const limits = { totalLength: 1_000, files: 3 }
    const halves = [file('a', 'x'.repeat(600)), file('b', 'x'.repeat(600))]
    await expect(readFiles(halves, limits)).rejects.toMatchObject({ problem: { code: 'too-large' } })
    await expect(readFiles([file('a', new Uint8Array(800))], limits)).rejects.toMatchObject({
      problem: { code: 'too-large' },
    })
    const many = ['a', 'b', 'c', 'd'].map((name) => file(name, ''))
    await expect(readFiles(many, limits)).rejects.toMatchObject({ problem: { code: 'too-large' } })
  })

  it('that cannot be read are named', async () => {
    const stream = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (feeding) => feeding.error(new Error('gone')) })
    await expect(readFiles([{ name: 'x.gz', size: 3, stream }])).rejects.toMatchObject({
      problem: { code: 'bad-answer', message: 'x.gz could not be read.' },
    })
    await expect(readFiles([])).rejects.toMatchObject({ problem: { code: 'invalid-input' } })
  })
})

const droppedFile = (fullPath: string): FileSystemEntry =>
  Object.assign({} as FileSystemEntry, {
    isFile: true,
    isDirectory: false,
    fullPath,
    file: (given: (file: File) => void) => given(new File(['text'], fullPath.split('/').at(-1) ?? '')),
  })
/** Browsers return the entries of a folder in batches. */
const folder = (portions: readonly (readonly FileSystemEntry[])[]): FileSystemEntry => {
  const left = [...portions]
  const readEntries = (given: (portion: readonly FileSystemEntry[]) => void) => given(left.shift() ?? [])
  return Object.assign({} as FileSystemEntry, {
    isFile: false,
    isDirectory: true,
    createReader: () => ({ readEntries }),
  })
}
const transfer = (...entries: readonly FileSystemEntry[]): DataTransfer =>
  Object.assign({} as DataTransfer, {
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [],
  })

it('a dropped folder is all files in it, with their paths, in whatever portions it comes', async () => {
  const dropped = transfer(
    droppedFile('/page.txt'),
    folder([
      [droppedFile('/capture/a.txt'), folder([[droppedFile('/capture/deep/b.txt')]])],
      [droppedFile('/capture/c.txt')],
    ]),
  )
  expect((await droppedFiles(dropped)).map(({ webkitRelativePath }) => webkitRelativePath)).toEqual([
    'page.txt',
    'capture/a.txt',
    'capture/deep/b.txt',
    'capture/c.txt',
  ])
})

it('what is dropped from elsewhere has files alone', async () => {
  const one = new File(['text'], 'page.txt')
  const dropped = Object.assign({} as DataTransfer, { items: [{ webkitGetAsEntry: () => null }], files: [one] })
  expect(await droppedFiles(dropped)).toEqual([one])
})
