import { expect, it } from 'vitest'
import { createParser } from '../metrics/parse.ts'
import { createTimesReader, TIME_FAMILIES } from './reportedTimes.ts'

const read = (text: string) =>
  createTimesReader()(createParser({ keep: TIME_FAMILIES }).parse(new TextEncoder().encode(text)), 7_000)

const WAIT = 'apiserver_flowcontrol_request_wait_duration_seconds'
const EXECUTION = 'apiserver_flowcontrol_request_execution_seconds'
const of = (name: string, labels: string, [inBucket, count]: readonly [number, number], sum: number): string =>
  `${name}_bucket{${labels},le="0.1"} ${inBucket}
${name}_bucket{${labels},le="+Inf"} ${count}
${name}_sum{${labels}} ${sum}
${name}_count{${labels}} ${count}
`

it('the times of a page are its total wait, and its executions by flow schema and level', () => {
  const low = 'flow_schema="a",priority_level="low"'
  const high = 'flow_schema="b",priority_level="high"'
  const page = `# TYPE ${WAIT} histogram
${of(WAIT, `execute="true",${low}`, [1, 3], 1.5)}${of(WAIT, `execute="true",${high}`, [0, 1], 2)}${of(WAIT, `execute="false",${high}`, [0, 9], 40)}
# TYPE ${EXECUTION} histogram
${of(EXECUTION, `${low},type="regular"`, [2, 3], 0.5)}${of(EXECUTION, `${low},type="watch"`, [2, 2], 0.1)}
process_start_time_seconds 1.5
`
  expect(read(page)).toEqual({
    atMs: 7_000,
    startedMs: 1_500,
    waitedSeconds: 3.5,
    lanes: [{ level: 'low', schema: 'a', execution: { bounds: [0.1], counts: [2, 3], sum: 0.5, count: 3 } }],
  })
})

it('a page without executions has no times', () => {
  expect(read('process_start_time_seconds 1.5\n')).toBeUndefined()
})
