import { Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Visit, VISIT_LIMITS, Visits } from './visits.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a call that ends after its connection keeps nothing of it', () => {
  const server = new Server()
  const visits = new Visits(server, VISIT_LIMITS, () => 0)
  const socket = new Socket()
  server.emit('connection', socket)
  const visit = new Visit(visits, socket, () => 0)
  expect(visit.enter()).toBe(true)
  socket.destroy()
  socket.emit('close')
  visit.end()
  visit.leave()
  visits.close()
  expect(vi.getTimerCount()).toBe(0)
})
