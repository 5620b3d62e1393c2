import type { CauseId } from '../contract/causes.ts'
import type { Answer, Cell, Sentence } from '../answer/answer.ts'
import type { Finding } from '../contract/diagnosis.ts'
import { clientName, type ClientUse } from '../verdict/ledger.ts'
import { victimNames } from '../verdict/cause.ts'
import { diagnose } from './diagnose.ts'
import { serverFacts, type Evidence, type ServerFacts } from './facts.ts'
import { byUser } from './suspects.ts'
import { sufferingOf } from './victims.ts'

/** More names are no help in finding the right one. */
const MOST_NAMES = 20

/** The clients that the source tells of, those that use the most first. */
export const clientsOf = (evidence: Evidence): readonly string[] =>
  [...new Set(factsOf(evidence).flatMap(({ ledger }) => ledger.clients.map(clientName)))].slice(0, MOST_NAMES)

const factsOf = (evidence: Evidence): readonly ServerFacts[] =>
  evidence.servers.flatMap((server) => serverFacts(server, evidence) ?? [])

/** `batch:sync` or its whole user name. */
const isCalled = (client: ClientUse, name: string): boolean => client.user === name || clientName(client) === name

export interface Complaint {
  /** Whether flow control delays or rejects its requests. */
  readonly isDelayed: boolean
  readonly answer: Answer
}

/**
 * Whether a client is delayed: where, behind whom, or that it limits itself. `undefined` if the source does not tell of
 * such a client.
 */
export function complaint(evidence: Evidence, name: string): Complaint | undefined {
  const servers = factsOf(evidence)
  const own = servers.flatMap((server) =>
    server.ledger.clients.filter((client) => isCalled(client, name)).map((client) => ({ server, client })),
  )
  const [first] = own
  if (first === undefined) return undefined
  const shown = clientName(first.client)
  const delayed = own.flatMap((one) => {
    const found = sufferingOf([one.client])
    return found === undefined ? [] : [{ ...one, ...found }]
  })
  const [worst] = delayed.toSorted((a, b) => b.harm - a.harm)
  const even = own.find(({ client }) => client.sent?.isEven === true)
  return {
    isDelayed: worst !== undefined,
    answer: {
      title: titleOf(shown, worst, even?.client),
      evidence: [
        ...own.map(({ server, client }) => placeOf(server, client)),
        ...(worst === undefined ? [] : behindWhom(diagnose(evidence).findings, servers, shown, worst)),
      ],
      tables: [],
    },
  }
}

type Delayed = { readonly client: ClientUse; readonly text: string }

function titleOf(name: string, worst: Delayed | undefined, even: ClientUse | undefined): Sentence {
  if (worst !== undefined) return [`${name} is delayed in ${worst.client.level}: ${worst.text}.`]
  if (even?.sent === undefined) return [`${name} is not delayed: flow control lets its requests pass.`]
  return [
    `${name} is not delayed and limits itself: its requests come evenly, `,
    { value: even.sent.perSecond, as: 'rate' },
    ' /s. Raise QPS and Burst of its client library.',
  ]
}

/** Where it is served, and what it uses. */
function placeOf({ ledger }: ServerFacts, client: ClientUse): Sentence {
  const { level, schema, seats, waiting, executing, calls, sent } = client
  const flow: readonly Cell[] =
    ledger.dumps === 0
      ? []
      : [
          ', in ',
          { value: ledger.dumps, as: 'fixed' },
          ' debug dumps ',
          { value: executing, as: 'amount' },
          ' requests executing with ',
          { value: seats, as: 'amount' },
          ' seats and ',
          { value: waiting, as: 'amount' },
          ' waiting on average',
        ]
  const rate: readonly Cell[] =
    sent === undefined
      ? []
      : [
          ', ',
          { value: sent.perSecond, as: 'rate' },
          ' requests/s that wait ',
          { value: sent.waited, as: 'seconds' },
          ' and execute ',
          { value: sent.executed, as: 'seconds' },
        ]
  return [
    `${level}, flow schema ${schema}${calls[0] === undefined ? '' : ` (mostly ${calls[0].text})`}`,
    ...flow,
    ...rate,
    '.',
  ]
}

/** What a client does to itself delays nobody else. */
const OF_ITSELF: ReadonlySet<CauseId> = new Set(['short-deadlines', 'client-throttling'])

/** The cause of the trouble of its level, its own first, and who waits in the same queues. */
function behindWhom(
  findings: readonly Finding[],
  servers: readonly ServerFacts[],
  name: string,
  { client }: Delayed,
): readonly Sentence[] {
  const here = findings.filter(({ place: { level } }) => level === undefined || level === client.level)
  const cause = here.find(({ culprit }) => culprit === name) ?? here.find(({ cause: of }) => !OF_ITSELF.has(of))
  const beside = servers.flatMap(({ ledger }) =>
    byUser(ledger, client.level).filter(
      (other) =>
        other.name !== name && other.uses.some(({ queues }) => [...queues].some((one) => client.queues.has(one))),
    ),
  )
  return [
    ...(cause?.culprit === name ? [[`It causes this itself.`]] : []),
    ...(cause === undefined ? [] : [[`Cause (${cause.confidence}): ${cause.text}`], [`Remedy: ${cause.remedy.text}`]]),
    ...(beside.length === 0
      ? []
      : [[`In the same queues waited ${victimNames(beside.map((one) => ({ name: one.name, text: '' })))}.`]]),
  ]
}
