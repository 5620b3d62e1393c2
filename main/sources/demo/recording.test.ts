import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readRecording } from './recording.ts'

test.each([
  ['[1,"frame a",', 'it is not JSON'],
  ['{}', 'a line is a list of time, name and changes'],
  ['', 'contains no recording'],
])('a recording with the line %j is refused: %s', async (line, why) => {
  const folder = mkdtempSync(join(tmpdir(), 'apf-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'recording.ndjson.br')
  writeFileSync(file, brotliCompressSync(`${line}\n`))
  await expect(readRecording(file)).rejects.toThrow(why)
})
