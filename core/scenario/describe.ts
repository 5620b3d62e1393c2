import type { ClientGroup } from '../simulate/workload.ts'

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

type Open = Extract<ClientGroup['behaviour'], { kind: 'open' }>

function arrivalsText(arrivals: Open['arrivals']): string {
  switch (arrivals.kind) {
    case 'poisson':
      return `${arrivals.perSecond} requests per second`
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
