/**
 * Opens, writes and reads databases on a disk with less and less room, which ends this process where a write into a
 * mapped file does. Prints what each attempt said, as a line of JSON. The only argument is a folder of that disk.
 */
import { closeSync, copyFileSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { messageOf } from '../../core/errors.ts'
import { openChapter } from '../../main/recordings/chapter.ts'
import { openDatabase } from '../../main/store/database.ts'

const [folder = ''] = process.argv.slice(2)
const path = join(folder, 'a.db')
const killed = join(folder, 'killed.db')
const LOGGED = ['', '-wal']
const filler = join(folder, 'filler')
const options = { path, migrations: ['CREATE TABLE kept (value)'] }
const KIB = 1024

function fill(leaveKib: number): void {
  const file = openSync(filler, 'w')
  for (const kib of [64, 1]) {
    const block = Buffer.alloc(kib * KIB)
    for (;;) {
      const { bavail, bsize } = statfsSync(folder)
      if (bavail * bsize < (leaveKib + kib) * KIB) break
      writeSync(file, block)
    }
  }
  closeSync(file)
}

const INSERT = `INSERT INTO kept VALUES (zeroblob(100))`
const WAYS = {
  async 'opened when it is full'() {
    ;(await openDatabase(options)).close()
    return async () => {
      const database = await openDatabase(options)
      await database.write((connection) => connection.exec(INSERT)).finally(() => database.close())
    }
  },
  async 'opened before, and not written to'() {
    ;(await openDatabase(options)).close()
    const database = await openDatabase(options)
    return () => database.write((connection) => connection.exec(INSERT)).finally(() => database.close())
  },
  async 'left behind by a recorder that was killed'() {
    const database = await openDatabase(options)
    await database.write((connection) => connection.exec(INSERT))
    for (const name of LOGGED) copyFileSync(path + name, killed + name)
    database.close()
    return async () => openChapter(killed).close()
  },
} as const

for (const [way, prepare] of Object.entries(WAYS))
  for (const leaveKib of [0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96]) {
    for (const name of [...LOGGED, '-shm', '-journal'])
      for (const file of [path, killed]) rmSync(file + name, { force: true })
    rmSync(filler, { force: true })
    const attempt = await prepare()
    fill(leaveKib)
    console.log(JSON.stringify({ way, leaveKib, said: await attempt().then(() => '', messageOf) }))
  }
