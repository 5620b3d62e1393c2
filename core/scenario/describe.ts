import type { ClientGroup } from '../simulate/workload.ts'
import type { StoreClients } from './store.ts'

const times = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** What a group of clients does: `50 clients with 20 threads each`. */
export function behaviourText({ clients, behaviour }: Pick<ClientGroup, 'clients' | 'behaviour'>): string {
  const who = times(clients, 'client')
  const each = clients === 1 ? '' : ' each'
  switch (behaviour.kind) {
    case 'closed':
      return `${who} with ${times(behaviour.threads, 'thread')}${each}`
    case 'on demand':
      return `${who} with ${times(behaviour.threads, 'thread')}${each}, on demand`
    case 'informer':
      return `${who} with ${times(behaviour.targets.length, 'informer')}${each}`
    case 'open':
      return `${who}, ${arrivalsText(behaviour.arrivals)}${each}`
  }
}

/** The same of clients before an etcd. */
export function storeText({ clients, behaviour }: StoreClients): string {
  const each = clients === 1 ? '' : ' each'
  return behaviour.kind === 'closed'
    ? `${times(clients, 'client')} with ${times(behaviour.threads, 'thread')}${each}`
    : `${times(clients, 'client')}, ${times(behaviour.perSecond, 'request')} per second${each}`
}

type Open = Extract<ClientGroup['behaviour'], { kind: 'open' }>

function arrivalsText(arrivals: Open['arrivals']): string {
  switch (arrivals.kind) {
    case 'poisson':
      return `${times(arrivals.perSecond, 'request')} per second`
    case 'schedule':
      return `${times(arrivals.atMs.length, 'request')} at once`
    case 'bursts':
      return `bursts of ${times(arrivals.count, 'request')}`
    case 'regular':
      return `a request every ${arrivals.periodMs} ms`
    case 'steps':
      return 'requests at a changing rate'
  }
}
