import { AsyncResource } from 'node:async_hooks'

/**
 * From now on functions that are bound to an async resource lack the deprecated property `asyncResource` (DEP0172).
 * Node binds one for each HTTP/2 request, and creates two wrapped accessors for that property each time, which take
 * 15 % of the processor time of a proxied request (docs/decisions/021). It changes Node for the whole process, so use
 * it only in a process that does nothing but forward requests.
 */
export function bindWithoutAccessors(): void {
  Object.defineProperty(AsyncResource.prototype, 'bind', { value: bind, writable: true, configurable: true })
}

type Bound = (this: unknown, ...args: unknown[]) => unknown

/** Without a receiver, the receiver of the call applies, as in Node. */
function bind(this: AsyncResource, bound: Bound, receiver?: unknown): Bound {
  return receiver === undefined ? called(this, bound) : (...args) => this.runInAsyncScope(bound, receiver, ...args)
}

const called = (resource: AsyncResource, bound: Bound): Bound =>
  function (...args) {
    return resource.runInAsyncScope(bound, this, ...args)
  }
