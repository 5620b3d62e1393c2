import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DESKTOP_BRIDGE } from '../../core/contract/desktop.ts'
import { onMenuCommand, openDesktopPort } from './bridge.desktop.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  Reflect.deleteProperty(window, DESKTOP_BRIDGE)
})

/** The message that the preload script causes, or that something imitates. */
function handOver(data: unknown, ports: MessagePort[], init: MessageEventInit = {}): void {
  const event = new MessageEvent('message', { data, source: window, origin: window.location.origin, ports, ...init })
  window.dispatchEvent(event)
}

describe('the line of the desktop window', () => {
  const ask = () => {
    const nonces: string[] = []
    const opening = openDesktopPort({ connect: (nonce) => nonces.push(nonce), onCommand: () => () => undefined })
    return { opening, nonce: nonces[0] ?? '' }
  }

  test('is the port that answers the nonce', async () => {
    const { opening, nonce } = ask()
    const { port1, port2 } = new MessageChannel()
    handOver(nonce, [port1])
    const port = await opening
    vi.useRealTimers()
    const arrived = new Promise((resolve) => {
      port2.addEventListener('message', ({ data }) => resolve(data))
      port2.start()
    })
    port.post('hello')
    expect(await arrived).toBe('hello')
    const answered = new Promise((resolve) => port.onMessage(resolve))
    port2.postMessage('you too')
    expect(await answered).toBe('you too')
    port.close()
    port2.close()
  })

  test('is asked for under another nonce each time', () => {
    const [first, second] = [ask(), ask()]
    first.opening.catch(() => undefined)
    second.opening.catch(() => undefined)
    expect(first.nonce).toMatch(/^[\da-f-]{36}$/)
    expect(second.nonce).not.toBe(first.nonce)
  })

  test('is not what somebody else hands over', async () => {
    const { opening, nonce } = ask()
    const { port1 } = new MessageChannel()
    handOver('another nonce', [port1])
    handOver(nonce, [])
    handOver(nonce, [port1], { origin: 'https://evil.test' })
    handOver(nonce, [port1], { source: null })
    const [outcome] = await Promise.all([opening.catch(String), vi.advanceTimersByTimeAsync(5_000)])
    expect(outcome).toContain('did not respond')
    port1.close()
  })
})

describe('the menu', () => {
  test('only known commands are heard, until the listener ends', () => {
    let choose: (name: unknown) => void = () => undefined
    let ended = false
    Reflect.set(window, DESKTOP_BRIDGE, {
      connect: () => undefined,
      onCommand: (listener: (name: unknown) => void) => {
        choose = listener
        return () => (ended = true)
      },
    })
    const heard: string[] = []
    const end = onMenuCommand((command) => heard.push(command))
    for (const name of ['go-overview', 'format-disk', '__proto__', 5, null, undefined, 'open-palette']) choose(name)
    expect(heard).toEqual(['go-overview', 'open-palette'])
    end()
    expect(ended).toBe(true)
  })

  test('there is none in a browser', () => {
    expect(() => onMenuCommand(() => undefined)()).not.toThrow()
  })
})
