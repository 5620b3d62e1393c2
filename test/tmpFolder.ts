import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Bytes that the temporary files of all tests need at a time, several times over. */
const ROOM = 4 * 1024 ** 3
const MEMORY = '/dev/shm'

/** A folder of temporary files, and how to remove it. */
interface TmpFolder {
  readonly path: string
  readonly remove: () => void
}

/**
 * The folder for a run of all tests. In memory where the system has such a folder with room in which programs can run:
 * recordings and stores wait for the disk thousands of times otherwise.
 */
export function makeTmpFolder(): TmpFolder {
  const inMemory = hasRoom() ? make(MEMORY) : undefined
  if (inMemory !== undefined && runsPrograms(inMemory.path)) return inMemory
  inMemory?.remove()
  return make(tmpdir())
}

function make(base: string): TmpFolder {
  const folder = mkdtempSync(path.join(base, 'apf-tests-'))
  // Tests run programs as another user.
  chmodSync(folder, 0o711)
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
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
