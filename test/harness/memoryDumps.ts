import type { AbortSignalLike, StreamParams } from '../../core/contract/contract.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { manyQueuesDump } from '../fixtures/manyQueues.ts'
import { randomFrom } from '../fixtures/syntheticServer.ts'

/** Ten dumps that differ, made beforehand and told one after the other, ten a second. */
export function sendMany(
  { server, level = 'workload-low' }: Omit<StreamParams<'dumps'>, 'connection'>,
  queues: number,
  emit: (dump: DumpFrame) => void,
  signal: AbortSignalLike,
): undefined {
  const random = randomFrom(1)
  const dumps = Array.from({ length: 10 }, () => manyQueuesDump({ server, at: Date.now(), level, queues, random }))
  let turn = 0
  const timer = setInterval(() => {
    const dump = dumps[turn++ % dumps.length]
    if (dump !== undefined) emit({ ...dump, at: new Date().toISOString() })
  }, 100)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
