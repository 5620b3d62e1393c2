import { homedir } from 'node:os'
import { parse } from 'node:path'

/**
 * The home folder of the user; the root folder, as a shell has it, for a user who has none: a container may run as a number that no
 * file of users lists, and without HOME.
 */
export function homeFolder(read: () => string = homedir): string {
  try {
    return read()
  } catch {
    return parse(process.cwd()).root
  }
}
