import { EventEmitter } from 'node:events'
import type { IpcMain } from 'electron'
import { describe, expect, test } from 'vitest'
import { CONNECT_CHANNEL } from '../../core/contract/desktop.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { isTrustedFrame, onConnect } from './ipc.ts'

const frame = (url: string, more = {}) => ({ url, parent: null, detached: false, ...more })

describe('isTrustedFrame', () => {
  test('the page itself', () => {
    expect(isTrustedFrame(frame('apf://console/'))).toBe(true)
    expect(isTrustedFrame(frame('apf://console/#/level/system'))).toBe(true)
  })
  test('nobody else', () => {
    for (const url of [
      'apf://console.evil/',
      'https://console/',
      'file:///apf://console/',
      'about:blank',
      'apf:console',
    ]) {
      expect(isTrustedFrame(frame(url))).toBe(false)
    }
    expect(isTrustedFrame(null)).toBe(false)
  })
  test('not a frame inside the page, nor one that is gone', () => {
    const parent = Object.create(null)
    expect(isTrustedFrame(frame('apf://console/', { parent }))).toBe(false)
    expect(isTrustedFrame(frame('apf://console/', { detached: true }))).toBe(false)
  })
})

class FakePort extends EventEmitter {
  closed = false
  start(): void {
    this.emit('started')
  }
  postMessage(): void {
    this.emit('posted')
  }
  close(): void {
    this.closed = true
    this.emit('close')
  }
}

describe('onConnect', () => {
  const listening = () => {
    const emitter = new EventEmitter()
    const ipcMain: IpcMain = Object.assign(Object.create(null), { on: emitter.on.bind(emitter) })
    const accepted: Port[] = []
    const refused: string[] = []
    onConnect(
      ipcMain,
      (port) => accepted.push(port),
      (url) => refused.push(url),
    )
    const ask = (url: string | null, count = 1): FakePort[] => {
      const ports = Array.from({ length: count }, () => new FakePort())
      emitter.emit(CONNECT_CHANNEL, { ports, senderFrame: url === null ? null : frame(url) })
      return ports
    }
    return { accepted, refused, ask }
  }

  test('accepts one port from the page', () => {
    const { accepted, refused, ask } = listening()
    const [port] = ask('apf://console/')
    expect(accepted).toHaveLength(1)
    expect(port?.closed).toBe(false)
    expect(refused).toEqual([])
  })
  test.each([
    ['from elsewhere', 'https://evil.test/', 1],
    ['from a frame that is gone', null, 1],
    ['without a port', 'apf://console/', 0],
    ['with two ports', 'apf://console/', 2],
  ])('refuses a request %s and closes what it brought', (_what, url, count) => {
    const { accepted, refused, ask } = listening()
    const ports = ask(url, count)
    expect(accepted).toEqual([])
    expect(refused).toHaveLength(1)
    expect(ports.every(({ closed }) => closed)).toBe(true)
  })
  test('a reload replaces the line; a refused request does not', () => {
    const { ask } = listening()
    const [first] = ask('apf://console/')
    ask('https://evil.test/')
    expect(first?.closed).toBe(false)
    const [second] = ask('apf://console/')
    expect(first?.closed).toBe(true)
    expect(second?.closed).toBe(false)
  })
})
