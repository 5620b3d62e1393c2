/** The proxy in a process of its own, as it runs. `node proxyChild.ts URL RULES` prints its address. */
import { DEFAULT_SETTINGS } from '../../../core/qos/configuration.ts'
import { Door } from '../../../main/etcd/door.ts'
import { openEtcdProxy } from '../../../main/etcd/etcdProxy.ts'
import { systemEnvironment } from '../../../main/ports/environment.ts'
import { CLASS, ruleAt } from './rules.ts'

const [url = '', rules = '0'] = process.argv.slice(2)
const now = (): number => performance.now()
const door = new Door(
  {
    classes: [CLASS],
    rules: Array.from({ length: Number(rules) }, (_, index) => ruleAt(index)),
    settings: DEFAULT_SETTINGS,
  },
  'enforce',
  { now, after: systemEnvironment.after },
)
const proxy = await openEtcdProxy({ upstream: { url }, port: 0, door, now })
process.stdout.write(`${proxy.url}\n`)
