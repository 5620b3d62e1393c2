import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bindWithoutAccessors } from './plainBinding.ts'

const original = Object.getOwnPropertyDescriptor(AsyncResource.prototype, 'bind') ?? {}

beforeAll(bindWithoutAccessors)
afterAll(() => void Object.defineProperty(AsyncResource.prototype, 'bind', original))

test('runs in the context that the resource was made in, with its arguments and receiver', () => {
  const context = new AsyncLocalStorage<string>()
  const resource = context.run('made', () => new AsyncResource('Test'))
  const seen = function (this: unknown, ...args: readonly unknown[]): readonly unknown[] {
    return [context.getStore(), this, ...args]
  }
  const receiver = { call: resource.bind(seen) }
  context.run('called', () => {
    expect(receiver.call(1, 2)).toEqual(['made', receiver, 1, 2])
    expect(AsyncResource.bind(seen, 'Test', 'given')(3)).toEqual(['called', 'given', 3])
  })
  expect(Object.keys(receiver.call)).toEqual([])
})
