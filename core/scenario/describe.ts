import { plain, plural } from '../text/format.ts'
import type { ClientGroup } from '../simulate/workload.ts'
import type { StoreClients } from './store.ts'

/** The behaviour of a group of clients: `50 clients with 20 threads each`. */
export function behaviourText({ clients, behaviour }: Pick<ClientGroup, 'clients' | 'behaviour'>): string {
  const who = plain.counted(clients, 'client')
  const each = plural(clients, '', ' each')
  switch (behaviour.kind) {
    case 'closed':
      return `${who} with ${plain.counted(behaviour.threads, 'thread')}${each}`
    case 'on demand':
      return `${who} with ${plain.counted(behaviour.threads, 'thread')}${each}, on demand`
    case 'informer':
      return `${who} with ${plain.counted(behaviour.targets.length, 'informer')}${each}`
    case 'open':
      return `${who}, ${arrivalsText(behaviour.arrivals)}${each}`
  }
}

/** The same for clients of an etcd. */
export function storeText({ clients, behaviour }: StoreClients): string {
  const each = plural(clients, '', ' each')
  return behaviour.kind === 'closed'
    ? `${plain.counted(clients, 'client')} with ${plain.counted(behaviour.threads, 'thread')}${each}`
    : `${plain.counted(clients, 'client')}, ${plain.counted(behaviour.perSecond, 'request')} per second${each}`
}

type Open = Extract<ClientGroup['behaviour'], { kind: 'open' }>

function arrivalsText(arrivals: Open['arrivals']): string {
  switch (arrivals.kind) {
    case 'poisson':
      return `${plain.counted(arrivals.perSecond, 'request')} per second`
    case 'schedule':
      return `${plain.counted(arrivals.atMs.length, 'request')} at once`
    case 'bursts':
      return `bursts of ${plain.counted(arrivals.count, 'request')}`
    case 'regular':
      return `a request every ${arrivals.periodMs} ms`
    case 'steps':
      return 'requests at a changing rate'
  }
}
