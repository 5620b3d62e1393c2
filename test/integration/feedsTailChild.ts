/** Follows a file slowly, to be killed while it does: `feedsTailChild.ts FILE FOLDER-OF-POSITIONS`. */
import { createPositionStore } from '../../main/feeds/position.ts'
import { startTail } from '../../main/feeds/tail.ts'

const [path = '', folder = ''] = process.argv.slice(2)
const warn = (): void => undefined

startTail({
  path,
  follow: true,
  onLines: () => new Promise((resolve) => setTimeout(resolve, 40)),
  onTooLong: warn,
  warn,
  positions: createPositionStore({ folder, path, warn }),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
})
