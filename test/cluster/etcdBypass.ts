import { type Bypass, BypassCount, handledBy } from '../../main/etcd/bypass.ts'
import type { EtcdServer, ProxiedEtcd } from './etcdServer.ts'

/** The reported state after two writes through the proxy, and after four more of which three bypassed it. */
export async function bypassTold(etcd: EtcdServer, proxy: ProxiedEtcd): Promise<readonly (Bypass | undefined)[]> {
  const count = new BypassCount()
  const look = async (): Promise<Bypass | undefined> => {
    await count.look(
      proxy.calls,
      () => performance.now(),
      () => handledBy({ url: etcd.url }),
    )
    return count.reading
  }
  const writes = async (...places: readonly string[]): Promise<void> => {
    for (const place of places) await etcd.etcdctl(place, ['put', 'key', 'value'])
  }
  await look()
  await writes(proxy.url, proxy.url)
  const before = await look()
  await writes(etcd.url, proxy.url, etcd.url, etcd.url)
  return [before, await look()]
}
