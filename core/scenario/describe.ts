import type { ClientGroup } from '../simulate/workload.ts'
import type { StoreClients } from './store.ts'
import { counted } from '../text/text.ts'

/** The behaviour of a group of clients: `50 clients with 20 threads each`. */
export function behaviourText({ clients, behaviour }: Pick<ClientGroup, 'clients' | 'behaviour'>): string {
  const who = counted(clients, 'client')
  const each = clients === 1 ? '' : ' each'
  switch (behaviour.kind) {
    case 'closed':
      return `${who} with ${counted(behaviour.threads, 'thread')}${each}`
    case 'on demand':
      return `${who} with ${counted(behaviour.threads, 'thread')}${each}, on demand`
    case 'informer':
      return `${who} with ${counted(behaviour.targets.length, 'informer')}${each}`
    case 'open':
      return `${who}, ${arrivalsText(behaviour.arrivals)}${each}`
  }
}

/** The same for clients of an etcd. */
export function storeText({ clients, behaviour }: StoreClients): string {
  const each = clients === 1 ? '' : ' each'
  return behaviour.kind === 'closed'
    ? `${counted(clients, 'client')} with ${counted(behaviour.threads, 'thread')}${each}`
    : `${counted(clients, 'client')}, ${counted(behaviour.perSecond, 'request')} per second${each}`
}

type Open = Extract<ClientGroup['behaviour'], { kind: 'open' }>

function arrivalsText(arrivals: Open['arrivals']): string {
  switch (arrivals.kind) {
    case 'poisson':
      return `${counted(arrivals.perSecond, 'request')} per second`
    case 'schedule':
      return `${counted(arrivals.atMs.length, 'request')} at once`
    case 'bursts':
      return `bursts of ${counted(arrivals.count, 'request')}`
    case 'regular':
      return `a request every ${arrivals.periodMs} ms`
    case 'steps':
      return 'requests at a changing rate'
  }
}
