import { homedir } from 'node:os'
import { parse } from 'node:path'

/**
 * The home folder of the user; the root folder, as in a shell, for a user who has none: a container may run with a
 * numeric user that no user database lists, and without HOME.
 */
export function homeFolder(read: () => string = homedir): string {
  try {
    return read()
  } catch {
    return parse(process.cwd()).root
  }
}
