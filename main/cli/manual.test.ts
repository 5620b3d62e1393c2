import { expect, test } from 'vitest'
import { HELP } from './help.ts'
import { manualPage } from './manual.ts'

const page = manualPage('1.2.3')

test('the manual page has every command with its options, and nothing that changes from build to build', () => {
  expect(page[0]).toBe('.TH APF-CONSOLE 1 "" "APF Console 1.2.3" "APF Console"')
  const sections = page.filter((line) => line.startsWith('.SS ')).map((line) => line.slice(4))
  expect(sections).toEqual(Object.keys(HELP).filter((name) => name !== 'general'))
  expect(page.join('\n')).toContain('.TP\n\\fB\\-o, \\-\\-output FORMAT\\fR\ntext (default), json, github')
  expect(manualPage('1.2.3')).toEqual(page)
})

test('no text of help is taken for a request of roff', () => {
  const requests = new Set(page.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0]))
  expect(requests).toEqual(new Set(['.PP', '.SH', '.SS', '.TH', '.TP', '.br']))
  expect(page.filter((line) => /\\(?![-e&]|f[BR])/.test(line))).toEqual([])
})
