import type { User } from '../request/match.ts'
import type { Subject } from '../config/objects.ts'

const SERVICE_ACCOUNT = 'system:serviceaccount:'
const BITS = 32
/** Up to so many namespaces are compared one by one; cutting the name out of the user's and looking it up costs more. */
const FEW = 4

/**
 * Finds the rules that speak of a user without asking every subject of every rule (specification 2.3). Sets of rules are
 * bits in words, bit i for the rule of index i.
 */
export class SubjectIndex {
  private readonly words: number
  private readonly everybody: Int32Array
  private readonly byUser = new Map<string, Int32Array>()
  private readonly byGroup = new Map<string, Int32Array>()
  /** Rules for all service accounts of a namespace, by namespace. */
  private readonly byNamespace = new Map<string, Int32Array>()
  /** The same by what the names of their users begin with, while there are few. */
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

  /** Selects the rules that speak of this user. */
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

  /** Index of the first selected rule from `from` on, −1 without one. */
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

  /** A namespace that validation would refuse may hold colons, so every colon may be where it ends. */
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
