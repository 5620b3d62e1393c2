import { entry, type Finding, member, quoted } from '../config/finding.ts'
import { MOST_VARIANTS } from '../bounds.ts'
import type { ClientGroup } from '../simulate/workload.ts'
import { mostRequests } from './readClients.ts'
import type { Assertion, Phase, Scenario } from './scenario.ts'
import { knownName, namedOnce, problem } from './values.ts'

/** A variant takes minutes for this number; without a limit a run would exhaust the memory. */
export const MOST_REQUESTS = 20_000_000
const MOST_PHASES = 100
const MOST_ASSERTIONS = 200
const MOST_CONTROLLERS = 20

type Say = (at: string, message: string) => void

/** Errors of a scenario as a whole: limits exceeded, and names that do not exist. */
export function checkScenario(scenario: Scenario, findings: Finding[]): void {
  checkAmounts(scenario, findings)
  const { clients, phases, variants, controllers, criteria, assertions } = scenario
  namedOnce(clients, 'clients', findings)
  namedOnce(variants, 'variants', findings)
  namedOnce(controllers, 'controllers', findings)
  checkJobs(clients, findings)
  const groups = new Map(clients.map((group) => [group.name, group]))
  for (const [index, phase] of phases.entries()) {
    const place = entry('phases', index)
    if (phase.at > scenario.seconds) {
      findings.push(problem(member(place, 'at'), `The run ends after ${scenario.seconds} s.`))
    }
    checkPhase(phase, place, groups, findings)
  }
  const names: Names = {
    clients: [...groups.keys()],
    controllers: controllers.map(({ name }) => name),
    variants: variants.map(({ name }) => name),
  }
  for (const [index, one] of criteria.entries()) checkAssertion(one, entry('criteria', index), names, findings)
  for (const [index, one] of assertions.entries()) checkAssertion(one, entry('assertions', index), names, findings)
}

/** Upper bound of the requests that the clients send. */
export function mostRequestsOf({ clients, phases, seconds }: Scenario): number {
  const bugs = new Map(phases.flatMap(({ bug }) => (bug === undefined ? [] : [[bug.clients, bug.thinkMs]])))
  return clients.reduce((sum, group) => sum + mostRequests(group, seconds, bugs.get(group.name)), 0)
}

/** What every scenario needs, of an API server or an etcd. */
export function checkWhole(
  { name, clients, variants }: Pick<Scenario, 'name'> & Readonly<Record<'clients' | 'variants', readonly unknown[]>>,
  say: Say,
): void {
  if (name === '') say('name', 'A scenario needs a name.')
  if (clients.length === 0) say('clients', 'A scenario needs clients.')
  if (variants.length === 0) say('variants', 'A scenario needs a variant: one with a name is enough.')
  if (variants.length > MOST_VARIANTS) say('variants', `A scenario has at most ${MOST_VARIANTS} variants.`)
}

export function checkAssertionCount(
  { criteria, assertions }: Pick<Scenario, 'criteria' | 'assertions'>,
  say: Say,
): void {
  if (criteria.length + assertions.length > MOST_ASSERTIONS) {
    say('assertions', `A scenario has at most ${MOST_ASSERTIONS} criteria and assertions.`)
  }
}

export function checkRequestCount(most: number, say: Say): void {
  if (most > MOST_REQUESTS) {
    say(
      'clients',
      `The clients may send more than ${MOST_REQUESTS} requests: increase their think time, or reduce their number.`,
    )
  }
}

function checkAmounts(scenario: Scenario, findings: Finding[]): void {
  const { seconds, statisticsFrom, phases, controllers } = scenario
  const say = (at: string, message: string): void => void findings.push(problem(at, message))
  checkWhole(scenario, say)
  if (phases.length > MOST_PHASES) say('phases', `A scenario has at most ${MOST_PHASES} phases.`)
  if (controllers.length > MOST_CONTROLLERS) {
    say('controllers', `A scenario has at most ${MOST_CONTROLLERS} controllers.`)
  }
  checkAssertionCount(scenario, say)
  checkRequestCount(mostRequestsOf(scenario), say)
  if (statisticsFrom >= seconds) {
    say(
      'statisticsFrom',
      `Statistics begin at ${statisticsFrom} s, when the run of ${seconds} s is over: begin earlier.`,
    )
  }
}

function checkJobs(clients: readonly ClientGroup[], findings: Finding[]): void {
  const onDemand = clients.flatMap(({ name, behaviour }) => (behaviour.kind === 'on demand' ? [name] : []))
  for (const [index, { behaviour }] of clients.entries()) {
    if (behaviour.kind === 'informer') continue
    for (const [i, { jobs = {} }] of behaviour.calls.entries()) {
      const place = entry(member(entry('clients', index), 'calls'), i)
      for (const key of ['needs', 'causes'] as const) {
        const group = jobs[key]
        if (group === undefined) continue
        const at = member(place, key)
        knownName(group, onDemand, { at: at, what: 'group with onDemand', findings })
        if (behaviour.kind === 'on demand') {
          findings.push(problem(at, `On-demand clients cannot create work for other clients: remove ${key}.`))
        } else if (key === 'needs' && behaviour.kind === 'open') {
          findings.push(problem(at, 'Only calls of clients with threads can need others: give the clients threads.'))
        }
      }
    }
  }
}

function checkPhase(phase: Phase, place: string, groups: ReadonlyMap<string, ClientGroup>, findings: Finding[]): void {
  for (const key of ['pause', 'bug'] as const) {
    const fault = phase[key]
    if (fault === undefined) continue
    const at = `${place}.${key}.clients`
    knownName(fault.clients, [...groups.keys()], { at: at, what: 'group of clients', findings })
    const group = groups.get(fault.clients)
    if (key === 'bug' && group !== undefined && group.behaviour.kind !== 'closed') {
      findings.push(
        problem(at, `Only clients with threads have a think time: ${quoted(fault.clients)} has no threads of its own.`),
      )
    }
  }
}

interface Names {
  readonly clients: readonly string[]
  readonly controllers: readonly string[]
  readonly variants: readonly string[]
}

function checkAssertion({ of, variants = [] }: Assertion, place: string, names: Names, findings: Finding[]): void {
  if (of?.kind === 'clients') {
    knownName(of.name, names.clients, { at: member(place, 'clients'), what: 'group of clients', findings })
  } else if (of?.kind === 'controller') {
    knownName(of.name, names.controllers, { at: member(place, 'controller'), what: 'controller', findings })
  }
  for (const [i, variant] of variants.entries()) {
    knownName(variant, names.variants, { at: entry(member(place, 'variants'), i), what: 'variant', findings })
  }
}
