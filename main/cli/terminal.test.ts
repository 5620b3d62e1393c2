import { describe, expect, test } from 'vitest'
import { createTerminal } from './terminal.ts'

function terminal() {
  let type = (_text: string): void => undefined
  let shown = ''
  const made = createTerminal({
    input: { on: (_event, listener) => void (type = (text) => listener(Buffer.from(text))) },
    output: { write: (text) => void (shown += text) },
  })
  let enters = 0
  made.onEnter(() => void (enters += 1))
  return { ...made, type: (text: string) => type(text), shown: () => shown, enters: () => enters }
}

describe('a question in the terminal', () => {
  test.each([
    ['yes\n', true],
    ['YES \n', true],
    ['no\n', false],
    ['\n\nye\nsure\nyes\n', true],
  ])('takes %j', async (typed, allowed) => {
    const { ask, type, shown, enters } = terminal()
    const answer = ask(['Run x?'], new AbortController().signal)
    expect(shown()).toContain('Run x?')
    type(typed)
    expect(await answer).toBe(allowed)
    // These lines answered the question and requested nothing else.
    expect(enters()).toBe(0)
    type('\n')
    expect(enters()).toBe(1)
  })

  test('is not answered by what was typed before it', async () => {
    const { ask, type } = terminal()
    type('ye')
    const answer = ask(['Run x?'], new AbortController().signal)
    type('s\n')
    type('no\n')
    expect(await answer).toBe(false)
  })

  test('ends without an answer when its time is over', async () => {
    const { ask, type, enters } = terminal()
    const stop = new AbortController()
    const answer = ask(['Run x?'], stop.signal)
    stop.abort()
    expect(await answer).toBeUndefined()
    type('yes\n')
    expect(enters()).toBe(1)
  })
})
