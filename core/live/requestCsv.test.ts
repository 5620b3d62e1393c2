import { expect, it } from 'vitest'
import { liveRequest } from './live.fixture.ts'
import { requestCsv } from './requestCsv.ts'

it('has a row for each request, and no text that a spreadsheet would run', () => {
  const at = Date.UTC(2026, 10, 28, 23, 0, 0, 5)
  const hostile = '=HYPERLINK("https://attacker.example.com")'
  const row = liveRequest({ at, user: hostile, flow: '@SUM(1)', groups: ['+1', 'a,b'], url: '\t=1', waitMs: 12.5 })
  const [head = '', first = '', ...rest] = requestCsv([row]).split('\r\n')
  expect(rest).toEqual([''])
  expect(head).toMatch(/^Arrival \(UTC\),User,Groups,Client address,Verb,URL,/)
  expect(first).toContain(
    `2026-11-28T23:00:00.005Z,"'=HYPERLINK(""https://attacker.example.com"")","'+1 a,b",,list,'\t=1,`,
  )
  expect(first).toContain(",'@SUM(1),")
  expect(first).toContain(',12.5,')
})

it('counts from the start of a run', () => {
  expect(
    requestCsv([liveRequest({ at: 12_500 })])
      .split('\r\n')
      .map((line) => line.split(',')[0]),
  ).toEqual(['Arrival (s)', '12.5', ''])
})
