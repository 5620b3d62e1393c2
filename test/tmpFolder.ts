import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Bytes that the temporary files of all tests need at a time, several times over. */
const ROOM = 4 * 1024 ** 3
const MEMORY = '/dev/shm'

/**
 * The folder of temporary files for a run of all tests, and how to remove it. In memory where the system has such a
 * folder with room in which programs can run: recordings and stores wait for the disk thousands of times otherwise.
 */
export function makeTmpFolder(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(hasRoom() ? MEMORY : tmpdir(), 'apf-tests-'))
  // Tests run programs as another user.
  chmodSync(folder, 0o711)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  if (!folder.startsWith(MEMORY) || runsPrograms(folder)) return { path: folder, remove }
  remove()
  const onDisk = mkdtempSync(path.join(tmpdir(), 'apf-tests-'))
  return { path: onDisk, remove: () => rmSync(onDisk, { recursive: true, force: true }) }
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}

function runsPrograms(folder: string): boolean {
  const program = path.join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o700)
  return spawnSync(program).status === 0
}
