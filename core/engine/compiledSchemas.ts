import { SERVICE_ACCOUNT } from '../frame/flow.ts'
import { type RequestDigest, type User, orderFlowSchemas } from '../request/match.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import { CATCH_ALL, type FlowSchema, type NonResourceRule, type ResourceRule, type Subject } from '../config/objects.ts'
import type { LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import { Lane, type LaneKind, type Ticket } from './ticket.ts'

/** UIDs of the objects that classified a request; empty for an object that the API does not have (trap T71). */
export interface ObjectUids {
  readonly level: string
  readonly schema: string
}

const BITS = 32
/**
 * Up to this many namespaces are compared one by one; extracting the name from the user's and looking it up costs more.
 */
const FEW = 4

/**
 * Finds the rules that apply to a user without testing every subject of every rule (specification 2.3). Sets of rules
 * are bits in words, bit i for the rule of index i.
 */
export class SubjectIndex {
  private readonly words: number
  private readonly everybody: Int32Array
  private readonly byUser = new Map<string, Int32Array>()
  private readonly byGroup = new Map<string, Int32Array>()
  /** Rules for all service accounts of a namespace, by namespace. */
  private readonly byNamespace = new Map<string, Int32Array>()
  /** The same by the prefix of their user names, while there are few. */
  private readonly prefixes: { readonly prefix: string; readonly rules: Int32Array }[] = []
  private readonly selected: Int32Array

  /** The subjects of each rule. */
  constructor(rules: readonly (readonly Subject[])[]) {
    this.words = Math.ceil(rules.length / BITS)
    this.everybody = new Int32Array(this.words)
    this.selected = new Int32Array(this.words)
    for (const [index, subjects] of rules.entries()) for (const subject of subjects) this.enter(subject, index)
    if (this.byNamespace.size > FEW) return
    for (const [namespace, selects] of this.byNamespace) {
      this.prefixes.push({ prefix: `${SERVICE_ACCOUNT}${namespace}:`, rules: selects })
    }
  }

  /** Selects the rules that apply to this user. */
  select(user: User): void {
    for (let word = 0; word < this.words; word++) this.selected[word] = this.everybody[word] ?? 0
    this.include(this.byUser.get(user.name))
    for (const group of user.groups) this.include(this.byGroup.get(group))
    if (this.byNamespace.size <= FEW) {
      for (const { prefix, rules } of this.prefixes) if (user.name.startsWith(prefix)) this.include(rules)
    } else if (user.name.startsWith(SERVICE_ACCOUNT)) {
      this.selectByNamespace(user.name)
    }
  }

  /** Index of the first selected rule from `from` on; −1 if there is none. */
  next(from: number): number {
    let word = from >>> 5
    if (word >= this.words) return -1
    let rest = (this.selected[word] ?? 0) & (-1 << (from & 31))
    while (rest === 0) {
      word += 1
      if (word >= this.words) return -1
      rest = this.selected[word] ?? 0
    }
    return word * BITS + (31 - Math.clz32(rest & -rest))
  }

  /** A namespace that validation would reject may contain colons, so it may end at any colon. */
  private selectByNamespace(name: string): void {
    const start = SERVICE_ACCOUNT.length
    for (let colon = name.indexOf(':', start); colon !== -1; colon = name.indexOf(':', colon + 1)) {
      this.include(this.byNamespace.get(name.slice(start, colon)))
    }
  }

  private include(rules: Int32Array | undefined): void {
    if (rules === undefined) return
    for (let word = 0; word < this.words; word++) {
      this.selected[word] = (this.selected[word] ?? 0) | (rules[word] ?? 0)
    }
  }

  private enter({ kind, user, group, serviceAccount }: Subject, index: number): void {
    if (kind === 'User' && user !== undefined) {
      this.add(user.name === '*' ? this.everybody : this.rulesOf(this.byUser, user.name), index)
    } else if (kind === 'Group' && group !== undefined) {
      this.add(group.name === '*' ? this.everybody : this.rulesOf(this.byGroup, group.name), index)
    } else if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
      const { namespace, name } = serviceAccount
      const accounts = name === '*' ? this.rulesOf(this.byNamespace, namespace) : undefined
      this.add(accounts ?? this.rulesOf(this.byUser, `${SERVICE_ACCOUNT}${namespace}:${name}`), index)
    }
  }

  private rulesOf(map: Map<string, Int32Array>, name: string): Int32Array {
    const known = map.get(name)
    if (known !== undefined) return known
    const made = new Int32Array(this.words)
    map.set(name, made)
    return made
  }

  private add(rules: Int32Array, index: number): void {
    rules[index >>> 5] = (rules[index >>> 5] ?? 0) | (1 << (index & 31))
  }
}

/** A list of names, in which a lone `*` matches everything (trap T33). */
type Names = ReadonlySet<string> | 'all'

const namesOf = (list: readonly string[] | undefined): Names =>
  list?.length === 1 && list[0] === '*' ? 'all' : new Set(list)
const holds = (names: Names, name: string): boolean => names === 'all' || names.has(name)

/** Names of resources, and for each resource those of its subresources: a request has them as separate fields. */
type Resources =
  'all' | { readonly whole: ReadonlySet<string>; readonly parts: ReadonlyMap<string, ReadonlySet<string>> }

function resourcesOf(list: readonly string[] | undefined): Resources {
  const names = namesOf(list)
  if (names === 'all') return names
  const parts = new Map<string, Set<string>>()
  for (const name of names) {
    const slash = name.indexOf('/')
    if (slash === -1) continue
    const resource = name.slice(0, slash)
    parts.set(resource, (parts.get(resource) ?? new Set()).add(name.slice(slash + 1)))
  }
  return { whole: names, parts }
}

function holdsResource(resources: Resources, { resource, subresource }: RequestInfo): boolean {
  if (resources === 'all') return true
  if (subresource === '') return resources.whole.has(resource)
  return resources.parts.get(resource)?.has(subresource) === true
}

interface CompiledResourceRule {
  readonly verbs: Names
  readonly resources: Resources
  readonly apiGroups: Names
  readonly namespaces: Names
  readonly clusterScope: boolean
}

interface CompiledNonResourceRule {
  readonly verbs: Names
  readonly allPaths: boolean
  readonly paths: ReadonlySet<string>
  /** Every entry also matches everything below it (trap T32). */
  readonly prefixes: readonly string[]
}

interface CompiledRules<S> {
  readonly attachment: S
  readonly resources: readonly CompiledResourceRule[]
  readonly nonResources: readonly CompiledNonResourceRule[]
}

const compileResourceRule = (rule: ResourceRule): CompiledResourceRule => ({
  verbs: namesOf(rule.verbs),
  resources: resourcesOf(rule.resources),
  apiGroups: namesOf(rule.apiGroups),
  namespaces: namesOf(rule.namespaces),
  clusterScope: rule.clusterScope === true,
})

function compileNonResourceRule({ verbs, nonResourceURLs }: NonResourceRule): CompiledNonResourceRule {
  const entries = nonResourceURLs ?? []
  return {
    verbs: namesOf(verbs),
    allPaths: entries.includes('*'),
    paths: new Set(entries),
    prefixes: entries.map((entry) => {
      const bare = entry.endsWith('*') ? entry.slice(0, -1) : entry
      return bare.endsWith('/') ? bare : `${bare}/`
    }),
  }
}

const matchesResource = (rule: CompiledResourceRule, info: RequestInfo): boolean =>
  holds(rule.verbs, info.verb) &&
  holdsResource(rule.resources, info) &&
  holds(rule.apiGroups, info.apiGroup) &&
  (info.namespace === '' ? rule.clusterScope : holds(rule.namespaces, info.namespace))

const matchesNonResource = (rule: CompiledNonResourceRule, { verb, path }: RequestInfo): boolean =>
  holds(rule.verbs, verb) &&
  (rule.allPaths || rule.paths.has(path) || rule.prefixes.some((prefix) => path.startsWith(prefix)))

/**
 * Flow schemas compiled for fast classification, with the same answers as `classify` (specification 2.2 – 2.5). The
 * caller attaches a value to each schema, which classification returns.
 */
export class CompiledSchemas<S> {
  private readonly rules: readonly CompiledRules<S>[]
  private readonly subjects: SubjectIndex
  private readonly otherwise: S

  /** `order` is the matching order; it must include a schema named catch-all. */
  constructor(order: readonly FlowSchema[], attach: (schema: FlowSchema) => S) {
    const attached = order.map((schema) => ({ schema, attachment: attach(schema) }))
    const otherwise = attached.find(({ schema }) => schema.metadata.name === CATCH_ALL)
    if (otherwise === undefined) throw new Error('the order contains no catch-all schema')
    this.otherwise = otherwise.attachment
    const rules = attached.flatMap(({ schema, attachment }) =>
      (schema.spec.rules ?? []).map((policy) => ({ attachment, policy })),
    )
    this.rules = rules.map(({ attachment, policy }) => ({
      attachment,
      resources: (policy.resourceRules ?? []).map(compileResourceRule),
      nonResources: (policy.nonResourceRules ?? []).map(compileNonResourceRule),
    }))
    this.subjects = new SubjectIndex(rules.map(({ policy }) => policy.subjects ?? []))
  }

  /** The value attached to the first schema that matches, else to the one named catch-all. */
  classify({ user, info }: RequestDigest): S {
    this.subjects.select(user)
    for (let index = this.subjects.next(0); index !== -1; index = this.subjects.next(index + 1)) {
      const rule = this.rules[index]
      if (rule === undefined) break
      if (info.isResource ? anyResource(rule, info) : anyNonResource(rule, info)) return rule.attachment
    }
    return this.otherwise
  }
}

function anyResource({ resources }: CompiledRules<unknown>, info: RequestInfo): boolean {
  for (const rule of resources) if (matchesResource(rule, info)) return true
  return false
}

function anyNonResource({ nonResources }: CompiledRules<unknown>, info: RequestInfo): boolean {
  for (const rule of nonResources) if (matchesNonResource(rule, info)) return true
  return false
}

/** The lanes of a flow schema in the present configuration. */
interface Route<T> {
  readonly lane: Lane<T>
  readonly uids: ObjectUids
}

export interface ClassifierOptions<T> {
  readonly series: (level: string) => LevelSeries<Ticket<T>>
  readonly estimatedSeatsBounds: readonly number[]
  readonly rememberedFlows: number
}

/**
 * Flow schemas of one configuration, with the lanes of the previous configuration where they lead to the same level.
 */
export class Classifier<T> {
  private readonly compiled: CompiledSchemas<Route<T>>
  private readonly lanes = new Map<string, Lane<T>>()
  /** Names in matching order, and names of the schemas whose level has no object. */
  readonly order: readonly string[]
  readonly dangling: readonly string[]

  constructor(
    schemas: readonly FlowSchema[],
    accepted: ReadonlySet<string>,
    levelNamed: (name: string) => PriorityLevel<Ticket<T>> | undefined,
    options: ClassifierOptions<T>,
    before: Classifier<T> | undefined,
  ) {
    const { order, dangling } = orderFlowSchemas(schemas, accepted)
    this.order = order.map(({ metadata }) => metadata.name)
    this.dangling = dangling.map(({ metadata }) => metadata.name)
    this.compiled = new CompiledSchemas(order, (schema): Route<T> => {
      const { name, uid = '' } = schema.metadata
      const level = levelNamed(schema.spec.priorityLevelConfiguration.name)
      if (level === undefined) throw new Error(`flow schema ${name} takes part without a level`)
      const known = before?.lanes.get(name)
      const kind = { level, schema }
      const lane = known?.serves(kind) === true ? known : newLane(kind, options)
      this.lanes.set(name, lane)
      return { lane, uids: { level: level.plan.uid, schema: uid } }
    })
  }

  route(digest: RequestDigest): Route<T> {
    return this.compiled.classify(digest)
  }
}

function newLane<T>(kind: LaneKind<T>, options: ClassifierOptions<T>): Lane<T> {
  const levelSeries = options.series(kind.level.plan.name)
  const series = levelSeries.lane(kind.schema.metadata.name, options.estimatedSeatsBounds)
  return new Lane(kind, series, levelSeries, options.rememberedFlows)
}
