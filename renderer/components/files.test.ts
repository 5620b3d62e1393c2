import { describe, expect, it } from 'vitest'
import { droppedFiles, readFiles, type Readable } from './files.ts'

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
/** Text as the bytes of a gzip file. */
async function packed(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const reader = file('plain', text).stream().pipeThrough(new CompressionStream('gzip')).getReader()
  const bytes: number[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Uint8Array.from(bytes)
    bytes.push(...value)
  }
}

describe('files to open', () => {
  it('are read with their path, unpacked where they are gzip', async () => {
    const read = await readFiles([
      file('metrics.txt', 'a 1\n'),
      file('dump_queues.txt.gz', await packed('PriorityLevelName\n'), 'capture/dump_queues.txt.gz'),
      file('.DS_Store', 'x'),
    ])
    expect(read).toEqual([
      { name: 'metrics.txt', text: 'a 1\n' },
      { name: 'capture/dump_queues.txt', text: 'PriorityLevelName\n' },
    ])
  })

  it('are refused when they hold more than the limit, packed or not', async () => {
    const limits = { totalLength: 1_000, files: 3 }
    const bomb = file('bomb.gz', await packed('0'.repeat(1_000_000)))
    await expect(readFiles([bomb], limits)).rejects.toMatchObject({ problem: { code: 'too-large' } })
    const halves = [file('a', 'x'.repeat(600)), file('b', 'x'.repeat(600))]
    await expect(readFiles(halves, limits)).rejects.toMatchObject({ problem: { code: 'too-large' } })
    const many = ['a', 'b', 'c', 'd'].map((name) => file(name, ''))
    await expect(readFiles(many, limits)).rejects.toMatchObject({ problem: { code: 'too-large' } })
  })

  it('that are broken are named', async () => {
    await expect(readFiles([file('x.gz', 'not gzip')])).rejects.toMatchObject({
      problem: { code: 'bad-answer', message: 'x.gz is not a valid gzip file.' },
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
