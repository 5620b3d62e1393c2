/** Follows a file slowly, until it is killed: `feedsTailChild.ts FILE STATE-FOLDER`. Prints when it gets lines. */
import { createPositionStore } from '../../main/feeds/placeKeeper.ts'
import { openStore } from '../../main/store/store.ts'
import { startTail } from '../../main/feeds/tail.ts'

const [path = '', folder = ''] = process.argv.slice(2)
const warn = (): void => undefined

startTail({
  path,
  follow: true,
  onLines() {
    process.send?.('lines')
    return new Promise((resolve) => setTimeout(resolve, 40))
  },
  onTooLong: warn,
  warn,
  positions: createPositionStore({ places: openStore(folder).places, path, warn }),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
})
